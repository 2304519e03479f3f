//! Bodies: what moves, and how.
//!
//! | kind | its surface | nodes |
//! |---|---|---|
//! | [`cloth`] | deforms | one a vertex |
//! | [`prescribed`] | moves as keyframes say | none |
//! | [`Body`] | moves as its few nodes say | a few (a rigid body: two) |
//!
//! Bodies do not know each other, nor collision. They answer what the step and contact ask:
//! positions, velocities, masses, forces and their rows of the linear system.

pub mod body;
pub mod cloth;
pub mod numbering;
pub mod prescribed;
pub mod setup;

pub use body::Body;
pub use numbering::{Numbering, Place};
pub use setup::{Documents, Setup};
