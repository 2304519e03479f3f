//! Vectors and states, from and to Rapier.

use nalgebra::{Quaternion, Unit};
use rapier3d_f64::math::{Pose, Rotation, Vector};
use rapier3d_f64::prelude::RigidBody;

use cloth_core::Vec3;
use cloth_rigid::{BodyState, Twist};

/// A vector.
pub fn vector(vector: &Vec3) -> Vector {
    Vector::new(vector.x, vector.y, vector.z)
}

/// A point and a rotation.
pub fn pose(point: &Vec3, rotation: &Quaternion<f64>) -> Pose {
    let Quaternion { coords } = rotation;
    Pose::from_parts(vector(point), Rotation::from_xyzw(coords.x, coords.y, coords.z, coords.w))
}

/// The pose of a state.
pub fn pose_of(state: &BodyState) -> Pose {
    pose(&state.position, &state.rotation)
}

/// The state of a body.
pub fn state_of(body: &RigidBody) -> BodyState {
    let Pose { translation, rotation, .. } = body.position();
    let of = |vector: Vector| Vec3::new(vector.x, vector.y, vector.z);
    let rotation = Quaternion::new(rotation.w, rotation.x, rotation.y, rotation.z);
    BodyState {
        position: of(*translation),
        rotation: Unit::new_unchecked(rotation),
        twist: Twist { angular: of(body.angvel()), linear: of(body.linvel()) },
    }
}
