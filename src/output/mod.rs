//! What a run leaves behind.

pub mod frames;

pub use frames::FrameWriter;
