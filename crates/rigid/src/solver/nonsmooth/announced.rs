//! What ranks tell each other of the constraints of a body.

use bytemuck::{Pod, Zeroable};

use crate::body::BodyId;
use crate::solver::by_body::OfContact;
use cloth_core::math::Vec3;

/// A constraint of one body.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct BodyConstraint {
    /// The other body.
    pub partner: BodyId,
    /// Number of the constraint among those of the two bodies.
    pub number: u32,
    /// The rank that treats the constraint.
    pub rank: u32,
    /// Twice the place of the constraint, plus 1 for its second body. At first it is the place
    /// among the constraints of `rank`. Once the partners are known, it is the place in the
    /// problems of this rank followed by `foreign`.
    pub slot: u64,
    /// Vector from the centre of mass to the point of the constraint, m.
    pub arm: Vec3,
}

impl OfContact for BodyConstraint {
    fn key(&self) -> (BodyId, u64) {
        (self.partner, u64::from(self.number))
    }
}

/// A constraint of a body, and the impulse with which it begins.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C, packed)]
pub struct Announcement<S> {
    /// The constraint.
    pub touch: BodyConstraint,
    /// The impulse with which it begins.
    pub start: S,
}

/// The rank of an announcement that only carries an impulse of the last step.
pub const NO_RANK: u32 = u32::MAX;

impl BodyConstraint {
    /// The place of the constraint.
    pub fn problem(&self) -> usize {
        (self.slot / 2) as usize
    }

    /// True if the body is the first one of the constraint.
    pub fn is_first(&self) -> bool {
        self.slot.is_multiple_of(2)
    }

    /// What multiplies the impulse on the first body.
    pub fn sign(&self) -> f64 {
        if self.is_first() { 1.0 } else { -1.0 }
    }

    /// True if `rank` treats the constraint, and the body is the first one.
    pub fn is_first_of(&self, rank: u32) -> bool {
        self.rank == rank && self.is_first()
    }
}
