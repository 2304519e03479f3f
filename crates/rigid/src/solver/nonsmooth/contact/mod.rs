//! Non-smooth contact dynamics by projected relaxed Jacobi with mass splitting (Tonge,
//! Benevolenski & Voroshilov 2012; for ranks Preclik & Rüde 2015).
//!
//! A body with `c` contacts is split into `c` parts of mass `m / c`. All contacts are solved at
//! the same time, each with its own parts. Then the parts of a body are joined again: its velocity
//! is the mean of theirs. So a sweep first computes for each contact its impulse from the
//! velocities of both bodies, and then for each body the sum of the impulses of its contacts, in
//! the order of (partner, feature).
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
//! `target` is the speed that removes overlap or closes a gap. If the bodies meet in this step, it
//! is at least `e` times the speed of approach. `K` of the parts bounds the full operator from
//! above, which is the purpose of the splitting. So a sweep alone is a step of projected gradients
//! that needs no line search. `search` makes directions of the changes of several sweeps.
//!
//! **Start.** In a sweep an impulse acts only on neighbours. So if impulses began with zero, a
//! pile of `n` layers would need more than `n` sweeps in every step. Contacts at rest begin with
//! an impulse of the step before: of the impulses of the same two bodies, the one that acted
//! nearest. (The feature is not used, because features shift when a corner of a box lifts off.)
//! If a contact opens, its first impulse is reduced in proportion to the speed of opening;
//! otherwise boxes are kicked. Impacts begin with zero.
//!
//! **Tried.** A second set of sweeps that removes the velocity that the push against overlap adds
//! (relaxation): heaps quiver ten times as fast, because the kept impulses are not those that hold
//! the pushed bodies. Keeping 95 % of the impulses: boxes rest equally well, but piles of spheres
//! overlap three times as deeply and creep. Splitting a body only among contacts with an impulse:
//! not faster. Instead of conjugate gradients, Nesterov's extrapolation: with fixed weights ten
//! boxes never rest with 20 sweeps, and restarts do not help.
//!
//! Functions that `roll` uses too are always inlined: as calls they make a step 6 % longer.

mod path;
pub mod roll;

use bytemuck::{Pod, Zeroable};

use crate::constraint::{Contact, ContactSettings, KeptImpulse, REST_STEPS, Side};
use crate::solver::nonsmooth::announced::{BodyConstraint, Kept};
use crate::solver::nonsmooth::constraint::{Answer, Constraint, Found, Law, Wrench};
use crate::solver::nonsmooth::search::Swept;
use crate::{BodyId, Mobility, Surface, Twist};
use cloth_core::math::perpendicular;
use cloth_core::{Mat3, Vec3};

/// The friction cone of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Cone {
    normal: Vec3,
    friction: f64,
}

impl Law for Cone {
    type Value = Vec3;

    #[inline]
    fn apply(&self, value: &Vec3, sign: f64, arm: &Vec3, sum: &mut Wrench) {
        let impulse = value * sign;
        sum.angular += arm.cross(&impulse);
        sum.linear += impulse;
    }

    #[inline(always)]
    fn allowed(&self, value: Vec3) -> Vec3 {
        let along = value.dot(&self.normal);
        self.impulse(along.max(0.0), value - self.normal * along)
    }
}

impl Cone {
    /// The impulse of a normal and a tangential part. The tangential part is shortened to what
    /// friction can give.
    #[inline(always)]
    fn impulse(&self, normal: f64, mut tangential: Vec3) -> Vec3 {
        let (length, reach) = (tangential.norm(), self.friction * normal);
        if length > reach {
            tangential *= reach / length;
        }
        self.normal * normal + tangential
    }
}

/// A contact. It stays with the rank that treats it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactConstraint {
    cone: Cone,
    arms: [Vec3; 2],
    /// `K n`, kg^-1.
    column: Vec3,
    /// Largest eigenvalue of the tangential part of `K`, kg^-1.
    slide: f64,
    /// Speed at which the points must separate, m/s.
    target: f64,
    /// The speed that the forces give the bodies in a step, m/s.
    speed: f64,
    /// `w` minus the target without impulses, m/s.
    free_gradient: Vec3,
    /// What the points part by on the way besides `w`, m/s. See `path`.
    bend: Vec3,
}

/// A contact with or without rolling resistance.
pub trait Pressing: Constraint<Kept = KeptImpulse> {
    /// A contact of two bodies with the velocities before the response. `counts` has the number of
    /// contacts of each body (any number for a fixed one).
    fn new(
        contact: &Contact,
        sides: &[Side; 2],
        surface: &Surface,
        counts: [u32; 2],
        start: &Begun,
        settings: &ContactSettings,
    ) -> Answer<Self>;
}

