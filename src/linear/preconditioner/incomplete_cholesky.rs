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

use crate::linear::matrix::{BlockMatrix, GRAIN};
use crate::linear::preconditioner::PatchPreconditioner;
use crate::linear::symmetric3::Symmetric3;
use crate::linear::vectors::{Row, Triple, row as narrow};
use crate::math::Mat3;
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

/// A block of `L`. Before a row is factored, it is the block of `A` in the same place.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Column, counted within the patch.
    column: u32,
    block: Mat3,
}

impl IncompleteCholesky {
    pub(super) fn new(matrix: &BlockMatrix) -> Self {
        let patch_offsets = matrix.patch_offsets().to_vec();
        let (mut entries, mut row_offsets, mut entry_offsets) = (Vec::new(), vec![0], vec![0]);
        for (patch, rows) in patch_offsets.windows(2).enumerate() {
            let mut blocks = matrix.within(patch).peekable();
            for row in 0..rows[1] - rows[0] {
                while let Some((_, column, block)) = blocks.next_if(|it| it.0 == row) {
                    entries.push(Entry { column, block });
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
    fn factor(&mut self, threads: &Threads, matrix: &BlockMatrix) -> usize {
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
                patch,
                row_offsets: &row_offsets[rows.start..=rows.end],
                entries: entries.data,
                inverse_diagonal: inverse_diagonal.data,
            };
            shifted.0[0] = factors.factor() > 0.0;
        });
        self.shifted.iter().filter(|&&shifted| shifted).count()
    }

    fn patch_offsets(&self) -> &[u32] {
        &self.patch_offsets
    }

    /// `u = (L D L^T)^-1 r`: forward substitution by rows of `L`, backward by
    /// columns of `L^T`, which are the same rows.
    fn apply(&self, patch: usize, r: &[Row], u: &mut [Row]) {
        let first = self.patch_offsets[patch] as usize;
        let row = |i: usize| {
            let ends = &self.row_offsets[first + i..first + i + 2];
            &self.entries[ends[0] as usize..ends[1] as usize]
        };
        for i in 0..r.len() {
            let mut sum = r[i].wide();
            for entry in row(i) {
                sum -= entry.block * u[entry.column as usize].wide();
            }
            u[i] = narrow(&sum);
        }
        let inverse_diagonal = &self.inverse_diagonal[first..][..r.len()];
        for (u, inverse) in u.iter_mut().zip(inverse_diagonal) {
            *u = narrow(&inverse.times(&u.wide()));
        }
        for i in (0..r.len()).rev() {
            let solved = u[i].wide();
            for entry in row(i) {
                u[entry.column as usize].add(&-entry.block.tr_mul(&solved));
            }
        }
    }
}

/// One patch while it is factored.
struct PatchFactors<'a> {
    matrix: &'a BlockMatrix,
    patch: usize,
    row_offsets: &'a [u32],
    entries: &'a mut [Entry],
    inverse_diagonal: &'a mut [Symmetric3],
}

impl PatchFactors<'_> {
    /// Factors with the first shift that works, and returns it; infinity if none does.
    fn factor(&mut self) -> f64 {
        for shift in SHIFTS {
            let blocks = self.matrix.within(self.patch);
            self.entries.iter_mut().zip(blocks).for_each(|(entry, it)| entry.block = it.2);
            if (0..self.inverse_diagonal.len()).all(|row| self.factor_row(row, shift)) {
                return shift;
            }
        }
        self.entries.iter_mut().for_each(|entry| entry.block = Mat3::zeros());
        for (row, inverse) in self.inverse_diagonal.iter_mut().enumerate() {
            *inverse = Symmetric3::of(&self.matrix.diagonal_of(self.patch, row)).inverse();
        }
        f64::INFINITY
    }

    /// Computes one row of `L` and `D^-1`; false where the row breaks down.
    fn factor_row(&mut self, row: usize, shift: f64) -> bool {
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
            entry.block -= product_of_rows(done, other);
        }
        let original = self.matrix.diagonal_of(self.patch, row);
        let mut diagonal = original * (1.0 + shift);
        for entry in this {
            let g = entry.block;
            entry.block = g * self.inverse_diagonal[entry.column as usize].matrix();
            diagonal -= g * entry.block.transpose();
        }
        self.inverse_diagonal[row] = Symmetric3::of(&diagonal).inverse();
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
    use crate::linear::vectors::dot;
    use crate::math::Vec3;
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

        let r: Vec<Row> = (0..10).map(|i| narrow(&noise3(i))).collect();
        let mut u = vec![Row::ZERO; 10];
        cholesky.apply(0, &r, &mut u);
        let flat = DVector::from_iterator(30, r.iter().flat_map(|r| r.wide().data.0[0]));
        let exact = dense(&matrix).cholesky().unwrap().solve(&flat);
        for (i, u) in u.iter().enumerate() {
            assert!((u.wide() - exact.fixed_rows::<3>(3 * i)).norm() < 1e-7 * exact.norm());
        }
    }

    #[test]
    fn an_indefinite_patch_is_shifted_and_stays_positive() {
        let (graph, partition) = grid(8, 8, 16, 1);
        let layout = Layout::new(&graph, &partition, 0);
        let (sound, vertex) = (dense(&springs(&layout, &graph, 1e-3)), layout.own[0]);
        let block = |v: u32, w: u32| {
            let block = sound.fixed_view::<3, 3>(3 * v as usize, 3 * w as usize).into_owned();
            if v == w && v == vertex { block * 0.2 } else { block }
        };
        let matrix = BlockMatrix::of_blocks(&layout, &graph, block).unwrap();
        let mut cholesky = IncompleteCholesky::new(&matrix);
        assert_eq!(cholesky.factor(&Threads::new(2).unwrap(), &matrix), 1, "patch of {vertex}");
        for sample in 0..20 {
            let rows = 0..layout.patch_offsets[1];
            let r: Vec<Row> =
                rows.map(|i| narrow(&Vec3::repeat(noise(sample * 1000 + u64::from(i))))).collect();
            let mut u = vec![Row::ZERO; r.len()];
            cholesky.apply(0, &r, &mut u);
            assert!(dot(&r, &u) > 0.0);
        }
    }
}
