//! Scenes: what the user writes in RON, and how the bodies are built from it.
//!
//! [`load::load`] reads and checks a [`Scene`]. [`build::build`] makes its
//! [`Setup`](crate::bodies::Setup).

pub mod build;
mod check;
pub mod load;
mod rest;
mod select;
pub mod spec;

pub use crate::bounds::did_you_mean;
pub use build::build;
pub use load::load;
pub use spec::Scene;
