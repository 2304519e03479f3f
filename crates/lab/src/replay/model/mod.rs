//! The collision phases of recorded steps on a modelled machine.
//!
//! 1. [`fitted_steps`] chooses the recorded steps that the model is fitted to.
//! 2. [`unit_costs`] fits the cost of each kind of test to the times of recorded searches.
//! 3. A [`machine`] executes the recorded trees again under a virtual clock, with the scheduler of
//!    a run.
//! 4. [`other_phases`] divides the rest of the phase among the ranks.
//! 5. 3 and 4 give a [`modelled_step`].
//! 6. [`comparison`] compares modelled times with measured ones.

pub mod comparison;
pub mod fitted_steps;
pub mod machine;
pub mod modelled_step;
pub mod network;
pub mod other_phases;
pub mod unit_costs;

pub use comparison::{Comparison, compare};
pub use fitted_steps::RecordingSet;
pub use modelled_step::{ModelledStep, Times, Variant, fit_unit_costs, replay};
pub use network::Network;
pub use other_phases::PhaseSplit;
pub use unit_costs::UnitCosts;
