//! Joints: what holds two bodies together, or a body to a place.
//!
//! | module | |
//! |---|---|
//! | [`kind`] | which relative motions each kind of joint locks |
//! | [`pose`] | where the first frame of a joint is, seen from the second |
//! | [`body_joint`] | a joint of bodies in the step of cloth |
//! | [`forces`] | its forces in one step |
//!
//! A joint has a frame on each body: a point and three axes. The motion of the first frame, seen
//! from the second, has six components: three translations and three rotations. A joint locks some
//! of them. Of one of the others, along or about the x axis, it can limit the range, or drive the
//! speed.

pub mod body_joint;
pub mod forces;
pub mod kind;
pub mod pose;

use nalgebra::{Quaternion, Unit, UnitQuaternion};

use self::kind::JointKind;
use cloth_core::Vec3;

/// A point and three axes on a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointFrame {
    /// The point, m.
    pub point: Vec3,
    /// The rotation from the axes to the body's own frame.
    pub rotation: UnitQuaternion<f64>,
}

/// Point (m) and rotation of a frame in space.
pub type FrameInSpace = (Vec3, UnitQuaternion<f64>);

/// What a joint does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointSettings {
    /// Which relative motions it locks.
    pub kind: JointKind,
    /// The range of the motion along or about the x axis, m or rad. Without limits it is infinite.
    pub range: [f64; 2],
    /// What drives this motion.
    pub motor: Option<Motor>,
    /// How it gives way to forces, m/N. It is 0 for a rigid joint.
    pub compliance: f64,
    /// How it gives way to torques, rad/(N m).
    pub turn_compliance: f64,
    /// Damping of a compliant joint, N s/m.
    pub damping: f64,
    /// Damping of the rotation of a compliant joint, N m s/rad.
    pub turn_damping: f64,
    /// True if its bodies collide.
    pub collide: bool,
}

/// Drives the motion along or about the x axis of a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motor {
    /// The speed of the first body, seen from the second, m/s or rad/s.
    pub speed: f64,
    /// The largest force or torque, N or N m.
    pub most: f64,
}

impl JointSettings {
    /// A rigid joint of this kind, without limits and motor. Its bodies do not collide.
    pub fn new(kind: JointKind) -> Self {
        Self {
            kind,
            range: [f64::NEG_INFINITY, f64::INFINITY],
            motor: None,
            compliance: 0.0,
            turn_compliance: 0.0,
            damping: 0.0,
            turn_damping: 0.0,
            collide: false,
        }
    }

    /// True if it gives way to forces or torques.
    pub fn is_compliant(&self) -> bool {
        self.compliance > 0.0 || self.turn_compliance > 0.0
    }

    /// True if the ends of its range give way to forces. Those of angles and sliders are rigid.
    pub fn is_range_compliant(&self) -> bool {
        self.kind == JointKind::Distance && self.compliance > 0.0
    }
}

/// The rotation that turns the x axis to `axis`, which may have any length but 0.
pub fn axes_along(axis: &Vec3) -> UnitQuaternion<f64> {
    // The quaternion half way from x to the axis. Opposite vectors have no shortest turn.
    let axis = axis.normalize();
    let normal = Vec3::x().cross(&axis);
    let half = Quaternion::new(1.0 + axis.x, normal.x, normal.y, normal.z);
    UnitQuaternion::try_new(half, 1e-12)
        .unwrap_or_else(|| Unit::new_unchecked(Quaternion::new(0.0, 0.0, 1.0, 0.0)))
}

impl JointFrame {
    /// The frame on a body that is at `point` (m) with the axes of `rotation` in space. The body is
    /// at `position` (m) and turned by `turn`.
    pub fn of(
        (position, turn): (&Vec3, &UnitQuaternion<f64>),
        point: &Vec3,
        rotation: &UnitQuaternion<f64>,
    ) -> Self {
        let inverse = turn.inverse();
        Self { point: inverse.transform_vector(&(point - position)), rotation: inverse * rotation }
    }

    /// Point (m) and rotation of the frame in space, if its body is at `position` (m) and turned by
    /// `turn`.
    pub fn at(&self, position: &Vec3, turn: &UnitQuaternion<f64>) -> FrameInSpace {
        (position + turn.transform_vector(&self.point), turn * self.rotation)
    }
}
