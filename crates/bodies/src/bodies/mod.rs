//! Bodies: what moves, and how.
//!
//! | kind | its surface | nodes |
//! |---|---|---|
//! | [`cloth`] | deforms | one a vertex |
//! | [`prescribed`] | follows keyframes or samples | none |
//! | [`Body`], such as [`rigid::RigidBody`] | follows its few nodes | a few (a rigid body: two) |
//!
//! No kind knows another one, except that pins of cloth follow [`prescribed`] motions. No
//! kind knows collision. Bodies give the step and contact their positions, velocities, masses,
//! forces and rows of the linear system.

pub mod body;
pub mod cloth;
pub mod joints;
pub mod numbering;
pub mod prescribed;
pub mod rigid;
pub mod seam;
pub mod setup;
pub mod timed;
pub mod weld;

pub use body::{Body, BodyPose};
pub use cloth_core::linear::Jacobian;
pub use numbering::{Numbering, Place};
pub use setup::{Documents, Setup};
