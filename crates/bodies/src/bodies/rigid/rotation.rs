//! How a rigid body turns: its rotation, and its angular velocity without torque.
//!
//! **Rotation.** `q <- exp(omega dt / 2) q`: the exponential map, exact for a constant angular
//! velocity.
//!
//! **Gyroscopic term.** Euler's equation without torque in the body's own frame, by the implicit
//! midpoint rule: `I (w' - w) + dt (m x I m) = 0` with `m = (w + w') / 2`. The rule keeps the energy
//! `w . I w / 2` and the length of `I w`, because both are quadratic and their rates vanish at `m`.
//! The implicit Euler rule, which games use, brakes a spinning body.

use nalgebra::{Quaternion, Unit, UnitQuaternion};

use cloth_core::{Mat3, Vec3};

/// Square of the half angle (rad^2) below which six terms of the series give sine and cosine in
/// full precision.
const SMALL_HALF_ANGLE_SQUARED: f64 = 1.0 / 64.0;

/// Square of the half angle (rad^2) below which three terms of the series are enough.
const TINY_HALF_ANGLE_SQUARED: f64 = 1e-5;

/// Largest number of Newton iterations for the gyroscopic term. At `h |omega| = 1` and above, 5
/// are needed.
const NEWTON_ITERATIONS: usize = 8;

/// `rotation` followed by a second rotation. The axis of the second one is the direction of `turn`
/// in space, and its angle is the length of `turn` (rad).
pub fn turned(rotation: &UnitQuaternion<f64>, turn: &Vec3) -> UnitQuaternion<f64> {
    let half = turn * 0.5;
    let x = half.norm_squared();
    let (sinc, cos) = if x < SMALL_HALF_ANGLE_SQUARED { series(x) } else { exact(x) };
    let v = half * sinc;
    let product = Quaternion::new(cos, v.x, v.y, v.z) * rotation.into_inner();
    // The length differs from 1 by rounding alone, so one Newton step corrects it.
    Unit::new_unchecked(product * (1.5 - 0.5 * product.norm_squared()))
}

/// Axis times angle (rad) of a rotation, by the shorter way: the angle is at most half a turn. The
/// functions of nalgebra call the standard library, whose bits differ between machines.
pub fn turn(rotation: &UnitQuaternion<f64>) -> Vec3 {
    let (imaginary, real) = (rotation.imag(), rotation.w);
    let sine = imaginary.norm();
    if sine == 0.0 {
        return Vec3::zeros();
    }
    let angle = 2.0 * libm::atan2(if real < 0.0 { -sine } else { sine }, real.abs());
    imaginary * (angle / sine)
}

/// `sin(a) / a` and `cos(a)` of a small angle, from `x = a^2`.
#[inline]
fn series(x: f64) -> (f64, f64) {
    if x < TINY_HALF_ANGLE_SQUARED {
        return (1.0 - x * (1.0 / 6.0 - x * (1.0 / 120.0)), 1.0 - x * (0.5 - x * (1.0 / 24.0)));
    }
    let sinc =
        1.0 - x / 6.0 * (1.0 - x / 20.0 * (1.0 - x / 42.0 * (1.0 - x / 72.0 * (1.0 - x / 110.0))));
    let cos =
        1.0 - x / 2.0 * (1.0 - x / 12.0 * (1.0 - x / 30.0 * (1.0 - x / 56.0 * (1.0 - x / 90.0))));
    (sinc, cos)
}

fn exact(x: f64) -> (f64, f64) {
    let angle = x.sqrt();
    (libm::sin(angle) / angle, libm::cos(angle))
}

/// True if all three principal moments of inertia are equal, so that every axis is a principal
/// axis.
#[inline]
pub fn is_isotropic(inertia: &Vec3) -> bool {
    inertia.x == inertia.y && inertia.y == inertia.z
}

/// The angular velocity (rad/s) of a body with the principal moments `inertia` (kg m^2) after `dt_s`
/// seconds without torque, in its own frame.
pub fn gyroscopic(inertia: &Vec3, omega: Vec3, dt_s: f64) -> Vec3 {
    // The unknown is the midpoint m: 2 I (m - w) + dt (m x I m) = 0.
    let mut mid = omega;
    for _ in 0..NEWTON_ITERATIONS {
        let momentum = inertia.component_mul(&mid);
        let residual = 2.0 * inertia.component_mul(&(mid - omega)) + dt_s * mid.cross(&momentum);
        let jacobian = Mat3::from_diagonal(&(2.0 * inertia))
            + dt_s * (mid.cross_matrix() * Mat3::from_diagonal(inertia) - momentum.cross_matrix());
        let Some(inverse) = jacobian.try_inverse() else { return omega };
        let change = inverse * residual;
        mid -= change;
        if change.norm_squared() <= 1e-32 * mid.norm_squared() {
            break;
        }
    }
    2.0 * mid - omega
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_and_library_agree_where_they_meet() {
        let most = SMALL_HALF_ANGLE_SQUARED;
        for x in [0.9 * most, 0.999 * most, 1e-4, 0.99 * TINY_HALF_ANGLE_SQUARED, 1e-9] {
            let ((a, b), (c, d)) = (series(x), exact(x));
            assert!((a - c).abs() < 3e-16 && (b - d).abs() < 3e-16, "{x}: {} {}", a - c, b - d);
        }
    }
}
