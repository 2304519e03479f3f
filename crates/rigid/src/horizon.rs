//! How far ahead contacts are found.
//!
//! A step searches for contacts once, in its middle. Until the next search, bodies move with the
//! velocities after the response of this step. A contact that is found too late is an overlap. So
//! two surfaces are in contact if they can meet before the next search:
//!
//! ```text
//! gap <= h * (speed of approach) + slack
//! ```
//!
//! The response lets surfaces approach to the rest gap, but no further. The slack is the rest gap
//! plus the fall of a step. It is needed because bodies that rest between others do not approach
//! each other before the response.
//!
//! The *travel* of a body bounds its part of the right-hand side. It depends on this body alone. A
//! rank holds a copy of each body that reaches into its subdomains when grown by its travel. The
//! point of a contact divides the gap in the ratio of the two travels. So the rank whose subdomain
//! contains the point knows both bodies.
//!
//! **Tried.** More slack, 0.3 half-widths: a body that is flung at a neighbour in the same step
//! then meets it. Impacts of boxes overlap by 20 % instead of 70 % with 50 sweeps, but not less
//! with ten sweeps. Steps of half the length reach the same in the same computing time.
//!
//! **Tried.** The ends of capsules as further contacts ahead, besides their nearest points: an
//! impact overlaps by 2 mm of 60 mm instead of 3 mm.

use crate::broad::Bound;
use crate::constraint::ContactSettings;
use crate::{BodyState, Twist};
use cloth_core::Vec3;

/// How far ahead contacts are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Horizon {
    /// Length of a step, s.
    pub step_s: f64,
    /// The largest travel by motion of any body, m. That of a body is at most its radius, too.
    pub most_m: f64,
    /// Surfaces with a gap up to this are in contact, unless they separate, m.
    pub slack_m: f64,
}

impl Horizon {
    /// With this horizon only surfaces that touch or overlap are in contact.
    pub const NOW: Self = Self { step_s: 0.0, most_m: 0.0, slack_m: 0.0 };

    /// The horizon of these settings. In a step no body moves by more than `most_m` (m).
    pub fn new(settings: &ContactSettings, most_m: f64) -> Self {
        let slack_m = settings.rest_gap() + settings.fall();
        Self { step_s: settings.step_s, most_m, slack_m }
    }

    /// The largest travel by motion of a body with this radius (m), m. It covers the largest motion
    /// of a step.
    #[inline]
    pub fn most_of(&self, radius: f64) -> f64 {
        self.most_m.min(radius)
    }

    /// The largest travel of a movable body, m.
    pub fn most_travel(&self) -> f64 {
        self.most_m + 0.5 * self.slack_m
    }

    /// The bound of a movable body in `state`. `radius` is that of its bounding ball (m). `swing`
    /// is the largest distance from the centre at which rotation moves the surface (m).
    #[inline]
    pub fn bound(&self, state: &BodyState, swing: f64, radius: f64) -> Bound {
        Bound { centre: state.position, radius, travel: self.travel(&state.twist, swing, radius) }
    }

    /// The travel of a body with this velocity, m; `swing` and `radius` as for [`Self::bound`].
    #[inline]
    pub fn travel(&self, twist: &Twist, swing: f64, radius: f64) -> f64 {
        self.motion(twist, swing).min(self.most_of(radius)) + 0.5 * self.slack_m
    }

    /// The bound of a fixed body. Its travel has no upper limit, because all ranks know the body.
    pub fn of_fixed(&self, centre: Vec3, radius: f64, twist: &Twist) -> Bound {
        Bound { centre, radius, travel: self.motion(twist, radius) + 0.5 * self.slack_m }
    }

    /// The largest distance that a point within `radius` (m) of the centre moves in a step, m.
    #[inline]
    fn motion(&self, twist: &Twist, radius: f64) -> f64 {
        let turn = if radius > 0.0 { twist.angular.norm() * radius } else { 0.0 };
        self.step_s * (twist.linear.norm() + turn)
    }

    /// True if two surfaces at the distance `gap` (m) that approach with `speed` (m/s) are in
    /// contact. The speed is below 0 if they separate.
    pub fn sees(&self, gap: f64, speed: f64) -> bool {
        gap <= 0.0 || gap <= self.step_s * speed + self.slack_m
    }
}
