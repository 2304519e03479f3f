//! Joints: constraints that hold two bodies together, or a body in space.
//!
//! | module | |
//! |---|---|
//! | [`list`] | all joints of a model |
//! | [`active`] | a joint in one step: where it is, and how far it is open |
//!
//! Kinds, frames and settings are in [`cloth_bodies::bodies::joints`].

pub mod active;
pub mod list;

use crate::body::BodyId;
pub use cloth_bodies::bodies::joints::{JointFrame, JointSettings, Motor, axes_along};

/// A joint.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// The first body. It is movable.
    pub first: BodyId,
    /// The second body: movable, fixed, or space.
    pub second: Second,
    /// The frames on both bodies, each in the body's own frame.
    pub frames: [JointFrame; 2],
    /// What it does.
    pub settings: JointSettings,
}

/// The second body of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Second {
    /// A movable body.
    Movable(BodyId),
    /// A fixed body, by its place in [`FixedBodies`](crate::fixed::FixedBodies).
    Fixed(u32),
    /// Space: its frame is in space.
    Space,
}
