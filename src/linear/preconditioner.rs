//! Preconditioners that depend on the mesh, not on the ranks: they act within
//! a patch, so each patch is preconditioned where and when it is updated.
//!
//! Tried on the draped tablecloth (14,033 vertices, to 1e-6; steps of 1, 4, 10 ms):
//!
//! | | iterations | instructions at 1 ms, with the factors |
//! |---|---|---|
//! | block Jacobi | 56, 184, 348 | 264 million |
//! | incomplete Cholesky | 33, 267, 275 | 285 million |
//! | Gauss-Seidel | 35, 113, 215 | 203 million |
//! | diagonal Cholesky | 67, 652, 1533 | |
//!
//! The last two, in Eisenstat's (1981) split form, share one pass over the matrix
//! between product and preconditioner. Gauss-Seidel, the sweeps with the diagonal
//! blocks of the matrix, took 15 to 19 % less time than Jacobi at 1 ms and 3 to 11 %
//! less at 4 and 10 ms (one thread): too little for a second form of the iteration,
//! so it is left out. Incomplete Cholesky was slower than Jacobi at all three.
//! A computed diagonal (such that `M` and `A` agree on it) comes close to singular.

use serde::{Deserialize, Serialize};

use crate::linear::block_csr::{BlockCsr, GRAIN};
use crate::linear::incomplete_cholesky::IncompleteCholesky;
use crate::linear::symmetric3::Symmetric3;
use crate::math::Vec3;
use crate::threads::{ByPatch, Threads};

/// Which preconditioner to build.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PreconditionerKind {
    /// The inverse of each vertex's own 3x3 block.
    #[default]
    BlockJacobi,
    /// Incomplete Cholesky factorisation of each patch's own block, without fill.
    IncompleteCholesky,
}

/// An approximate inverse of a [`BlockCsr`], symmetric and positive definite.
#[derive(Debug, Clone)]
pub enum Preconditioner {
    /// See [`PreconditionerKind::BlockJacobi`].
    BlockJacobi(BlockJacobi),
    /// See [`PreconditionerKind::IncompleteCholesky`].
    IncompleteCholesky(IncompleteCholesky),
}

impl Preconditioner {
    /// Room for the preconditioner of matrices with the structure of `matrix`.
    pub fn new(kind: PreconditionerKind, matrix: &BlockCsr) -> Self {
        match kind {
            PreconditionerKind::BlockJacobi => Self::BlockJacobi(BlockJacobi::new(matrix)),
            PreconditionerKind::IncompleteCholesky => {
                Self::IncompleteCholesky(IncompleteCholesky::new(matrix))
            }
        }
    }

    /// Takes over the values of `matrix`; nothing is allocated. Returns the
    /// number of own patches that had to be shifted to stay positive definite.
    pub fn factor(&mut self, threads: &Threads, matrix: &BlockCsr) -> usize {
        match self {
            Self::BlockJacobi(jacobi) => {
                jacobi.factor(threads, matrix);
                0
            }
            Self::IncompleteCholesky(cholesky) => cholesky.factor(threads, matrix),
        }
    }

    /// `u = M^-1 r` for one patch; `r` and `u` are its own pieces.
    pub fn apply(&self, patch: usize, r: &[Vec3], u: &mut [Vec3]) {
        match self {
            Self::BlockJacobi(jacobi) => jacobi.apply(patch, r, u),
            Self::IncompleteCholesky(cholesky) => cholesky.apply(patch, r, u),
        }
    }
}

/// The inverse diagonal blocks.
#[derive(Debug, Clone)]
pub struct BlockJacobi {
    inverse: Vec<Symmetric3>,
    patch_offsets: Vec<u32>,
}

impl BlockJacobi {
    fn new(matrix: &BlockCsr) -> Self {
        Self {
            inverse: vec![Symmetric3::default(); matrix.rows()],
            patch_offsets: matrix.patch_offsets().to_vec(),
        }
    }

    fn factor(&mut self, threads: &Threads, matrix: &BlockCsr) {
        let offsets = &self.patch_offsets;
        let inverse = ByPatch::new(&mut self.inverse, offsets);
        threads.for_each_patch(inverse, GRAIN, |patch, inverse| {
            for (row, inverse) in (offsets[patch] as usize..).zip(inverse.data) {
                *inverse = Symmetric3::inverse_of(&matrix.values()[matrix.diagonal(row)]);
            }
        });
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
    fn block_jacobi_inverts_the_diagonal_blocks() {
        let (graph, partition) = grid(7, 6, 9, 1);
        let layout = Layout::new(&graph, &partition, 0);
        let matrix = springs(&layout, &graph, 0.5);
        let mut jacobi = Preconditioner::new(PreconditionerKind::BlockJacobi, &matrix);
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
