//! The two bodies of a constraint.

use nalgebra::UnitQuaternion;

use crate::body::{Body, BodyId, BodyState, MaterialId, Twist};
use crate::fixed::FixedBodies;
use crate::material::Materials;
use crate::motion::{Mobility, acceleration};
use crate::table::BodyList;
use cloth_core::math::Vec3;

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
