//! Incomplete Cholesky factorisation IC(0) of each patch's own block.
//!
//! Source: Meijerink & van der Vorst 1977, in 3x3 blocks, as `L D L^T` with unit
//! lower triangular `L`: row by row
//! ```text
//! G_ij = A_ij - sum_{k<j} G_ik L_jk^T      (k in both rows)
//! L_ij = G_ij D_j^-1,   D_i = (1 + shift) A_ii - sum_{j<i} G_ij L_ij^T
//! ```
//! Where some `D_i` is not safely positive definite, the patch is factored again
//! with the next of `SHIFTS` (Manteuffel 1980). The rule looks at the patch alone.
//! If no shift helps, the patch falls back to its diagonal blocks.

use crate::linear::block_csr::{BlockCsr, GRAIN};
use crate::linear::preconditioner::PatchPreconditioner;
use crate::linear::symmetric3::Symmetric3;
use crate::math::{Mat3, Vec3};
use crate::threads::{ByPatch, EachPatch, Threads};

/// Shares of the diagonal that are added to it, tried in this order.
const SHIFTS: [f64; 6] = [0.0, 1e-3, 1e-2, 0.1, 0.5, 2.0];
/// Smallest pivot of a block `D_i`, as a share of the same diagonal entry of
/// `A_ii`. With smaller ones the factors are defined, but no longer help.
const SMALLEST_PIVOT: f64 = 1e-4;

/// The factors `L` (strict lower triangle) and `D^-1` of all own patches.
pub(super) struct IncompleteCholesky {
    patch_offsets: Vec<u32>,
    inverse_diagonal: Vec<Symmetric3>,
    /// First entry of each patch in `entries`.
    entry_offsets: Vec<u32>,
    /// The rows of `L`, each by rising column.
    entries: Vec<Entry>,
    /// First entry of each row, counted over all patches.
    row_offsets: Vec<u32>,
    /// Patches that were factored with a shift, or not at all.
    shifted: Vec<bool>,
}

/// A block of `L`.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Column, counted within the patch.
    column: u32,
    /// Position of the block of `A` in the same place.
    source: u32,
    block: Mat3,
}

impl IncompleteCholesky {
    pub(super) fn new(matrix: &BlockCsr) -> Self {
        let patch_offsets = matrix.patch_offsets().to_vec();
        let (mut entries, mut row_offsets, mut entry_offsets) = (Vec::new(), vec![0], vec![0]);
        for patch in patch_offsets.windows(2) {
            for row in patch[0]..patch[1] {
                // Within a patch, local order is the mesh's order: rows stay sorted.
                let first = matrix.row_start(row as usize);
                for (source, (column, _)) in (first..).zip(matrix.entries(row as usize)) {
                    if (patch[0]..row).contains(&column) {
                        let column = column - patch[0];
                        entries.push(Entry { column, source, block: Mat3::zeros() });
                    }
                }
                row_offsets.push(entries.len() as u32);
            }
            entry_offsets.push(entries.len() as u32);
        }
        Self {
            inverse_diagonal: vec![Symmetric3::default(); matrix.rows()],
            shifted: vec![false; patch_offsets.len() - 1],
            patch_offsets,
            entry_offsets,
            entries,
            row_offsets,
        }
    }
}

impl PatchPreconditioner for IncompleteCholesky {
    fn factor(&mut self, threads: &Threads, matrix: &BlockCsr) -> usize {
        let (patch_offsets, row_offsets) = (&self.patch_offsets, &self.row_offsets);
        let slices = (
            ByPatch::new(&mut self.entries, &self.entry_offsets),
            ByPatch::new(&mut self.inverse_diagonal, patch_offsets),
            EachPatch(&mut self.shifted),
        );
        threads.for_each_patch(slices, GRAIN, |patch, (entries, inverse_diagonal, shifted)| {
            let rows = patch_offsets[patch] as usize..patch_offsets[patch + 1] as usize;
            let mut factors = PatchFactors {
                matrix,
                first_row: rows.start,
                row_offsets: &row_offsets[rows.start..=rows.end],
                entries: entries.data,
                inverse_diagonal: inverse_diagonal.data,
            };
            shifted.0[0] = factors.factor() > 0.0;
        });
        self.shifted.iter().filter(|&&shifted| shifted).count()
    }

    /// `u = (L D L^T)^-1 r`: forward substitution by rows of `L`, backward by
    /// columns of `L^T`, which are the same rows.
    fn patch_offsets(&self) -> &[u32] {
        &self.patch_offsets
    }

    fn apply(&self, patch: usize, r: &[Vec3], u: &mut [Vec3]) {
        let first = self.patch_offsets[patch] as usize;
        let row = |i: usize| {
            let ends = &self.row_offsets[first + i..first + i + 2];
            &self.entries[ends[0] as usize..ends[1] as usize]
        };
        for i in 0..r.len() {
            let mut sum = r[i];
            for entry in row(i) {
                sum -= entry.block * u[entry.column as usize];
            }
            u[i] = sum;
        }
        let inverse_diagonal = &self.inverse_diagonal[first..][..r.len()];
        for (u, inverse) in u.iter_mut().zip(inverse_diagonal) {
            *u = inverse.times(u);
        }
        for i in (0..r.len()).rev() {
            let solved = u[i];
            for entry in row(i) {
                u[entry.column as usize] -= entry.block.tr_mul(&solved);
            }
        }
    }
}

/// One patch while it is factored.
struct PatchFactors<'a> {
    matrix: &'a BlockCsr,
    first_row: usize,
    row_offsets: &'a [u32],
    entries: &'a mut [Entry],
    inverse_diagonal: &'a mut [Symmetric3],
}

