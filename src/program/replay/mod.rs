//! The subcommand `replay`: searches of a run, executed again on processors that the machine
//! does not have.
//!
//! | folder | does |
//! |---|---|
//! | [`recording`] | stores the test trees of some steps of a run, and reads them back |
//! | [`model`] | executes the trees on a modelled machine, and adds the other phases of the step |
//! | [`report`] | prints tables, writes CSV, draws pictures |
//!
//! All results are modelled, not measured. [`model::comparison`] shows how well the model agrees
//! with the steps that it was not fitted to.

pub mod model;
pub mod recording;
pub mod report;
