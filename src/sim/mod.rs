//! One rank's simulation.

pub mod clock;
pub mod couple;
pub mod model;
mod motion;
mod simulation;
pub mod state;
mod step;

pub use clock::{Clock, TICKS_PER_STEP};
pub use model::Model;
pub use simulation::Simulation;
pub use state::{ContactMemory, State};
