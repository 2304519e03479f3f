//! Contacts, and the constraints that they put on bodies (Iglberger & Rüde 2009; Kaufman, Edmunds
//! & Pai 2005).
//!
//! | symbol | |
//! |---|---|
//! | `n` | unit normal, from the second body to the first |
//! | `a` | arm: contact point minus centre of mass |
//! | `N = (a x n, n)` | dual twist: `N . phi` is the speed of the body's contact point along `n` |
//! | `1/p` | speed along `n` that a unit impulse along `n` gives the body at the contact |
//! | `v_i` | `N_i . phi_i` before the response |
//! | `d` | common speed: `(p_1 v_1 + p_2 v_2) / (p_1 + p_2)`; of the fixed body if there is one |
//!
//! A contact is active if the bodies approach faster than closes the gap in a step,
//! `v_2 - v_1 > gap / h`. Body 1 then gets `N . phi >= d + s_1`, and body 2 `-N . phi >= -d + s_2`.
//!
//! **Overlap.** The bodies are to separate with `u = correction * overlap / h`. Here this differs
//! from the printed method in two ways. The shares `s_i` are in the ratio of `1/p_i`: then both
//! bodies get opposite impulses, and momentum is kept. And restitution `e` counts: the response is
//! multiplied by `1 + e` later, so `s_1 + s_2 = (max(u, w) - e (v_2 - v_1)) / (1 + e)`, where `w`
//! is the speed of the bounce ([`ContactSettings::ahead`]). Otherwise a bounce would gain energy
//! from the overlap in which it is found.
//!
//! **Gap.** Bodies that meet before contacts are found again bounce at once; without restitution
//! they may close the gap: `s_1 + s_2 = -gap / h`, less the gap at which bodies rest.
//!
//! **Rest.** Bodies that approach no faster than their forces accelerate them in two steps are
//! taken to rest on each other: they do not bounce.

use bytemuck::{Pod, Zeroable};

use crate::math::Vec3;
use crate::rigid::body::{Body, BodyId, BodyState, MaterialId, Twist};
use crate::rigid::fixed::FixedBodies;
use crate::rigid::material::Materials;
use crate::rigid::motion::{Mobility, acceleration};
use crate::rigid::table::BodyList;

/// Bodies that approach no faster than their forces accelerate them in so many steps do not bounce.
pub const REST_STEPS: f64 = 2.0;

/// Bodies rest at gaps of 0 to so many times the way `h^2 g` that gravity moves them in a step.
/// Contacts at rest are not lost then. Without such a range heaps of spheres quiver at 0.05 m/s.
/// With at most 5 % of a radius, impacts with long steps overlap twice as deeply.
const REST_GAP_STEPS: f64 = 4.0;

/// Two bodies that touch at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Place of a movable body in this rank's list.
    pub first: u32,
    /// The other body. If it is movable, its id is above that of the first.
    pub second: Partner,
    /// Where the second body is across periodic borders, seen from where its owner has it, m. Zero
    /// if it is not across.
    pub shift: Vec3,
    /// Number of this contact among those of the two bodies.
    pub feature: u32,
    /// Where they touch: between the two surfaces, half way if they overlap, m.
    pub point: Vec3,
    /// Unit normal, from the second body to the first.
    pub normal: Vec3,
    /// Distance of the surfaces, m: below 0 if they overlap.
    pub gap: f64,
}

/// The second body of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partner {
    /// Place of a movable body in this rank's list.
    Movable(u32),
    /// Place in [`FixedBodies`].
    Fixed(u32),
}

/// What all contacts of a step share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactSettings {
    /// Length of the step, s.
    pub step_s: f64,
    /// Gravity, m/s^2.
    pub gravity: Vec3,
    /// Share of an overlap that is removed in a step, 0 to 1.
    pub penetration_correction: f64,
}

impl ContactSettings {
    /// The part of the speed of approach at a contact that forces give in the second half of the
    /// step, m/s. Velocities have it in the middle of the step already, when bodies meet. So bodies
    /// part with `e (v - a) - a`. Then an elastic ball that bounces on a floor keeps its energy.
    pub fn ahead(&self, contact: &Contact, sides: &[Side; 2]) -> f64 {
        let relative = sides[1].acceleration - sides[0].acceleration;
        0.5 * self.step_s * relative.dot(&contact.normal)
    }

    /// The gap at which bodies rest, at most, m.
    pub fn rest_gap(&self) -> f64 {
        REST_GAP_STEPS * self.fall()
    }

