//! Symmetric 3x3 matrices, stored in six numbers.

use crate::math::{Mat3, Vec3};

/// A symmetric 3x3 matrix: xx, xy, xz, yy, yz, zz.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Symmetric3([f64; 6]);

impl Symmetric3 {
    /// The symmetric matrix `a`.
    pub(super) fn of(a: &Mat3) -> Self {
        Self([a[(0, 0)], a[(0, 1)], a[(0, 2)], a[(1, 1)], a[(1, 2)], a[(2, 2)]])
    }

    /// The symmetric part of `a`.
    pub(super) fn part_of(a: &Mat3) -> Self {
        Self::of(&((a + a.transpose()) * 0.5))
    }

    /// The inverse of the symmetric matrix `a`, by cofactors.
    pub(super) fn inverse_of(a: &Mat3) -> Self {
        let (xx, xy, xz) = (a[(0, 0)], a[(0, 1)], a[(0, 2)]);
        let (yy, yz, zz) = (a[(1, 1)], a[(1, 2)], a[(2, 2)]);
        let cofactors = [
            yy * zz - yz * yz,
            xz * yz - xy * zz,
            xy * yz - xz * yy,
            xx * zz - xz * xz,
            xy * xz - xx * yz,
            xx * yy - xy * xy,
        ];
        let determinant = xx * cofactors[0] + xy * cofactors[1] + xz * cofactors[2];
        Self(cofactors.map(|cofactor| cofactor / determinant))
    }

    /// The product with `v`.
    pub(super) fn times(&self, v: &Vec3) -> Vec3 {
        let [xx, xy, xz, yy, yz, zz] = self.0;
        Vec3::new(
            xx * v.x + xy * v.y + xz * v.z,
            xy * v.x + yy * v.y + yz * v.z,
            xz * v.x + yz * v.y + zz * v.z,
        )
    }

    /// All nine entries.
    pub(super) fn matrix(&self) -> Mat3 {
        let [xx, xy, xz, yy, yz, zz] = self.0;
        Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
    }
}