impl PatchFactors<'_> {
    /// Factors with the first shift that works, and returns it; infinity if none does.
    fn factor(&mut self) -> f64 {
        for shift in SHIFTS {
            if (0..self.inverse_diagonal.len()).all(|row| self.factor_row(row, shift)) {
                return shift;
            }
        }
        self.entries.iter_mut().for_each(|entry| entry.block = Mat3::zeros());
        for (row, inverse) in (self.first_row..).zip(self.inverse_diagonal.iter_mut()) {
            *inverse = Symmetric3::inverse_of(&self.matrix.values()[self.matrix.diagonal(row)]);
        }
        f64::INFINITY
    }

    /// Computes one row of `L` and `D^-1`; false where the row breaks down.
    fn factor_row(&mut self, row: usize, shift: f64) -> bool {
        let values = self.matrix.values();
        let start = self.row_offsets[0];
        let range = |row: usize| {
            let ends = &self.row_offsets[row..row + 2];
            (ends[0] - start) as usize..(ends[1] - start) as usize
        };
        let (above, this) = self.entries.split_at_mut(range(row).start);
        let this = &mut this[..range(row).len()];
        for at in 0..this.len() {
            let (done, rest) = this.split_at_mut(at);
            let entry = &mut rest[0];
            let other = &above[range(entry.column as usize)];
            entry.block = values[entry.source as usize] - product_of_rows(done, other);
        }
        let original = values[self.matrix.diagonal(self.first_row + row)];
        let mut diagonal = original * (1.0 + shift);
        for entry in this {
            let g = entry.block;
            entry.block = g * self.inverse_diagonal[entry.column as usize].matrix();
            diagonal -= g * entry.block.transpose();
        }
        self.inverse_diagonal[row] = Symmetric3::inverse_of(&diagonal);
        safely_positive(&diagonal, &original)
    }
}

/// `sum_k G_ik L_jk^T` over the columns in both rows.
fn product_of_rows(g: &[Entry], l: &[Entry]) -> Mat3 {
    let mut sum = Mat3::zeros();
    let mut l = l.iter().peekable();
    for g in g {
        while l.next_if(|l| l.column < g.column).is_some() {}
        if let Some(l) = l.next_if(|l| l.column == g.column) {
            sum += g.block * l.block.transpose();
        }
    }
    sum
}

/// Whether every pivot of `d` exceeds its share of the diagonal of `original`
/// (false for NaN).
fn safely_positive(d: &Mat3, original: &Mat3) -> bool {
    let first = d[(0, 0)];
    let second = d[(1, 1)] - d[(1, 0)] * d[(1, 0)] / first;
    let across = d[(2, 1)] - d[(2, 0)] * d[(1, 0)] / first;
    let third = d[(2, 2)] - d[(2, 0)] * d[(2, 0)] / first - across * across / second;
    let pivots = [first, second, third];
    (0..3).all(|i| pivots[i] > SMALLEST_PIVOT * original[(i, i)] && original[(i, i)] > 0.0)
}

#[cfg(test)]
mod tests {
    use nalgebra::DVector;
    use std::slice;

    use super::*;
    use crate::linear::test_systems::{dense, grid, noise, noise3, springs};
    use crate::partition::{Graph, Layout, Partition, Patches};

    fn one_patch(graph: &Graph) -> Layout {
        let vertices = graph.len() as u32;
        let patches = Patches::new(graph, slice::from_ref(&(0..vertices)), graph.len()).unwrap();
        assert_eq!(patches.len(), 1);
        Layout::new(graph, &Partition::new(graph, patches.into(), 1).unwrap(), 0)
    }

    #[test]
    fn factorisation_without_fill_is_exact() {
        let chain: Vec<[u32; 2]> = (0..9).map(|v| [v, v + 1]).collect();
        let graph = Graph::from_cliques(10, chain.iter().map(|pair| &pair[..]));
        let layout = one_patch(&graph);
        let matrix = springs(&layout, &graph, 0.01);
        let mut cholesky = IncompleteCholesky::new(&matrix);
        assert_eq!(cholesky.factor(&Threads::new(1).unwrap(), &matrix), 0);

        let r: Vec<Vec3> = (0..10).map(noise3).collect();
        let mut u = vec![Vec3::zeros(); 10];
        cholesky.apply(0, &r, &mut u);
        let flat = DVector::from_iterator(30, r.iter().flatten().copied());
        let exact = dense(&matrix).cholesky().unwrap().solve(&flat);
        for (i, u) in u.iter().enumerate() {
            assert!((u - exact.fixed_rows::<3>(3 * i)).norm() < 1e-11 * exact.norm());
        }
    }

    #[test]
    fn an_indefinite_patch_is_shifted_and_stays_positive() {
        let (graph, partition) = grid(8, 8, 16, 1);
        let layout = Layout::new(&graph, &partition, 0);
        let mut matrix = springs(&layout, &graph, 1e-3);
        let vertex = layout.own[0];
        let spoilt = matrix.diagonal(0);
        matrix.values_mut()[spoilt] *= 0.2;
        let mut cholesky = IncompleteCholesky::new(&matrix);
        assert_eq!(cholesky.factor(&Threads::new(2).unwrap(), &matrix), 1, "patch of {vertex}");
        for sample in 0..20 {
            let r: Vec<Vec3> = (0..layout.patch_offsets[1])
                .map(|i| Vec3::repeat(noise(sample * 1000 + u64::from(i))))
                .collect();
            let mut u = vec![Vec3::zeros(); r.len()];
            cholesky.apply(0, &r, &mut u);
            assert!(r.iter().zip(&u).map(|(r, u)| r.dot(u)).sum::<f64>() > 0.0);
        }
    }
}
