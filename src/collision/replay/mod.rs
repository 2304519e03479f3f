//! The test part of the collision phase on processors that the machine does not have.
//!
//! A run stores the test trees of some steps ([`recording`]).

pub mod recording;
pub mod tree;

pub use recording::{Header, RecordedSearch, RecordedStep, Recording, SearchRecorder, Writer};
pub use tree::TestTrees;
