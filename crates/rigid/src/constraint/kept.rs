//! The impulses that a step keeps for the next one.

use bytemuck::{Pod, Zeroable};

use crate::body::BodyId;
use cloth_core::math::Vec3;

/// The impulse at a contact in the last step. The next step starts with it (warm start).
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct KeptImpulse {
    /// The first body of the contact.
    pub body: BodyId,
    /// The second body.
    pub partner: BodyId,
    /// Vector from the centre of mass of the first body to the contact, m.
    pub arm: Vec3,
    /// The impulse on the first body, N s.
    pub impulse: Vec3,
}

/// The impulse of a joint in the last step.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct KeptJoint {
    /// The first body.
    pub body: BodyId,
    /// The number of the joint.
    pub joint: u64,
    /// The impulse on the first body along and about the axes of the joint, N s and N m s: six
    /// relative motions, the limits, the motor.
    pub impulse: [f64; 8],
}
