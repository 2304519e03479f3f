//! Constraints between bodies: where two bodies touch or are about to touch, and what holds them
//! together ([`joint`]). Besides, the impulses that a step keeps for the next one.
//!
//! `rigid::solver` decides how constraints change velocities.

pub mod joint;

use bytemuck::{Pod, Zeroable};
use nalgebra::UnitQuaternion;

use crate::motion::acceleration;
use crate::{
    Body, BodyId, BodyList, BodyState, FixedBodies, MaterialId, Materials, Mobility, Twist,
};
use cloth_core::Vec3;

/// A constraint between two bodies.
pub trait Between {
    /// Its bodies, and the point at which it acts on both.
    fn ends(&self) -> Ends;
}

/// Two bodies, and a point at which a constraint acts on both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ends {
    /// Place of a movable body in this rank's list.
    pub first: u32,
    /// The other body.
    pub second: Partner,
    /// Shift from the position of the second body to the image of it that is meant, m. It is zero
    /// if no periodic border lies between the bodies.
    pub shift: Vec3,
    /// Number of the constraint among those of the same kind and the same two bodies.
    pub number: u32,
    /// The point, m.
    pub point: Vec3,
}

/// The second body of a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partner {
    /// Place of a movable body in this rank's list.
    Movable(u32),
    /// Place in [`FixedBodies`]. Joints may also have [`FixedBodies::SPACE`] here.
    Fixed(u32),
}

impl Partner {
    /// The place of a movable body. None for a fixed one.
    pub fn movable(self) -> Option<u32> {
        if let Self::Movable(place) = self { Some(place) } else { None }
    }
}

/// A body of a constraint, movable or fixed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Side {
    /// Its id.
    pub id: BodyId,
    /// Its material.
    pub material: MaterialId,
    /// Centre of mass, m.
    pub centre: Vec3,
    /// Rotation from its own frame to space.
    pub rotation: UnitQuaternion<f64>,
    /// Principal moments of inertia, kg m^2. They are equal for a fixed body.
    pub inertia: Vec3,
    /// Its velocity.
    pub twist: Twist,
    /// Its mobility. It is zero for a fixed body.
    pub mobility: Mobility,
    /// Acceleration of the centre of mass by forces, m/s^2. It is zero for a fixed body.
    pub acceleration: Vec3,
}

impl Side {
    /// The side of a movable body.
    pub fn movable(body: &Body, gravity: &Vec3) -> Self {
        Self {
            id: body.id,
            material: body.material,
            centre: body.state.position,
            rotation: body.state.rotation,
            inertia: body.inertia,
            twist: body.state.twist,
            mobility: Mobility::of(body),
            acceleration: acceleration(body, gravity),
        }
    }

    /// The side of a fixed body.
    pub fn fixed(id: BodyId, material: MaterialId, state: &BodyState) -> Self {
        Self {
            id,
            material,
            centre: state.position,
            rotation: state.rotation,
            inertia: Vec3::repeat(1.0),
            twist: state.twist,
            mobility: Mobility::NONE,
            acceleration: Vec3::zeros(),
        }
    }
}

/// The bodies and materials that the constraints of a rank refer to.
#[derive(Clone, Copy)]
pub struct Bodies<'a> {
    /// Movable bodies of this rank, shadow copies included.
    pub movable: BodyList<'a>,
    /// Fixed bodies.
    pub fixed: &'a FixedBodies,
    /// Materials and their surfaces.
    pub materials: &'a Materials,
}

impl Bodies<'_> {
    /// The two bodies of a constraint, with the acceleration of the first by `gravity` (m/s^2).
    pub fn sides(&self, ends: &Ends, gravity: &Vec3) -> [Side; 2] {
        let first = Side::movable(&self.movable.at(ends.first as usize), gravity);
        let mut second = match ends.second {
            Partner::Movable(place) => Side::movable(&self.movable.at(place as usize), gravity),
            Partner::Fixed(place) => {
                let body = self.fixed.bodies().get(place as usize);
                let material = body.map_or(0, |body| body.material);
                Side::fixed(self.fixed.id(place), material, self.fixed.state_at(place))
            }
        };
        second.centre += ends.shift;
        [first, second]
    }
}

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

/// The impulse at a contact in the last step. The next step starts with it (warm start).
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct KeptImpulse {
    /// The first body of the contact.
    pub body: BodyId,
    /// The second body.
    pub partner: BodyId,
    /// Vector from the centre of mass of the first body to the contact, m.
    pub arm: Vec3,
    /// The impulse on the first body, N s.
    pub impulse: Vec3,
}

/// The impulse of a joint in the last step.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct KeptJoint {
    /// The first body.
    pub body: BodyId,
    /// The number of the joint.
    pub joint: u64,
    /// The impulse on the first body along and about the axes of the joint, N s and N m s: six
    /// relative motions, the limits, the motor.
    pub impulse: [f64; 8],
}
