//! A rigid body. These values are the same on all ranks that know the body.

use bytemuck::{Pod, Zeroable};
use nalgebra::{Quaternion, Unit, UnitQuaternion};

use crate::Shape;
use cloth_core::Vec3;

/// The number of a body: its place in the scene. It never changes and does not depend on ranks.
pub type BodyId = u64;

/// The number of a material: its place in the scene.
pub type MaterialId = u16;

/// The velocity of a rigid body, or a change of velocity: `phi = (omega, v)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Twist {
    /// Angular velocity, rad/s.
    pub angular: Vec3,
    /// Velocity of the centre of mass, m/s.
    pub linear: Vec3,
}

impl Twist {
    /// No motion.
    pub const ZERO: Self =
        Self { angular: Vec3::new(0.0, 0.0, 0.0), linear: Vec3::new(0.0, 0.0, 0.0) };

    /// The velocity of the point at `arm` (m) from the centre of mass, m/s.
    pub fn at(&self, arm: &Vec3) -> Vec3 {
        self.linear + self.angular.cross(arm)
    }
}

/// Position, rotation and velocity of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyState {
    /// Centre of mass, m.
    pub position: Vec3,
    /// Rotation from the body's own frame to space.
    pub rotation: UnitQuaternion<f64>,
    /// Velocity.
    pub twist: Twist,
}

impl BodyState {
    /// At the origin, not turned and at rest. It is the state of space.
    pub const AT_REST: Self = Self {
        position: Vec3::new(0.0, 0.0, 0.0),
        rotation: Unit::new_unchecked(Quaternion::new(1.0, 0.0, 0.0, 0.0)),
        twist: Twist::ZERO,
    };
}

/// A shape with its position and rotation.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    /// The shape.
    pub shape: &'a Shape,
    /// Its origin, m.
    pub position: Vec3,
    /// Rotation from its own frame to space.
    pub rotation: UnitQuaternion<f64>,
}

impl<'a> Placed<'a> {
    /// `shape` in the pose of `state`.
    pub fn new(shape: &'a Shape, state: &BodyState) -> Self {
        Self { shape, position: state.position, rotation: state.rotation }
    }

    /// Transforms a point from space (m) to the shape's own frame.
    pub fn to_own(&self, point: &Vec3) -> Vec3 {
        self.rotation.inverse_transform_vector(&(point - self.position))
    }

    /// Transforms a point from the shape's own frame (m) to space.
    pub fn to_space(&self, point: &Vec3) -> Vec3 {
        self.position + self.rotation.transform_vector(point)
    }

    /// The ends of a segment along the shape's own y axis, m. `half_length` is half its length (m).
    pub fn segment(&self, half_length: f64) -> [Vec3; 2] {
        let half = self.rotation.transform_vector(&(Vec3::y() * half_length));
        [self.position - half, self.position + half]
    }
}

/// Force and torque that act on a body in a step, without gravity.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Load {
    /// Force through the centre of mass, N.
    pub force: Vec3,
    /// Torque, N m.
    pub torque: Vec3,
}

impl Load {
    /// Nothing acts.
    pub const NONE: Self =
        Self { force: Vec3::new(0.0, 0.0, 0.0), torque: Vec3::new(0.0, 0.0, 0.0) };

    /// The bits of force and torque.
    pub(super) fn bits(&self) -> [u64; 6] {
        bytemuck::cast(*self)
    }
}

/// A movable body, or a shadow copy of one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Body {
    /// Its number.
    pub id: BodyId,
    /// Its geometry.
    pub shape: Shape,
    /// Its material.
    pub material: MaterialId,
    /// Mass, kg.
    pub mass: f64,
    /// Principal moments of inertia about the axes of its own frame, kg m^2.
    pub inertia: Vec3,
    /// Position, rotation and velocity.
    pub state: BodyState,
    /// The load in this step.
    pub load: Load,
}
