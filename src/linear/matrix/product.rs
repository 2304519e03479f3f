//! Products of a [`BlockMatrix`] with vectors of either precision.
//!
//! The rows of one patch need blocks within, then blocks across. The latter need the values of
//! other patches, and ghosts: they can be multiplied while ghosts travel.

use wide::f32x4;

use crate::linear::matrix::structure::Slice;
use crate::linear::matrix::{BlockMatrix, GRAIN, LANES, entries};
use crate::linear::vectors::{Row, by_component, by_row};
use crate::math::{Mat3, Vec3};
use crate::threads::{ByPatch, Threads};

impl BlockMatrix {
    /// `w = A u` for all rows. `u` holds own values and ghosts, `w` own values.
    pub fn multiply(&self, threads: &Threads, u: &[Row], w: &mut [Row]) {
        let offsets = self.patch_offsets();
        threads.for_each_patch(ByPatch::new(w, offsets), GRAIN, |patch, w| {
            let rows = offsets[patch] as usize..offsets[patch + 1] as usize;
            self.multiply_within(patch, &u[rows], w.data);
            self.multiply_across(patch, u, w.data);
        });
    }

    /// `w = A u` with the blocks within `patch`. `u` and `w` are its rows.
    pub(crate) fn multiply_within(&self, patch: usize, u: &[Row], w: &mut [Row]) {
        w.fill(Row::ZERO);
        let first = self.structure.within_offsets[patch] as usize;
        let diagonals = &self.narrow[first..];
        for (slice, [xx, xy, xz, yy, yz, zz]) in self.structure.within(patch).iter().zip(diagonals)
        {
            let own = by_component(rows(u, &slice.rows));
            let [x, y, z] = own;
            let mut sums = [
                *xx * x + *xy * y + *xz * z,
                *xy * x + *yy * y + *yz * z,
                *xz * x + *yz * y + *zz * z,
            ];
            let blocks = self.blocks(slice);
            for (b, columns) in blocks.iter().zip(self.structure.columns(&slice.groups)) {
                add_product(&mut sums, b, by_component(rows(u, columns)));
                let mirrored = by_row([
                    b[0] * x + b[3] * y + b[6] * z,
                    b[1] * x + b[4] * y + b[7] * z,
                    b[2] * x + b[5] * y + b[8] * z,
                ]);
                for lane in 0..LANES {
                    w[columns[lane] as usize] += mirrored[lane];
                }
            }
            add(slice, w, by_row(sums));
        }
    }

    /// Adds the products of the blocks across to `w`, the rows of `patch`. `u` has own values and
    /// ghosts.
    pub(crate) fn multiply_across(&self, patch: usize, u: &[Row], w: &mut [Row]) {
        for slice in self.structure.across(patch) {
            let mut sums = [f32x4::ZERO; 3];
            let blocks = self.blocks(slice);
            for (b, columns) in blocks.iter().zip(self.structure.columns(&slice.groups)) {
                add_product(&mut sums, b, by_component(rows(u, columns)));
            }
            add(slice, w, by_row(sums));
        }
    }

    /// As [`Self::multiply_within`], in double precision.
    pub(crate) fn multiply_within_wide(&self, patch: usize, u: &[Vec3], w: &mut [Vec3]) {
        let first = self.structure.patch_offsets[patch] as usize;
        for ((w, u), diagonal) in w.iter_mut().zip(u).zip(&self.diagonal[first..]) {
            *w = diagonal.times(u);
        }
        for slice in self.structure.within(patch) {
            self.each_block(slice, |row, column, block| {
                w[row] += block * u[column];
                w[column] += block.tr_mul(&u[row]);
            });
        }
    }

    /// As [`Self::multiply_across`], in double precision.
    pub(crate) fn multiply_across_wide(&self, patch: usize, u: &[Vec3], w: &mut [Vec3]) {
        for slice in self.structure.across(patch) {
            self.each_block(slice, |row, column, block| w[row] += block * u[column]);
        }
    }

    /// Calls `work` with row, column and block of the lanes of a slice. Where there is no block,
    /// it is zero.
    #[inline(always)]
    fn each_block(&self, slice: &Slice, mut work: impl FnMut(usize, usize, Mat3)) {
        for (group, columns) in self.blocks(slice).iter().zip(self.structure.columns(&slice.groups))
        {
            for lane in 0..slice.count.min(LANES) {
                let block = Mat3::from_row_slice(&entries(group, lane));
                work(slice.rows[lane] as usize, columns[lane] as usize, block);
            }
        }
    }

    fn blocks(&self, slice: &Slice) -> &[super::Group] {
        &self.groups[slice.groups.start as usize..slice.groups.end as usize]
    }
}

#[inline(always)]
fn rows(u: &[Row], at: &[u32; LANES]) -> [Row; LANES] {
    [u[at[0] as usize], u[at[1] as usize], u[at[2] as usize], u[at[3] as usize]]
}

/// Adds the products of the blocks of a group.
#[inline(always)]
fn add_product(sums: &mut [f32x4; 3], b: &super::Group, [x, y, z]: [f32x4; 3]) {
    sums[0] += b[0] * x + b[1] * y + b[2] * z;
    sums[1] += b[3] * x + b[4] * y + b[5] * z;
    sums[2] += b[6] * x + b[7] * y + b[8] * z;
}

#[inline(always)]
fn add(slice: &Slice, w: &mut [Row], values: [Row; LANES]) {
    // By index: iterators over arrays of registers go through memory.
    for lane in 0..slice.count.min(LANES) {
        w[slice.rows[lane] as usize] += values[lane];
    }
}
