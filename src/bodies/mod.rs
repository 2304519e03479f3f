//! Bodies: what moves, and how.

pub mod cloth;
pub mod keyframes;
pub mod prescribed;
pub mod setup;

pub use setup::{Documents, Setup};
