//! The deepest overlap of all bodies.

use crate::constraint::contact::Contact;
use crate::constraint::pair::Partner;
use crate::fixed::FixedShape;
use crate::overlap::{Overlap, deeper};
use crate::shape::Shape;
use crate::simulation::RigidSimulation;
use cloth_core::error::Result;
use cloth_core::ranks::message;

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
