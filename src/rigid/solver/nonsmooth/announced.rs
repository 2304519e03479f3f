//! What ranks tell each other of the constraints of a body.

use bytemuck::{Pod, Zeroable};
use smallvec::SmallVec;

use crate::math::Vec3;
use crate::rigid::body::BodyId;
use crate::rigid::solver::by_body::OfContact;
use crate::rigid::solver::nonsmooth::constraint::{Kept, Start};

/// A constraint of one body.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Touch {
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

impl OfContact for Touch {
    fn key(&self) -> (BodyId, u64) {
        (self.partner, u64::from(self.number))
    }
}

/// A constraint of a body, and the impulse with which it begins.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C, packed)]
pub struct Announcement<S: Pod> {
    pub touch: Touch,
    pub start: S,
}

/// The rank of an announcement that only carries an impulse of the last step.
pub const NO_RANK: u32 = u32::MAX;

/// An impulse for each constraint of a body.
pub type Starts<S> = SmallVec<[S; 16]>;

impl Touch {
    /// The place of the constraint.
    pub fn problem(&self) -> usize {
        (self.slot / 2) as usize
    }

    /// True if the body is the first one of the constraint.
    pub fn is_first(&self) -> bool {
        self.slot.is_multiple_of(2)
    }

    /// True if `rank` treats the constraint, and the body is the first one.
    pub fn is_first_of(&self, rank: u32) -> bool {
        self.rank == rank && self.is_first()
    }
}

/// The impulses with which the constraints of `body` begin. A constraint whose first body is `body`
/// takes one of the `kept` impulses of that body. All others begin with zero here.
pub fn starts_of<'a, K: Kept>(
    kept: &[K],
    body: BodyId,
    touches: impl Iterator<Item = &'a Touch>,
) -> Starts<Start<K>> {
    let own = &kept[kept.partition_point(|kept| kept.body() < body)..];
    let own = &own[..own.partition_point(|kept| kept.body() == body)];
    let mut left: SmallVec<[&K; 16]> = own.iter().collect();
    let start = |touch: &Touch| {
        let found = if touch.is_first() { K::find(&left, touch) } else { None };
        found.map_or(Start::<K>::zeroed(), |at| left.remove(at).start())
    };
    touches.map(start).collect()
}
