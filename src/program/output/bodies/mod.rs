//! What frames of rigid bodies are made of.
//!
//! | module | |
//! |---|---|
//! | [`row`] | a body of a frame |
//! | [`surface`] | its surface, for formats that draw bodies |
//! | [`obstacles`] | once a run: the bodies that stand still, the shapes of solids |
//! | [`owners`] | the rank of each body, in a file beside the frame |
//! | [`record`] | the line of a frame in `steps.jsonl` |
//!
//! Rows are in the order of ids, and nothing in a frame depends on ranks. So its bytes are the same
//! for any number of ranks and threads.

pub mod obstacles;
pub mod owners;
pub mod record;
pub mod row;
pub mod surface;

pub use row::BodyRow;
