//! Vectors, matrices and the transcendental functions of the kernels.
//!
//! Transcendental functions come from `libm`, so that they give the same bits on every machine.
//! Square roots of the processor are used, because IEEE 754 rounds them correctly.

use std::hash::Hasher;

/// A vector in space: a position or displacement (m), a velocity (m/s, rad/s), a force (N).
pub type Vec3 = nalgebra::Vector3<f64>;
/// A point or vector in a triangle's own rest plane.
pub type Vec2 = nalgebra::Vector2<f64>;
/// A 3x3 matrix, stored by columns: a block of the system matrix, a rotation or an inertia.
pub type Mat3 = nalgebra::Matrix3<f64>;
/// A matrix in a triangle's own rest plane.
pub type Mat2 = nalgebra::Matrix2<f64>;
/// A deformation gradient: rest plane to space.
pub type Mat3x2 = nalgebra::Matrix3x2<f64>;

/// Rotation by `angle_deg` degrees about `axis`, by Rodrigues' formula. The axis may have any
/// length. A zero axis gives the identity.
pub fn rotation(axis: Vec3, angle_deg: f64) -> Mat3 {
    let length = axis.norm();
    if length == 0.0 || angle_deg == 0.0 {
        return Mat3::identity();
    }
    let k = (axis / length).cross_matrix();
    let angle = angle_deg.to_radians();
    Mat3::identity() + k * libm::sin(angle) + k * k * (1.0 - libm::cos(angle))
}

/// A hash of 64 bits: the finaliser of SplitMix64 (Steele, Lea & Flood 2014).
pub fn mix(z: u64) -> u64 {
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// A hasher by [`mix`] for maps with integer keys whose order does not matter.
#[derive(Debug, Default)]
pub struct MixHasher(u64);

impl Hasher for MixHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = mix(self.0 ^ value.wrapping_add(0x9e37_79b9_7f4a_7c15));
    }
}

/// The largest power of two that is at most `x`, for a normal `x > 0`. Unlike a logarithm it has the
/// same bits on all machines.
pub fn power_of_two_below(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & f64::INFINITY.to_bits())
}

/// A unit vector perpendicular to the unit vector `normal`.
#[inline]
pub fn perpendicular(normal: &Vec3) -> Vec3 {
    let axis = if normal.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() };
    normal.cross(&axis).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarter_turn_about_y_takes_z_to_x() {
        let turned = rotation(Vec3::new(0.0, 2.0, 0.0), 90.0) * Vec3::z();
        assert!((turned - Vec3::x()).norm() < 1e-15);
    }
}
