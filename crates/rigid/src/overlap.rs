//! The deepest overlap of two bodies.

use bytemuck::{Pod, Zeroable};

use crate::body::BodyId;
use cloth_core::math::Vec3;

/// Two bodies that overlap.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Overlap {
    /// The ids of both bodies. The first body is movable.
    pub bodies: [BodyId; 2],
    /// Depth of the overlap, m.
    pub depth: f64,
    /// The depth as a fraction of the smaller half-width of the two bodies.
    pub share: f64,
    /// The contact point, m.
    pub point: Vec3,
}

/// The overlap with the larger share. If the shares are equal, the lower ids win; if the ids are
/// equal too, the larger point wins. So the order of `a` and `b` does not matter.
pub(super) fn deeper(a: Overlap, b: Overlap) -> Overlap {
    let key = |it: &Overlap| (it.share, std::cmp::Reverse(it.bodies), <[f64; 3]>::from(it.point));
    if key(&b) > key(&a) { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equal_overlaps_one_is_the_deepest_in_any_order() {
        let overlap =
            |bodies, x, y| Overlap { bodies, depth: 0.1, share: 0.2, point: Vec3::new(x, y, 0.0) };
        let all = [
            overlap([1, 2], 0.0, 1.0),
            overlap([1, 2], 0.0, 2.0),
            overlap([1, 2], -1.0, 3.0),
            overlap([1, 3], 9.0, 9.0),
        ];
        for first in 0..all.len() {
            let mut order = all;
            order.rotate_left(first);
            assert_eq!(order.into_iter().reduce(deeper), Some(all[1]));
            order.reverse();
            assert_eq!(order.into_iter().reduce(deeper), Some(all[1]));
        }
    }
}
