//! The subcommand `replay`: executes the searches of a run again, on a modelled machine.
//!
//! | module | does |
//! |---|---|
//! | [`recording`], [`trees`] | reads recordings; their trees in the form in which they are executed |
//! | [`model`] | executes the trees on a modelled machine, and adds the other phases of the step |
//! | [`settings`] | changes the recorded settings |
//! | [`report`] | prints tables, writes CSV |
//!
//! All results are modelled, not measured. [`model::comparison`] compares the model with measured
//! steps that were not used for fitting.

pub mod model;
pub mod recording;
pub mod report;
pub mod settings;
pub mod trees;
