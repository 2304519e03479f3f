//! Non-smooth contact dynamics by projected relaxed Jacobi with mass splitting (Tonge,
//! Benevolenski & Voroshilov 2012; for ranks Preclik & Rüde 2015).
//!
//! A body with `c` contacts is split into `c` parts of mass `m / c`. All contacts are solved at the
//! same time, each with its own parts; then the parts of a body are joined again: its velocity is
//! their mean. So a sweep is: for each contact the change of its impulse from the velocities of both
//! bodies, then for each body the sum of these changes, in the order of (partner, feature).
//!
//! | symbol | |
//! |---|---|
//! | `l` | impulse on the first body, in the friction cone `l_n >= 0`, `abs(l_t) <= mu l_n` |
//! | `w` | velocity of the first contact point minus that of the second |
//! | `K` | change of `w` by a unit impulse on the parts: `c_1 K_1 + c_2 K_2` |
//!
//! ```text
//! l_n <- max(0, l_n - (w_n - target) / K_nn)     w <- w + K (change of l_n)
//! l_t <- l_t - w_t / (largest eigenvalue of K_tt), shortened to at most mu l_n
//! ```
//!
//! `target` is the larger of `e` times the speed of approach and the speed that removes overlap.
//! `K` of the parts bounds the full operator from above (that is what the splitting is for), so a
//! sweep is a step of projected gradients that needs no line search. Nesterov's extrapolation, with a
//! fixed sequence of weights, makes the error fall faster. It is linear, so bodies and contacts extrapolate
//! alike without a message of its own.

use bytemuck::{Pod, Zeroable};

use crate::math::{Mat3, Vec3};
use crate::rigid::body::{BodyId, Twist};
use crate::rigid::contact::{Contact, ContactSettings, Side};
use crate::rigid::material::Surface;
use crate::rigid::motion::Mobility;
use crate::rigid::response::by_body::OfContact;
use crate::rigid::response::ffd::perpendicular;

/// A contact and its impulse. It stays with the rank that treats the contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Joint {
    ids: [BodyId; 2],
    feature: u64,
    arms: [Vec3; 2],
    normal: Vec3,
    /// `K`, kg^-1.
    give: Mat3,
    /// Largest eigenvalue of the tangential part of `K`.
    slide: f64,
    target: f64,
    friction: f64,
    /// Impulse on the first body, N s: now, and one sweep earlier.
    impulse: Vec3,
    last: Vec3,
}

/// A change of a body's momentum by one contact. Plain data: it travels to the owner of the body.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Impulse {
    /// The body.
    pub body: BodyId,
    /// The other body.
    pub partner: BodyId,
    /// Number of the contact among those of the two bodies.
    pub feature: u64,
    /// Change of the angular momentum about the centre of mass, kg m^2/s.
    pub angular: Vec3,
    /// Change of the momentum, kg m/s.
    pub linear: Vec3,
}

impl OfContact for Impulse {
    fn key(&self) -> (BodyId, u64) {
        (self.partner, self.feature)
    }
}

impl Joint {
    /// A contact of two bodies with the velocities before the response; `counts` are the numbers of
    /// all contacts of each (of a fixed one any).
    pub fn new(
        contact: &Contact,
        sides: &[Side; 2],
        surface: &Surface,
        counts: [u32; 2],
        settings: &ContactSettings,
    ) -> Self {
        let normal = contact.normal;
        let arms = [0, 1].map(|i| contact.point - sides[i].centre);
        let give = give(&sides[0].mobility, &arms[0]) * f64::from(counts[0])
            + give(&sides[1].mobility, &arms[1]) * f64::from(counts[1]);
        let approach = -(sides[0].twist.at(&arms[0]) - sides[1].twist.at(&arms[1])).dot(&normal);
        let forces = sides[0].acceleration.norm().max(sides[1].acceleration.norm());
        let bounces = approach > 2.0 * settings.step_s * forces;
        let bounce = if bounces { surface.restitution * approach } else { 0.0 };
        let push = settings.penetration_correction * (-contact.gap).max(0.0) / settings.step_s;
        Self {
            ids: [sides[0].id, sides[1].id],
            feature: u64::from(contact.feature),
            arms,
            normal,
            give,
            slide: largest_across(&give, &normal),
            target: bounce.max(push),
            friction: surface.friction,
            impulse: Vec3::zeros(),
            last: Vec3::zeros(),
        }
    }

