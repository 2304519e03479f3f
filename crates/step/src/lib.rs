//! One rank's simulation.

mod attempt;
mod contacts;
mod model;
mod recover;
mod report;
mod simulation;
mod solve;
mod state;
mod time;
mod watch;

pub use model::Model;
pub use model::object_size::ObjectSize;
pub use model::settings::{GravityKey, Solver, StepSettings};
pub use model::sewing::Unwelded;
pub use model::skin::{Released, YieldingObstacle};
pub use recover::pinch::WaitingBody;
pub use report::{Counter, EnergyRise, Measure, Phase, StepReport};
pub use simulation::Simulation;
pub use solve::system::{StepSystem, SystemTerms};
pub use state::body_terms::BodyTerms;
pub use state::waiting::Waiting;
pub use state::{Energy, State};
pub use time::clock::{Clock, TICKS_PER_STEP};
pub use time::scheme::{History, Integrator, Scheme};
pub use time::sizes::{Choice, StepsPerFrame};
pub use watch::lift_j;
