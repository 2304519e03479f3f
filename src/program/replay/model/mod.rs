//! The collision phases of recorded steps on a modelled machine.
//!
//! The unit costs of tests follow from the lengths of recorded searches ([`unit_costs`]). With
//! them the same scheduler executes the recorded trees again on a [`machine`] under a virtual
//! clock. The other phases are divided among the ranks ([`other_phases`]), and both together
//! are a [`modelled_step`].

pub mod comparison;
pub mod fitted_steps;
pub mod machine;
pub mod modelled_step;
pub mod network;
pub mod other_phases;
pub mod unit_costs;

pub use comparison::{Comparison, compare};
pub use fitted_steps::RecordingSet;
pub use modelled_step::{ModelledStep, Replay, Times, Variant, fit_unit_costs, replay};
pub use network::Network;
pub use other_phases::PhaseSplit;
pub use unit_costs::UnitCosts;
