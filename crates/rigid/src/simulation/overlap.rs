//! The deepest overlap of two bodies.

use bytemuck::{Pod, Zeroable};

use crate::constraint::{Contact, Partner};
use crate::{BodyId, FixedShape, RigidSimulation, Shape};
use cloth_core::{Result, Vec3, message};

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

impl RigidSimulation<'_> {
    /// The overlap with the largest [`Overlap::share`] among the contacts that the last step found
    /// in its middle. None without an overlap. The result does not depend on the number of ranks.
    /// All ranks call it.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn deepest_overlap(&self) -> Result<Option<Overlap>> {
        let all = message::all_gather_v(&*self.world, self.deepest.as_slice())?;
        Ok(all.into_iter().reduce(deeper))
    }

    /// The deepest overlap at the present positions. All ranks call it between steps.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn deepest_overlap_now(&mut self) -> Result<Option<Overlap>> {
        self.fixed.advance(self.state.time_s, 0.0);
        self.find_contacts()?;
        self.deepest_overlap()
    }

    /// Before: the contacts refer to the present places of bodies. After: `deepest` is the deepest
    /// overlap of this rank's contacts.
    pub(super) fn find_deepest(&mut self) {
        self.deepest = self
            .contacts
            .iter()
            .filter(|contact| contact.gap < 0.0)
            .map(|contact| self.overlap(contact))
            .reduce(deeper);
    }

    fn overlap(&self, contact: &Contact) -> Overlap {
        let body = |place: u32| self.state.population.bodies().at(place as usize);
        let width = |shape: &Shape| self.model.solids.half_width(shape);
        let first = body(contact.first);
        let (second, other) = match contact.second {
            Partner::Movable(place) => (body(place).id, width(&body(place).shape)),
            Partner::Fixed(place) => {
                let fixed = &self.fixed.bodies()[place as usize];
                let width = match &fixed.shape {
                    // Only a lower bound of the half-width of a solid is known, so the width of
                    // the movable body counts.
                    FixedShape::Shape(shape) if shape.solid().is_none() => width(shape),
                    FixedShape::HalfSpace | FixedShape::Shape(_) => f64::INFINITY,
                };
                (fixed.id, width)
            }
        };
        let depth = -contact.gap;
        let share = depth / width(&first.shape).min(other);
        Overlap { bodies: [first.id, second], depth, share, point: contact.point }
    }
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
