//! The deepest overlap of two bodies.

use bytemuck::{Pod, Zeroable};

use crate::math::Vec3;
use crate::rigid::body::BodyId;

/// Two bodies that overlap.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Overlap {
    /// Their ids. The first is movable.
    pub bodies: [BodyId; 2],
    /// How deep, m.
    pub depth: f64,
    /// The same as a share of the smaller body: of half its smallest width.
    pub share: f64,
    /// Where, m.
    pub point: Vec3,
}

/// The deeper one; of equal ones that of the first bodies, so that the order does not matter.
pub(super) fn deeper(a: Overlap, b: Overlap) -> Overlap {
    let key = |it: &Overlap| (it.share, std::cmp::Reverse(it.bodies));
    if key(&b) > key(&a) { b } else { a }
}