impl Pressing for ContactConstraint {
    fn new(
        contact: &Contact,
        sides: &[Side; 2],
        surface: &Surface,
        counts: [u32; 2],
        start: &Begun,
        settings: &ContactSettings,
    ) -> Answer<Self> {
        let normal = contact.normal;
        let mut arms = [0, 1].map(|i| contact.point - sides[i].centre);
        if sides[1].mobility.inverse_mass == 0.0 {
            // The point is on the surface of the movable body.
            arms[1] -= normal * contact.gap.max(0.0);
        }
        let inverse_mass = inverse_effective_mass(&sides[0].mobility, &arms[0])
            * f64::from(counts[0])
            + inverse_effective_mass(&sides[1].mobility, &arms[1]) * f64::from(counts[1]);
        let velocity = sides[0].twist.at(&arms[0]) - sides[1].twist.at(&arms[1]);
        let approach = -velocity.dot(&normal);
        let forces = sides[0].acceleration.norm().max(sides[1].acceleration.norm());
        let h = settings.step_s;
        let rest = REST_STEPS * h * forces;
        let is_impact = approach > rest && approach * h > settings.allowance(contact.gap);
        let ahead = settings.ahead(contact, sides);
        let bounce = surface.restitution * (approach - ahead) - ahead;
        let separation = settings.separation(contact.gap);
        let target = if is_impact && surface.restitution > 0.0 {
            bounce.max(separation)
        } else {
            separation
        };
        let bend = path::bend(sides, &arms, &start.arm, &normal, settings.step_s);
        let cone = Cone { normal, friction: surface.friction };
        let mut value = Vec3::zeros();
        if -rest < approach && approach <= rest {
            value = cone.allowed(start.impulse * (1.0 + approach / rest).min(1.0));
        }
        let contact = Self {
            cone,
            arms,
            column: inverse_mass * normal,
            slide: largest_across(&inverse_mass, &normal),
            target,
            speed: h * forces,
            free_gradient: velocity + bend - normal * target,
            bend,
        };
        Answer::new(contact, value)
    }
}

impl ContactConstraint {
    /// `w` on the way to the middle of the next step.
    #[inline(always)]
    fn on_way(&self, twists: [&Twist; 2]) -> Vec3 {
        self.relative(twists) + self.bend
    }

    #[inline(always)]
    fn relative(&self, twists: [&Twist; 2]) -> Vec3 {
        twists[0].at(&self.arms[0]) - twists[1].at(&self.arms[1])
    }

    /// The error of velocity that this change of the impulse removes, m/s.
    fn error(&self, change: &Vec3) -> f64 {
        let normal = &self.cone.normal;
        let along = change.dot(normal);
        let across = (change - normal * along).norm();
        (along.abs() * self.column.dot(normal)).max(across * self.slide)
    }

    /// The change of the impulse `value` to the one in the friction cone that follows it at the
    /// relative velocity `velocity`.
    #[inline(always)]
    fn change(&self, value: &Vec3, velocity: &Vec3) -> Vec3 {
        let Self { cone, column, .. } = self;
        let n = &cone.normal;
        let old = value.dot(n);
        let normal = (old - (velocity.dot(n) - self.target) / column.dot(n)).max(0.0);
        let velocity = velocity + column * (normal - old);
        let across = velocity - n * velocity.dot(n);
        cone.impulse(normal, value - n * old - across / self.slide) - value
    }
}

impl Constraint for ContactConstraint {
    type Law = Cone;
    type Kept = KeptImpulse;

    const HAS_ROWS: bool = false;

    fn law(&self) -> &Cone {
        &self.cone
    }

    fn start(&impulse: &Vec3, touch: &BodyConstraint) -> Begun {
        Begun { impulse, arm: touch.arm }
    }

    #[inline(always)]
    fn sweep(&mut self, value: &Vec3, twists: [&Twist; 2]) -> [Vec3; 2] {
        let velocity = self.on_way(twists);
        [velocity - self.cone.normal * self.target, self.change(value, &velocity)]
    }

    fn error_m_s(&self, value: &Vec3, twists: [&Twist; 2]) -> f64 {
        self.error(&self.change(value, &self.on_way(twists)))
    }

    fn arms(&self) -> &[Vec3; 2] {
        &self.arms
    }

    fn product(&self, a: &Vec3, b: &Vec3) -> f64 {
        self.column.dot(&self.cone.normal) * a.dot(b)
    }

    #[inline(always)]
    fn swept(&self, value: &Vec3, found: &Found<Vec3>) -> Swept {
        let Found { gradient, change, last } = found;
        Swept {
            descent: -gradient.dot(change),
            conjugacy: gradient.dot(&(last - change)),
            energy: 0.5 * value.dot(&(gradient + self.free_gradient)),
            error: self.error(change),
            speed: self.speed,
        }
    }

    fn along_direction(&self, g: &Vec3, direction: &Vec3, twists: [&Twist; 2]) -> [f64; 2] {
        [-g.dot(direction), self.relative(twists).dot(direction)]
    }
}

/// Velocity of the point at `arm` by a unit impulse there.
fn inverse_effective_mass(mobility: &Mobility, arm: &Vec3) -> Mat3 {
    let cross = arm.cross_matrix();
    Mat3::from_diagonal_element(mobility.inverse_mass) - cross * mobility.inverse_inertia * cross
}

/// The largest eigenvalue of a symmetric matrix, restricted to the plane perpendicular to the unit
/// vector `normal`.
fn largest_across(matrix: &Mat3, normal: &Vec3) -> f64 {
    let s = perpendicular(normal);
    let t = normal.cross(&s);
    let (a, b, c) = (s.dot(&(matrix * s)), s.dot(&(matrix * t)), t.dot(&(matrix * t)));
    let (mean, half) = (0.5 * (a + c), 0.5 * (a - c));
    mean + (half * half + b * b).sqrt()
}

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

    fn of(body: BodyId, touch: &BodyConstraint, start: &Begun) -> Self {
        Self { body, partner: touch.partner, arm: touch.arm, impulse: start.impulse }
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
