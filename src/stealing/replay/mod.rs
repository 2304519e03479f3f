//! The test part of the collision phase on processors that the machine does not have.
//!
//! A run stores the test trees of some steps ([`recording`]). Unit costs of tests follow
//! from how long its searches took ([`costs`]); with them the trees are executed again by
//! the same scheduler on a modelled machine ([`machine`]), and the rest of the phase is
//! added as it is divided among ranks ([`rest`], [`model`]). All of it is modelled, not
//! measured; how far it agrees says a [`comparison`], over the steps that nothing was fitted
//! to ([`evidence`]).

pub mod comparison;
pub mod costs;
pub mod evidence;
pub mod machine;
pub mod model;
pub mod recorder;
pub mod recording;
pub mod rest;
pub mod tree;
pub mod writer;

pub use comparison::{Comparison, compare};
pub use costs::{Sample, UnitCosts};
pub use evidence::Evidence;
pub use machine::{Machine, Network, Played};
pub use model::{ModelledStep, Times, Variant, replay, unit_costs};
pub use recorder::SearchRecorder;
pub use recording::{Header, RecordedSearch, RecordedStep, Recording};
pub use rest::PhaseSplit;
pub use tree::RecordedTrees;
pub use writer::{Writer, check_writable};
