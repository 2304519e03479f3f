//! A 3x3 block of the system matrix, as a symmetric and a skew part.
//!
//! `B u = S u + a x u`. The blocks of an element sum to zero in each row. Rounding changes the
//! symmetric parts, and the diagonal makes up for it; the skew parts it must not change, or cloth
//! that moves as a whole would feel forces. So elements give axes that are multiples of a
//! [`Quantum`], and sums of few of them are exact in single precision.

use crate::linear::symmetric3::Symmetric3;
use crate::math::power_of_two_below;
use crate::{Mat3, Vec3};

/// Bits of an axis of the expected size. Axes of up to 2^6 times this size are summed exactly.
const BITS: i32 = 18;

/// A block of row and column.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Block {
    /// The symmetric part.
    pub symmetric: Symmetric3,
    /// The axis `a` of the skew part.
    pub axis: Vec3,
}

impl Block {
    /// The parts of `a`.
    pub fn of(a: &Mat3) -> Self {
        let axis = Vec3::new(a.m32 - a.m23, a.m13 - a.m31, a.m21 - a.m12) * 0.5;
        let mut symmetric = Symmetric3::default();
        symmetric.add(a);
        Self { symmetric, axis }
    }

    /// `scale a b^T`, with another axis.
    #[inline(always)]
    pub fn of_product(a: &Vec3, b: &Vec3, scale: f64, axis: Vec3) -> Self {
        let symmetric = [
            a.x * b.x * scale,
            0.5 * (a.x * b.y + a.y * b.x) * scale,
            0.5 * (a.x * b.z + a.z * b.x) * scale,
            a.y * b.y * scale,
            0.5 * (a.y * b.z + a.z * b.y) * scale,
            a.z * b.z * scale,
        ];
        Self { symmetric: Symmetric3::new(symmetric), axis }
    }

    /// The block of column and row.
    #[inline(always)]
    pub fn transpose(&self) -> Self {
        Self { axis: -self.axis, ..*self }
    }

    /// Its entries in single precision: xx, xy, xz, yy, yz, zz of the symmetric part, then the axis.
    #[inline(always)]
    pub fn narrow(&self) -> [f32; 9] {
        let [xx, xy, xz, yy, yz, zz] = self.symmetric.entries();
        let all = [xx, xy, xz, yy, yz, zz, self.axis.x, self.axis.y, self.axis.z];
        // A loop: closures given to array functions are not always inlined.
        let mut narrow = [0.0; 9];
        for k in 0..9 {
            narrow[k] = all[k] as f32;
        }
        narrow
    }

    /// `B u`.
    #[inline(always)]
    pub(super) fn times(&self, u: &Vec3) -> Vec3 {
        self.symmetric.times(u) + self.axis.cross(u)
    }

    /// The block as a matrix.
    pub fn matrix(&self) -> Mat3 {
        self.symmetric.matrix() + self.axis.cross_matrix()
    }
}

/// What the axes of the blocks of a cloth are multiples of: a power of two.
#[derive(Debug, Clone, Copy)]
pub struct Quantum {
    /// Adding and subtracting this rounds to multiples.
    shift: f64,
}

impl Quantum {
    /// For blocks of about `size` (kg).
    pub fn new(size: f64) -> Self {
        let quantum = 2.0 * power_of_two_below(size) / f64::from(1 << BITS);
        Self { shift: 1.5 * quantum / f64::EPSILON }
    }

    /// The multiple nearest to `axis`.
    #[inline(always)]
    pub fn round(&self, axis: Vec3) -> Vec3 {
        axis.map(|x| (x + self.shift) - self.shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_block_and_axes_are_multiples() {
        let a = Mat3::new(1.0, 2.0, 3.0, -4.0, 5.0, 6.0, 7.5, -8.0, 9.0);
        let (block, u) = (Block::of(&a), Vec3::new(0.3, -0.7, 1.1));
        assert_eq!(block.matrix(), a);
        assert!((block.times(&u) - a * u).norm() < 1e-14);
        assert!((block.transpose().times(&u) - a.transpose() * u).norm() < 1e-14);
        let quantum = Quantum::new(3.0);
        let (x, y) = (Vec3::new(0.1, -2.7, 150.0), Vec3::new(0.2, 3.3, -99.0));
        let [x, y] = [x, y].map(|axis| quantum.round(axis));
        let narrow = |axis: Vec3| axis.map(|x| x as f32);
        assert!((x - Vec3::new(0.1, -2.7, 150.0)).amax() < 1e-5);
        assert_eq!(narrow(x) + narrow(y), narrow(x + y));
        assert_eq!(narrow(x).map(f64::from), x);
    }
}
