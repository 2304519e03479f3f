//! Contacts, where two bodies touch or are about to touch, and the values that solvers need.

use crate::constraint::pair::{Between, Ends, Partner, Side};
use cloth_core::math::Vec3;

/// Slow bodies do not bounce. A body is slow if its speed of approach is at most what its forces
/// give it in this many steps.
pub const REST_STEPS: f64 = 2.0;

/// The largest rest gap as a multiple of `h^2 g`, the fall of a body in a step. Bodies may rest at
/// any gap from 0 to the rest gap, so that contacts at rest are not lost. Without this range, heaps
/// of spheres quiver at 0.05 m/s. With a limit of 5 % of a radius, impacts with long steps overlap
/// twice as deeply.
const REST_GAP_STEPS: f64 = 4.0;

/// A point at which two bodies touch or are about to touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Place of a movable body in this rank's list.
    pub first: u32,
    /// The other body. If it is movable, its id is above that of the first.
    pub second: Partner,
    /// Shift from the position of the second body to the image of it that touches, m. It is zero if
    /// no periodic border lies between the bodies.
    pub shift: Vec3,
    /// Number of this contact among the contacts of the same two bodies.
    pub feature: u32,
    /// The contact point, m. It lies between the two surfaces, or in the middle of an overlap.
    pub point: Vec3,
    /// Unit normal, from the second body to the first.
    pub normal: Vec3,
    /// Distance of the surfaces, m. It is below 0 if they overlap.
    pub gap: f64,
}

impl Between for Contact {
    fn ends(&self) -> Ends {
        let Self { first, second, shift, feature: number, point, .. } = *self;
        Ends { first, second, shift, number, point }
    }
}

/// The settings of all contacts of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactSettings {
    /// Length of the step, s.
    pub step_s: f64,
    /// Gravity, m/s^2.
    pub gravity: Vec3,
    /// Fraction of an overlap that a step removes, 0 to 1.
    pub penetration_correction: f64,
}

impl ContactSettings {
    /// The part `a` of the speed of approach at a contact that comes from the forces of the second
    /// half of the step, m/s. Contacts act in the middle of the step, but velocities contain the
    /// forces of the whole step. So bodies separate with the speed `e (v - a) - a`, and an elastic
    /// ball that bounces on a floor keeps its energy.
    pub fn ahead(&self, contact: &Contact, sides: &[Side; 2]) -> f64 {
        let relative = sides[1].acceleration - sides[0].acceleration;
        0.5 * self.step_s * relative.dot(&contact.normal)
    }

    /// The largest gap at which bodies rest, m.
    pub fn rest_gap(&self) -> f64 {
        REST_GAP_STEPS * self.fall()
    }

    /// How far gravity moves a body in a step, m.
    pub fn fall(&self) -> f64 {
        self.step_s * self.step_s * self.gravity.norm()
    }

    /// The distance by which surfaces with this `gap` (m) may approach before the next search for
    /// contacts, m.
    pub fn allowance(&self, gap: f64) -> f64 {
        (gap - self.rest_gap()).max(0.0)
    }

    /// The least speed of separation of surfaces with this `gap` (m), m/s. It is below 0 if they
    /// may approach.
    pub fn separation(&self, gap: f64) -> f64 {
        if gap < 0.0 {
            -self.penetration_correction * gap / self.step_s
        } else {
            -self.allowance(gap) / self.step_s
        }
    }
}