    /// An impulse of zero on each body: it tells their owners of the contact.
    pub fn announcements(contact: &Contact, ids: [BodyId; 2]) -> [Impulse; 2] {
        let none = Vec3::zeros();
        let feature = u64::from(contact.feature);
        [0, 1].map(|i| Impulse {
            body: ids[i],
            partner: ids[1 - i],
            feature,
            angular: none,
            linear: none,
        })
    }

    /// Sweep `sweep` (from 0): the changes of both bodies' momenta, from their velocities as
    /// [`Sweeper::extrapolated`] after the sweep before.
    pub fn sweep(&mut self, twists: [&Twist; 2], sweep: usize) -> [Impulse; 2] {
        let start = self.impulse + (self.impulse - self.last) * momentum(sweep);
        let slip = twists[0].at(&self.arms[0]) - twists[1].at(&self.arms[1]);
        let next = self.projected(&start, &slip);
        let change = next - self.impulse;
        (self.last, self.impulse) = (self.impulse, next);
        let of = |i: usize, change: Vec3| Impulse {
            body: self.ids[i],
            partner: self.ids[1 - i],
            feature: self.feature,
            angular: self.arms[i].cross(&change),
            linear: change,
        };
        [of(0, change), of(1, -change)]
    }

    /// The impulse after `start` that answers `velocity`, in the friction cone.
    fn projected(&self, start: &Vec3, velocity: &Vec3) -> Vec3 {
        let n = &self.normal;
        let column = self.give * n;
        let old = start.dot(n);
        let normal = (old - (velocity.dot(n) - self.target) / column.dot(n)).max(0.0);
        let velocity = velocity + column * (normal - old);
        let across = velocity - n * velocity.dot(n);
        let mut tangential = start - n * old - across / self.slide;
        let (length, reach) = (tangential.norm(), self.friction * normal);
        if length > reach {
            tangential *= reach / length;
        }
        n * normal + tangential
    }
}

/// The velocity of a body during the sweeps, at its owner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sweeper {
    now: Twist,
    last: Twist,
}

impl Sweeper {
    /// Begins with the velocity before the response.
    pub fn new(twist: Twist) -> Self {
        Self { now: twist, last: twist }
    }

    /// Adds the changes of one sweep, in the order of (partner, feature).
    pub fn add<'a>(&mut self, mobility: &Mobility, impulses: impl Iterator<Item = &'a Impulse>) {
        let (mut angular, mut linear) = (Vec3::zeros(), Vec3::zeros());
        for impulse in impulses {
            angular += impulse.angular;
            linear += impulse.linear;
        }
        self.last = self.now;
        self.now.angular += mobility.inverse_inertia * angular;
        self.now.linear += linear * mobility.inverse_mass;
    }

    /// The velocity that the contacts get for sweep `sweep`.
    pub fn extrapolated(&self, sweep: usize) -> Twist {
        let weight = momentum(sweep);
        Twist {
            angular: self.now.angular + (self.now.angular - self.last.angular) * weight,
            linear: self.now.linear + (self.now.linear - self.last.linear) * weight,
        }
    }

    /// The velocity after all sweeps.
    pub fn twist(&self) -> Twist {
        self.now
    }
}

/// Largest weight of the extrapolation. Without a limit a stack of ten boxes is not at rest after 200
/// sweeps (friction makes the problem not convex); with 0.8 it sinks twice as far in 100.
const MOST_MOMENTUM: f64 = 0.9;

/// Weight of the extrapolation before sweep `sweep`.
fn momentum(sweep: usize) -> f64 {
    let k = sweep as f64;
    if sweep < 2 { 0.0 } else { ((k - 1.0) / (k + 2.0)).min(MOST_MOMENTUM) }
}

/// Velocity of the point at `arm` by a unit impulse there.
fn give(mobility: &Mobility, arm: &Vec3) -> Mat3 {
    let cross = arm.cross_matrix();
    Mat3::from_diagonal_element(mobility.inverse_mass) - cross * mobility.inverse_inertia * cross
}

/// The largest eigenvalue of a symmetric matrix across the unit vector `normal`.
fn largest_across(matrix: &Mat3, normal: &Vec3) -> f64 {
    let s = perpendicular(normal);
    let t = normal.cross(&s);
    let (a, b, c) = (s.dot(&(matrix * s)), s.dot(&(matrix * t)), t.dot(&(matrix * t)));
    let (mean, half) = (0.5 * (a + c), 0.5 * (a - c));
    mean + (half * half + b * b).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_value_across_a_normal_is_that_of_the_tangents() {
        let matrix = Mat3::new(4.0, 1.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 9.0);
        let expected = 3.0 + 2.0_f64.sqrt();
        assert!((largest_across(&matrix, &Vec3::z()) - expected).abs() < 1e-14);
    }
}
