//! Products of a [`BlockMatrix`] with vectors of either precision.
//!
//! The rows of one patch need blocks within, then blocks across. The latter need the values of
//! other patches, and ghosts: they can be multiplied while ghosts travel.

use wide::f32x4;

use crate::linear::block::Block;
use crate::linear::matrix::structure::Slice;
use crate::linear::matrix::{BlockMatrix, GRAIN, block_of};
use crate::linear::vectors::{LANES, Row, by_component, by_row};
use crate::{ByPatch, Threads, Vec3};

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
    pub fn multiply_within(&self, patch: usize, u: &[Row], w: &mut [Row]) {
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
                let [upper, lower] = off_diagonals(b);
                add_product(&mut sums, b, [upper, lower], by_component(rows(u, columns)));
                let mut mirrored = [f32x4::ZERO; 3];
                add_product(&mut mirrored, b, [lower, upper], own);
                let mirrored = by_row(mirrored);
                for lane in 0..LANES {
                    w[columns[lane] as usize] += mirrored[lane];
                }
            }
            add(slice, w, by_row(sums));
        }
    }

    /// Adds the products of the blocks across to `w`, the rows of `patch`. `u` has own values and
    /// ghosts.
    pub fn multiply_across(&self, patch: usize, u: &[Row], w: &mut [Row]) {
        for slice in self.structure.across(patch) {
            let mut sums = [f32x4::ZERO; 3];
            let blocks = self.blocks(slice);
            for (b, columns) in blocks.iter().zip(self.structure.columns(&slice.groups)) {
                add_product(&mut sums, b, off_diagonals(b), by_component(rows(u, columns)));
            }
            add(slice, w, by_row(sums));
        }
    }

    /// [`Self::multiply_within`] in double precision.
    pub fn multiply_within_wide(&self, patch: usize, u: &[Vec3], w: &mut [Vec3]) {
        let first = self.structure.patch_offsets[patch] as usize;
        for ((w, u), diagonal) in w.iter_mut().zip(u).zip(&self.diagonal[first..]) {
            *w = diagonal.times(u);
        }
        for slice in self.structure.within(patch) {
            self.each_block(slice, |row, column, block| {
                w[row] += block.times(&u[column]);
                w[column] += block.transpose().times(&u[row]);
            });
        }
    }

    /// [`Self::multiply_across`] in double precision.
    pub fn multiply_across_wide(&self, patch: usize, u: &[Vec3], w: &mut [Vec3]) {
        for slice in self.structure.across(patch) {
            self.each_block(slice, |row, column, block| w[row] += block.times(&u[column]));
        }
    }

    /// Calls `work` with row, column and block of the lanes of a slice. Where there is no block,
    /// it is zero.
    #[inline(always)]
    fn each_block(&self, slice: &Slice, mut work: impl FnMut(usize, usize, Block)) {
        for (group, columns) in self.blocks(slice).iter().zip(self.structure.columns(&slice.groups))
        {
            for (lane, (&row, &column)) in slice.rows.iter().zip(columns).enumerate() {
                if lane < slice.count {
                    work(row as usize, column as usize, block_of(group, lane));
                }
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

/// The entries xy, xz, yz of the blocks of a group, and yx, zx, zy.
#[inline(always)]
fn off_diagonals([_, xy, xz, _, yz, _, x, y, z]: &super::Group) -> [[f32x4; 3]; 2] {
    [[*xy - *z, *xz + *y, *yz - *x], [*xy + *z, *xz - *y, *yz + *x]]
}

/// Adds the products of the blocks of a group with these entries above and below the diagonal.
#[inline(always)]
fn add_product(
    sums: &mut [f32x4; 3],
    [xx, _, _, yy, _, zz, ..]: &super::Group,
    [[xy, xz, yz], [yx, zx, zy]]: [[f32x4; 3]; 2],
    [x, y, z]: [f32x4; 3],
) {
    sums[0] += *xx * x + xy * y + xz * z;
    sums[1] += yx * x + *yy * y + yz * z;
    sums[2] += zx * x + zy * y + *zz * z;
}

#[inline(always)]
fn add(slice: &Slice, w: &mut [Row], values: [Row; LANES]) {
    // By index: iterators over arrays of registers go through memory.
    for lane in 0..slice.count.min(LANES) {
        w[slice.rows[lane] as usize] += values[lane];
    }
}
