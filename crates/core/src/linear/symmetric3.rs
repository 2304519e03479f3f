//! Symmetric 3x3 matrices, stored in six numbers.

use wide::f32x4;

use crate::linear::vectors::LANES;
use crate::{Mat3, Vec3};

/// A symmetric 3x3 matrix: xx, xy, xz, yy, yz, zz.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Symmetric3([f64; 6]);

impl Symmetric3 {
    /// The symmetric matrix `a`.
    pub(super) fn of(a: &Mat3) -> Self {
        Self([a[(0, 0)], a[(0, 1)], a[(0, 2)], a[(1, 1)], a[(1, 2)], a[(2, 2)]])
    }

    /// Adds the symmetric part of `a`.
    #[inline]
    pub(super) fn add(&mut self, a: &Mat3) {
        let [xx, xy, xz, yy, yz, zz] = &mut self.0;
        *xx += a[(0, 0)];
        *xy += 0.5 * (a[(0, 1)] + a[(1, 0)]);
        *xz += 0.5 * (a[(0, 2)] + a[(2, 0)]);
        *yy += a[(1, 1)];
        *yz += 0.5 * (a[(1, 2)] + a[(2, 1)]);
        *zz += a[(2, 2)];
    }

    /// The entries xx, xy, xz, yy, yz, zz.
    #[inline(always)]
    pub fn entries(&self) -> [f64; 6] {
        self.0
    }

    /// The matrix with these [`Self::entries`].
    #[inline(always)]
    pub fn new(entries: [f64; 6]) -> Self {
        Self(entries)
    }

    /// Subtracts `other`.
    #[inline]
    pub(super) fn subtract(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a -= b);
    }

    /// Up to [`LANES`] matrices in single precision, side by side. Zero in the other lanes.
    pub(super) fn lanes(matrices: &[Self]) -> [f32x4; 6] {
        std::array::from_fn(|k| {
            let lane = |i: usize| matrices.get(i).map_or(0.0, |matrix| matrix.0[k] as f32);
            const { assert!(LANES == 4) };
            f32x4::new([lane(0), lane(1), lane(2), lane(3)])
        })
    }

    /// The inverse, by cofactors.
    pub(super) fn inverse(&self) -> Self {
        let [xx, xy, xz, yy, yz, zz] = self.0;
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
