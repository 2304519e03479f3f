//! What is kept of a contact for the next step, and what that begins with.

use bytemuck::{Pod, Zeroable};

use crate::BodyId;
use crate::constraint::KeptImpulse;
use crate::solver::nonsmooth::announced::{BodyConstraint, Kept};
use cloth_core::Vec3;

/// What the last step left for a contact. It is zero for a new one.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Begun {
    /// The impulse, N s.
    pub impulse: Vec3,
    /// Vector from the centre of mass of the first body to the contact, m.
    pub arm: Vec3,
}

impl Kept for KeptImpulse {
    type Value = Vec3;
    type Start = Begun;

    fn body(&self) -> BodyId {
        self.body
    }

    fn start(&self) -> Begun {
        Begun { impulse: self.impulse, arm: self.arm }
    }

    fn touch(&self) -> BodyConstraint {
        let Self { partner, arm, .. } = *self;
        BodyConstraint { partner, arm, ..BodyConstraint::zeroed() }
    }

    fn of(body: BodyId, touch: &BodyConstraint, impulse: &Vec3) -> Self {
        Self { body, partner: touch.partner, arm: touch.arm, impulse: *impulse }
    }

    fn value(start: &Begun) -> Vec3 {
        start.impulse
    }

    /// The impulse of the same two bodies that acted nearest. Of equally near ones it is the first.
    fn find(kept: &[&Self], touch: &BodyConstraint) -> Option<usize> {
        let mut best = (f64::INFINITY, None);
        for (place, kept) in kept.iter().enumerate().filter(|(_, it)| it.partner == touch.partner) {
            let distance = (kept.arm - touch.arm).norm_squared();
            if distance < best.0 {
                best = (distance, Some(place));
            }
        }
        best.1
    }
}
