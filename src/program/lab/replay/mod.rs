//! The subcommand `replay`: executes the searches of a run again, on a modelled machine.
//!
//! | module | does |
//! |---|---|
//! | [`recording`] | stores the test trees of some steps of a run, and reads them back |
//! | [`model`] | executes the trees on a modelled machine, and adds the other phases of the step |
//! | [`settings`] | changes the recorded settings |
//! | [`report`] | prints tables, writes CSV, draws pictures |
//!
//! All results are modelled, not measured. [`model::comparison`] compares the model with measured
//! steps that were not used for fitting.

pub mod model;
pub mod recording;
pub mod report;
pub mod settings;
