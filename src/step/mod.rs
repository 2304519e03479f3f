//! One rank's simulation.

pub mod clock;
mod contacts;
pub mod model;
mod motion;
pub mod report;
mod respond;
pub mod settings;
mod simulation;
mod start;
pub mod state;
mod step;
mod trouble;

pub use clock::{Clock, TICKS_PER_STEP};
pub use model::Model;
pub use report::{Counter, Measure, Phase, StepReport};
pub use settings::Settings;
pub use simulation::Simulation;
pub use state::State;
