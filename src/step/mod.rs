//! One rank's simulation.

mod attempt;
mod clearance;
pub mod clock;
mod contacts;
mod context;
pub mod control;
pub mod dropped;
mod dynamics;
mod gather;
mod impulses;
pub mod model;
mod motion;
mod pinch;
pub mod region;
pub mod report;
mod search;
pub mod settings;
mod simulation;
mod start;
pub mod state;
mod surfaces;
pub mod system;
mod trouble;
pub mod waiting;
mod watch;

pub use clock::{Clock, TICKS_PER_STEP};
pub use dropped::{Dropped, PassedObstacle};
pub use model::Model;
pub use pinch::WaitingBody;
pub use report::{Counter, EnergyRise, Measure, Phase, StepReport};
pub use settings::StepSettings;
pub use simulation::Simulation;
pub use state::State;
pub use system::StepSystem;
pub use waiting::Waiting;
