//! The coupling of the paper: each worker advances its active bodies alone, and the states of
//! shared bodies are blended (algorithm 4).
//!
//! Positions and velocities are weighted means. Rotations are weighted sums of quaternions of the
//! same sign, made to unit length (Markley, Cheng, Crassidis & Oshman 2007, for small differences).
//! The result is plausible, not exact: two workers see different forces on a shared body, so
//! momentum is lost, and joints open.

use nalgebra::{Quaternion, Unit};

use cloth_core::{Error, Place, Result, Vec3};
use cloth_rigid::{BodyId, BodyState, Twist};

/// The least length of a weighted sum of unit quaternions. Below it the rotations differ so much
/// that their mean means nothing.
const LEAST_LENGTH: f64 = 0.5;

/// The mean of the states that workers found for the body `id`, with their weights.
///
/// # Errors
/// If the rotations are too different.
pub fn blended(id: BodyId, all: impl Iterator<Item = (BodyState, f64)>) -> Result<BodyState> {
    let zero = Vec3::zeros();
    let (mut position, mut twist) = (zero, Twist { angular: zero, linear: zero });
    let mut rotation = Quaternion::new(0.0, 0.0, 0.0, 0.0);
    for (state, weight) in all {
        position += state.position * weight;
        twist.linear += state.twist.linear * weight;
        twist.angular += state.twist.angular * weight;
        let sign = if rotation.dot(&state.rotation) < 0.0 { -1.0 } else { 1.0 };
        rotation += state.rotation.into_inner() * (sign * weight);
    }
    let length = rotation.norm();
    if length < LEAST_LENGTH {
        let cause = "its workers turned it to opposite sides, so there is no mean rotation";
        let remedy = "raise `steps_per_frame`, or use fewer workers";
        return Err(Error::input(Place::Body(id), cause, remedy));
    }
    Ok(BodyState { position, rotation: Unit::new_unchecked(rotation / length), twist })
}
