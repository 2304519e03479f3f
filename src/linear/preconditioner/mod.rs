//! Preconditioners that depend on the mesh, not on the ranks: they act within
//! a patch, so each patch is preconditioned where and when it is updated.
//!
//! To add one, write its file in this folder, name it in the list below, and describe it in
//! `docs/scene.md`.
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
//! Diagonal Cholesky computes its diagonal so that `M` and `A` agree on it; `M` then comes close
//! to singular.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::linear::matrix::{BlockMatrix, GRAIN};
use crate::linear::vectors::Row;
use crate::ranks::World;
use crate::threads::{ByPatch, Threads};

/// An approximate inverse of a [`BlockMatrix`], symmetric and positive definite.
///
/// It sees whole vectors, so it may couple patches and ranks, as multigrid does. One that couples no
/// two patches implements [`PatchPreconditioner`] instead; the solver then applies it in its own
/// pass over each patch.
pub trait Preconditioner: Send + Sync {
    /// Takes over the values of `matrix`, whose structure is that of the matrix it
    /// was built for; nothing is allocated. Returns the number of own patches whose
    /// blocks had to be shifted to stay positive definite: 0 for a kind that never shifts.
    fn factor(&mut self, threads: &Threads, matrix: &BlockMatrix) -> usize;

    /// `u = M^-1 r`; both hold the rank's own rows. Collective.
    ///
    /// # Errors
    /// If a rank fails.
    fn apply(&self, world: &dyn World, threads: &Threads, r: &[Row], u: &mut [Row]) -> Result<()>;

    /// Itself, if it couples no two patches.
    fn of_patches(&self) -> Option<&dyn PatchPreconditioner> {
        None
    }
}

/// A preconditioner that couples no two patches.
pub trait PatchPreconditioner: Send + Sync {
    /// As [`Preconditioner::factor`].
    fn factor(&mut self, threads: &Threads, matrix: &BlockMatrix) -> usize;

    /// Where the rows of each own patch begin, and the number of all.
    fn patch_offsets(&self) -> &[u32];

    /// `u = M^-1 r` for own patch `patch`; `r` and `u` are its rows, in their order.
    fn apply(&self, patch: usize, r: &[Row], u: &mut [Row]);
}

impl<P: PatchPreconditioner> Preconditioner for P {
    fn factor(&mut self, threads: &Threads, matrix: &BlockMatrix) -> usize {
        PatchPreconditioner::factor(self, threads, matrix)
    }

    fn apply(&self, _: &dyn World, threads: &Threads, r: &[Row], u: &mut [Row]) -> Result<()> {
        let offsets = self.patch_offsets();
        threads.for_each_patch(ByPatch::new(u, offsets), GRAIN, |patch, u| {
            let rows = offsets[patch] as usize..offsets[patch + 1] as usize;
            PatchPreconditioner::apply(self, patch, &r[rows], u.data);
        });
        Ok(())
    }

    fn of_patches(&self) -> Option<&dyn PatchPreconditioner> {
        Some(self)
    }
}

/// Makes the kinds, their modules and what builds each. An item is a doc comment,
/// the name of the kind in scenes, and the module with a type of that name, which
/// has `new(&BlockMatrix)` and is a [`Preconditioner`] or a [`PatchPreconditioner`].
macro_rules! preconditioners {
    ($($(#[$attribute:meta])* $kind:ident in $module:ident),+ $(,)?) => {
        $(mod $module;)+

        /// Which preconditioner to build.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub enum PreconditionerKind {
            $($(#[$attribute])* $kind),+
        }

        impl PreconditionerKind {
            /// Every kind, in the order of the list.
            pub const ALL: &[Self] = &[$(Self::$kind),+];

            /// Room for the preconditioner of matrices with the structure of `matrix`.
            pub fn build(self, matrix: &BlockMatrix) -> Box<dyn Preconditioner> {
                match self {
                    $(Self::$kind => Box::new($module::$kind::new(matrix))),+
                }
            }
        }
    };
}

preconditioners! {
    /// The inverse of each vertex's own 3x3 block.
    #[default]
    BlockJacobi in block_jacobi,
    /// Incomplete Cholesky factorisation of each patch's own block, without fill.
    IncompleteCholesky in incomplete_cholesky,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::test_systems::{grid, noise3, springs};
    use crate::linear::vectors::{dot, row};
    use crate::partition::Layout;

    #[test]
    fn every_kind_is_symmetric_and_positive_definite_within_a_patch() {
        let (graph, partition) = grid(9, 8, 12, 1);
        let layout = Layout::new(&graph, &partition, 0);
        let matrix = springs(&layout, &graph, 0.1);
        for kind in PreconditionerKind::ALL {
            let mut preconditioner = kind.build(&matrix);
            preconditioner.factor(&Threads::INLINE, &matrix);
            for patch in 0..layout.own_patches.len() {
                let rows = layout.patch_offsets[patch + 1] - layout.patch_offsets[patch];
                let [a, b] = [1, 2].map(|seed| -> Vec<Row> {
                    (0..rows).map(|it| row(&noise3(u64::from(seed * 1000 + it)))).collect()
                });
                let apply = |r: &[Row]| {
                    let mut u = vec![Row::ZERO; r.len()];
                    preconditioner.of_patches().unwrap().apply(patch, r, &mut u);
                    u
                };
                let (a_mb, ma_b) = (dot(&a, &apply(&b)), dot(&apply(&a), &b));
                assert!(dot(&a, &apply(&a)) > 0.0, "{kind:?}");
                assert!((a_mb - ma_b).abs() < 1e-6 * dot(&a, &apply(&a)), "{kind:?}");
            }
        }
    }
}
