//! The constraint of a contact on each of its bodies (Iglberger & Rüde 2009; Kaufman, Edmunds &
//! Pai 2005).
//!
//! | symbol | |
//! |---|---|
//! | `n` | unit normal, from the second body to the first |
//! | `a` | arm: contact point minus centre of mass |
//! | `N = (a x n, n)` | dual twist: `N . phi` is the speed of the body's contact point along `n` |
//! | `1/p` | speed along `n` that a unit impulse along `n` gives the body at the contact |
//! | `v_i` | `N_i . phi_i` before the response |
//! | `d` | common speed: `(p_1 v_1 + p_2 v_2) / (p_1 + p_2)`, or that of a fixed body |
//!
//! A contact is active if the bodies approach so fast that the gap closes within a step,
//! `v_2 - v_1 > gap / h`. Body 1 then gets `N . phi >= d + s_1`, and body 2
//! `-N . phi >= -d + s_2`.
//!
//! **Overlap.** The bodies must separate with `u = correction * overlap / h`. This differs from
//! the printed method in two ways. First, the shares `s_i` are in the ratio of `1/p_i`. Then both
//! bodies get opposite impulses, and momentum is kept. Second, restitution `e` is taken into
//! account. The response is multiplied by `1 + e` later, so `s_1 + s_2 = (max(u, w) - e (v_2 -
//! v_1)) / (1 + e)`, where `w` is the speed of the bounce ([`ContactSettings::ahead`]). Otherwise
//! a bounce would gain energy from the overlap in which it is found.
//!
//! **Gap.** Bodies that meet before the next search for contacts bounce at once. Without
//! restitution they may close the gap: `s_1 + s_2 = -gap / h`, where the gap is reduced by the gap
//! at which bodies rest.
//!
//! **Rest.** Bodies that approach no faster than their forces accelerate them in two steps count
//! as resting on each other. They do not bounce.

use bytemuck::{Pod, Zeroable};

use crate::BodyId;
use crate::constraint::{Between, Bodies, Contact, ContactSettings, Partner, REST_STEPS, Side};
use cloth_core::Vec3;

/// The constraint of one contact on one body. Plain data, because it is sent to the owner of the
/// body.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct FfdConstraint {
    /// The body.
    pub body: BodyId,
    /// The other body.
    pub partner: BodyId,
    /// Number of the contact among those of the two bodies.
    pub feature: u64,
    /// Contact point minus centre of mass, m.
    pub arm: Vec3,
    /// Unit normal towards this body.
    pub normal: Vec3,
    /// Common velocity of the two contact points, m/s.
    pub common: Vec3,
    /// Speed in addition to the common one, along the normal, that removes overlap, m/s. Below 0
    /// if there is a gap that may close.
    pub separation: f64,
    /// Coefficient of restitution; 0 at rest.
    pub restitution: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// 1 if the other body can give way, 0 if it is fixed.
    pub gives_way: f64,
}

/// The constraints of an active contact: on the first body, and on the second one if it is
/// movable. `None` if the contact is not active.
pub fn constraints(
    bodies: &Bodies,
    contact: &Contact,
    settings: &ContactSettings,
) -> Option<(FfdConstraint, Option<FfdConstraint>)> {
    let sides = bodies.sides(&contact.ends(), &settings.gravity);
    let approach = Approach::new(contact, &sides, settings)?;
    let surface = bodies.materials.surface(sides[0].material, sides[1].material);
    let [first, second] = approach.constraints(contact, &sides, surface.friction, {
        if approach.is_rest { 0.0 } else { surface.restitution }
    });
    Some((first, matches!(contact.second, Partner::Movable(_)).then_some(second)))
}

/// How the two points of an active contact move.
struct Approach {
    arms: [Vec3; 2],
    /// `v_2 - v_1`, above 0, m/s.
    speed: f64,
    /// Tangential part of the second point's velocity minus the first one's, m/s.
    slip: Vec3,
    velocities: [Vec3; 2],
    /// Speed of separation that the overlap requires, m/s. Below 0, it is a speed of approach that
    /// the gap allows.
    push: f64,
    /// Part of `speed` that comes from the forces of the second half of the step, m/s.
    ahead: f64,
    is_rest: bool,
}

impl Approach {
    fn new(contact: &Contact, sides: &[Side; 2], settings: &ContactSettings) -> Option<Self> {
        let normal = &contact.normal;
        let arms = [contact.point - sides[0].centre, contact.point - sides[1].centre];
        let velocities = [sides[0].twist.at(&arms[0]), sides[1].twist.at(&arms[1])];
        let relative = velocities[1] - velocities[0];
        let speed = relative.dot(normal);
        if speed * settings.step_s <= settings.allowance(contact.gap) {
            return None;
        }
        let forces = sides[0].acceleration.norm().max(sides[1].acceleration.norm());
        Some(Self {
            arms,
            speed,
            slip: relative - normal * speed,
            velocities,
            push: settings.separation(contact.gap),
            ahead: settings.ahead(contact, sides),
            is_rest: speed <= REST_STEPS * settings.step_s * forces,
        })
    }

    fn constraints(
        &self,
        contact: &Contact,
        sides: &[Side; 2],
        friction: f64,
        restitution: f64,
    ) -> [FfdConstraint; 2] {
        let normal = contact.normal;
        // Fraction of a change of the relative velocity that the first body takes.
        let share = |direction: &Vec3| {
            let [first, second] = [0, 1].map(|i| sides[i].mobility.along(&self.arms[i], direction));
            first / (first + second)
        };
        let across = share(&normal);
        let slip = self.slip.norm();
        let along = if slip > 0.0 { share(&(self.slip / slip)) } else { across };
        let common = self.velocities[0] + normal * (self.speed * across) + self.slip * along;
        let beyond = if restitution > 0.0 {
            let bounce = restitution * (self.speed - self.ahead) - self.ahead;
            (self.push.max(bounce) - restitution * self.speed) / (1.0 + restitution)
        } else {
            self.push
        };
        let constraint = |own: usize, sign: f64, share: f64| FfdConstraint {
            body: sides[own].id,
            partner: sides[1 - own].id,
            feature: u64::from(contact.feature),
            arm: self.arms[own],
            normal: normal * sign,
            common,
            separation: beyond * share,
            restitution,
            friction,
            gives_way: if sides[1 - own].mobility.inverse_mass > 0.0 { 1.0 } else { 0.0 },
        };
        [constraint(0, 1.0, across), constraint(1, -1.0, 1.0 - across)]
    }
}
