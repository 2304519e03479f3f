//! One rank's simulation.

pub mod clock;
mod contacts;
mod couple;
pub mod model;
mod motion;
mod respond;
mod simulation;
mod start;
pub mod state;
mod step;
mod trouble;

pub use clock::{Clock, TICKS_PER_STEP};
pub use model::Model;
pub use simulation::Simulation;
pub use state::{ContactMemory, State};