    /// How far gravity moves a body in a step, m.
    pub fn fall(&self) -> f64 {
        self.step_s * self.step_s * self.gravity.norm()
    }

    /// How far surfaces at the distance `gap` (m) may approach until contacts are found next, m.
    pub fn allowance(&self, gap: f64) -> f64 {
        (gap - self.rest_gap()).max(0.0)
    }

    /// The least speed at which surfaces at the distance `gap` (m) are to separate, m/s: below 0 if
    /// they may approach.
    pub fn separation(&self, gap: f64) -> f64 {
        if gap < 0.0 {
            -self.penetration_correction * gap / self.step_s
        } else {
            -self.allowance(gap) / self.step_s
        }
    }
}

/// What one contact asks of one body. Plain data: it travels to the owner of the body.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Constraint {
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
    /// Speed beyond the common one, along the normal, that removes overlap, m/s. Below 0 if there
    /// is a gap to be closed.
    pub separation: f64,
    /// Coefficient of restitution; 0 at rest.
    pub restitution: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// 1 if the other body can give way, 0 if it is fixed.
    pub gives_way: f64,
}

/// A body at a contact, movable or fixed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Side {
    /// Its id.
    pub id: BodyId,
    /// Its material.
    pub material: MaterialId,
    /// Centre of mass, m.
    pub centre: Vec3,
    /// Its velocity.
    pub twist: Twist,
    /// How it gives way.
    pub mobility: Mobility,
    /// Its acceleration by forces, m/s^2.
    pub acceleration: Vec3,
}

impl Side {
    /// Of a movable body.
    pub fn movable(body: &Body, settings: &ContactSettings) -> Self {
        Self {
            id: body.id,
            material: body.material,
            centre: body.state.position,
            twist: body.state.twist,
            mobility: Mobility::of(body),
            acceleration: acceleration(body, &settings.gravity),
        }
    }

    /// Of a fixed body.
    pub fn fixed(id: BodyId, material: MaterialId, state: &BodyState) -> Self {
        Self {
            id,
            material,
            centre: state.position,
            twist: state.twist,
            mobility: Mobility::NONE,
            acceleration: Vec3::zeros(),
        }
    }
}

/// What all contacts of a rank refer to.
#[derive(Clone, Copy)]
pub struct Bodies<'a> {
    /// Movable bodies of this rank, shadow copies too.
    pub movable: BodyList<'a>,
    /// Fixed bodies.
    pub fixed: &'a FixedBodies,
    /// How they meet.
    pub materials: &'a Materials,
}

impl Bodies<'_> {
    /// The two bodies of a contact.
    pub fn sides(&self, contact: &Contact, settings: &ContactSettings) -> [Side; 2] {
        let first = Side::movable(&self.movable.at(contact.first as usize), settings);
        let mut second = match contact.second {
            Partner::Movable(place) => Side::movable(&self.movable.at(place as usize), settings),
            Partner::Fixed(place) => {
                let body = &self.fixed.bodies()[place as usize];
                Side::fixed(body.id, body.material, &self.fixed.states()[place as usize])
            }
        };
        second.centre += contact.shift;
        [first, second]
    }

    /// The constraints of an active contact: on the first body, and on the second one if it is
    /// movable. `None` if the contact is not active.
    pub fn constraints(
        &self,
        contact: &Contact,
        settings: &ContactSettings,
    ) -> Option<(Constraint, Option<Constraint>)> {
        let sides = self.sides(contact, settings);
        let approach = Approach::new(contact, &sides, settings)?;
        let surface = self.materials.surface(sides[0].material, sides[1].material);
        let [first, second] = approach.constraints(contact, &sides, surface.friction, {
            if approach.is_rest { 0.0 } else { surface.restitution }
        });
        Some((first, matches!(contact.second, Partner::Movable(_)).then_some(second)))
    }
}

/// How the two points of an active contact move.
struct Approach {
    arms: [Vec3; 2],
    /// `v_2 - v_1`, above 0, m/s.
    speed: f64,
    /// The second point's velocity minus the first one's, without its part along the normal, m/s.
    slip: Vec3,
    velocities: [Vec3; 2],
    /// Separating speed that the overlap asks for, m/s. Below 0: speed of approach that the gap
    /// allows.
    push: f64,
    /// Part of `speed` by the forces of the second half of the step, m/s.
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
    ) -> [Constraint; 2] {
        let normal = contact.normal;
        // Share of the first body in a change of the relative velocity.
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
        let constraint = |own: usize, sign: f64, share: f64| Constraint {
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
