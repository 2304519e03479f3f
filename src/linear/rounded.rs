//! The matrix in single precision, for the iterations of conjugate gradients.
//!
//! A product reads every block once, and memory sets its pace: with half of the bytes it takes
//! about half of the time. Blocks beside the diagonal are rounded. The diagonal stays in double
//! precision, and the rounding errors of its row are added to it,
//! ```text
//! D_i = A_ii + sym sum_{j != i} (A_ij - A'_ij)
//! ```
//! so that the rows keep their sums, up to the skew part. So the product with a translation does
//! not change. The end of a solve is decided with the matrix itself, see
//! [`super::CgWorkspace::solve`].

use crate::linear::block_csr::{BlockCsr, GRAIN, Rows};
use crate::linear::symmetric3::Symmetric3;
use crate::math::{Mat3, Vec3};
use crate::threads::{ByPatch, Threads};

/// The rounded values of a [`BlockCsr`], in its structure.
#[derive(Debug, Clone, Default)]
pub(super) struct Rounded {
    /// Blocks by position, columns of a block in sequence; zero on the diagonal.
    blocks: Vec<[f32; 9]>,
    /// By row.
    diagonal: Vec<Symmetric3>,
}

impl Rounded {
    /// Rounds the rows of all patches of `matrix` except the `idle` ones. Allocates once.
    pub(super) fn fill(
        &mut self,
        threads: &Threads,
        matrix: &BlockCsr,
        idle: impl Fn(usize) -> bool + Sync,
    ) {
        self.blocks.resize(matrix.len(), [0.0; 9]);
        self.diagonal.resize(matrix.rows(), Symmetric3::default());
        let slices = (
            ByPatch::new(&mut self.blocks, matrix.block_offsets()),
            ByPatch::new(&mut self.diagonal, matrix.patch_offsets()),
        );
        threads.for_each_patch(slices, GRAIN, |patch, (blocks, diagonal)| {
            if idle(patch) {
                return;
            }
            let start = matrix.block_offsets()[patch] as usize;
            let first = matrix.patch_offsets()[patch] as usize;
            for (row, sum) in (first..).zip(diagonal.data) {
                let at = matrix.diagonal(row);
                let mut kept = matrix.values()[at];
                for position in matrix.row(row) {
                    let block = &matrix.values()[position];
                    let rounded = &mut blocks.data[position - start];
                    if position != at {
                        *rounded = std::array::from_fn(|k| block[k] as f32);
                        kept += block - Mat3::from_fn(|i, j| f64::from(rounded[i + 3 * j]));
                    }
                }
                *sum = Symmetric3::part_of(&kept);
            }
        });
    }

    /// As [`BlockCsr::multiply_patch`].
    pub(super) fn multiply_patch(
        &self,
        matrix: &BlockCsr,
        patch: usize,
        kind: Rows,
        u: &[Vec3],
        w: &mut [Vec3],
    ) {
        let (blocks, diagonal) = (&self.blocks, &self.diagonal);
        matrix.each_run(patch, kind, w, |first, w| {
            matrix.sum_rows(blocks, first, u, w);
            for (row, w) in (first..).zip(w) {
                *w += diagonal[row].times(&u[row]);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::test_systems::{grid, noise3, springs};
    use crate::partition::Layout;

    #[test]
    fn products_agree_to_single_precision_and_translations_to_double() {
        let (graph, partition) = grid(9, 8, 12, 1);
        let layout = Layout::new(&graph, &partition, 0);
        let (threads, mass) = (Threads::new(2).unwrap(), 1e-6);
        let matrix = springs(&layout, &graph, mass);
        let mut rounded = Rounded::default();
        rounded.fill(&threads, &matrix, |_| false);
        let product = |u: &[Vec3]| {
            let mut w = vec![Vec3::zeros(); u.len()];
            for patch in 0..layout.own_patches.len() {
                let rows = matrix.patch_offsets()[patch] as usize..;
                let rows = rows.start..matrix.patch_offsets()[patch + 1] as usize;
                rounded.multiply_patch(&matrix, patch, Rows::Interior, u, &mut w[rows]);
            }
            w
        };
        let error = |u: &[Vec3]| {
            let mut exact = vec![Vec3::zeros(); u.len()];
            matrix.multiply(&threads, u, &mut exact);
            let differences = product(u).into_iter().zip(exact).map(|(a, b)| (a - b).norm());
            differences.fold(0.0, f64::max)
        };
        let noise: Vec<Vec3> = (0..72).map(noise3).collect();
        let largest = matrix.values().iter().map(|block| block.norm()).fold(0.0, f64::max);
        assert!((1e-12..1e-6).contains(&(error(&noise) / largest)));
        // Blocks of springs are symmetric, so nothing skew is lost.
        assert!(error(&[Vec3::new(1.0, -2.0, 0.5); 72]) < 1e-13 * largest);
    }
}
