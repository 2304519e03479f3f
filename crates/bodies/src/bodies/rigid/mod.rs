//! Rigid bodies: their mass, how they turn, and [`RigidBody`], which meets cloth.
//!
//! The engine of many rigid bodies (`cloth_rigid`) uses the same mass and rotation.

mod body;
mod mass;
mod rotation;

pub use body::RigidBody;
pub use mass::{Frame, MassProperties, check_closed, integrals, principal};
pub use rotation::{gyroscopic, is_isotropic, turn, turned};
