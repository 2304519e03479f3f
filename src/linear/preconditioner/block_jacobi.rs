//! Block Jacobi: the inverse of each row's diagonal block.

use crate::linear::block_csr::{BlockCsr, GRAIN};
use crate::linear::preconditioner::PatchPreconditioner;
use crate::linear::symmetric3::Symmetric3;
use crate::math::Vec3;
use crate::threads::{ByPatch, Threads};

/// The inverse diagonal blocks.
pub(super) struct BlockJacobi {
    inverse: Vec<Symmetric3>,
    patch_offsets: Vec<u32>,
}

impl BlockJacobi {
    pub(super) fn new(matrix: &BlockCsr) -> Self {
        Self {
            inverse: vec![Symmetric3::default(); matrix.rows()],
            patch_offsets: matrix.patch_offsets().to_vec(),
        }
    }
}

impl PatchPreconditioner for BlockJacobi {
    fn factor(&mut self, threads: &Threads, matrix: &BlockCsr) -> usize {
        let offsets = &self.patch_offsets;
        let inverse = ByPatch::new(&mut self.inverse, offsets);
        threads.for_each_patch(inverse, GRAIN, |patch, inverse| {
            for (row, inverse) in (offsets[patch] as usize..).zip(inverse.data) {
                *inverse = Symmetric3::inverse_of(&matrix.values()[matrix.diagonal(row)]);
            }
        });
        0
    }

    fn patch_offsets(&self) -> &[u32] {
        &self.patch_offsets
    }

    fn apply(&self, patch: usize, r: &[Vec3], u: &mut [Vec3]) {
        let inverse = &self.inverse[self.patch_offsets[patch] as usize..][..r.len()];
        for ((u, r), inverse) in u.iter_mut().zip(r).zip(inverse) {
            *u = inverse.times(r);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::test_systems::{grid, noise3, springs};
    use crate::partition::Layout;

    #[test]
    fn the_diagonal_blocks_are_inverted() {
        let (graph, partition) = grid(7, 6, 9, 1);
        let layout = Layout::new(&graph, &partition, 0);
        let matrix = springs(&layout, &graph, 0.5);
        let mut jacobi = BlockJacobi::new(&matrix);
        assert_eq!(jacobi.factor(&Threads::new(2).unwrap(), &matrix), 0);
        for patch in 0..layout.own_patches.len() {
            let rows =
                layout.patch_offsets[patch] as usize..layout.patch_offsets[patch + 1] as usize;
            let r: Vec<Vec3> = rows.clone().map(|row| noise3(row as u64)).collect();
            let mut u = vec![Vec3::zeros(); r.len()];
            jacobi.apply(patch, &r, &mut u);
            for ((row, r), u) in rows.zip(&r).zip(&u) {
                assert!((matrix.values()[matrix.diagonal(row)] * u - r).norm() < 1e-14);
            }
        }
    }
}
