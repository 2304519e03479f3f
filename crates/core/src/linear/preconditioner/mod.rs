//! The preconditioner: block Jacobi, and rigid motions at several scales where they pay.
//!
//! Tried and left out (notebook/performance.md): incomplete Cholesky of each patch, Gauss-Seidel and
//! diagonal Cholesky in Eisenstat's form, exact factors of clusters, smoothed aggregation.

mod block_jacobi;
mod multilevel;

use serde::{Deserialize, Serialize};

use self::block_jacobi::BlockJacobi;
pub use self::multilevel::Mesh;
pub(super) use self::multilevel::{Multilevel, PatchSums, Terms};
use crate::linear::matrix::BlockMatrix;
use crate::{Result, Threads};

/// Cloth of fewer vertices converges before rigid motions pay.
const MANY_VERTICES: usize = 40_000;
/// Iterations of block Jacobi before rigid motions are factored, which takes as long as some ten
/// of them. Most solves of small steps need no more.
const ITERATIONS_BEFORE: usize = 12;

/// Which preconditioner to build.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PreconditionerKind {
    /// `BlockJacobi`; from 40,000 vertices of cloth on, solves that have not converged after 12
    /// iterations go on with `Multilevel`.
    #[default]
    Auto,
    /// The inverse of each vertex's own 3x3 block.
    BlockJacobi,
    /// And rigid motions of parts of patches, patches, and groups of patches, unless contacts
    /// couple more than the mesh does.
    Multilevel,
}

impl PreconditionerKind {
    /// Every kind.
    pub const ALL: &[Self] = &[Self::Auto, Self::BlockJacobi, Self::Multilevel];
}

/// An approximate inverse of a [`BlockMatrix`], symmetric and positive definite. It has the same
/// bits on any number of ranks and threads.
pub struct Preconditioner {
    jacobi: BlockJacobi,
    multilevel: Option<Multilevel>,
    /// Iterations before the levels are used.
    before: usize,
    state: State,
}

/// Whether the levels are used in the present solve.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    NotYet,
    InUse,
    /// Rounding has made them indefinite, or contacts couple more than the mesh does.
    Refused,
}

impl Preconditioner {
    /// Room for the preconditioner of matrices with the structure of `matrix`.
    pub fn new(kind: PreconditionerKind, matrix: &BlockMatrix, mesh: &Mesh) -> Self {
        let has_levels = match kind {
            PreconditionerKind::Auto => mesh.rest.len() >= MANY_VERTICES,
            PreconditionerKind::BlockJacobi => false,
            PreconditionerKind::Multilevel => true,
        };
        let is_patient = kind == PreconditionerKind::Auto;
        Self {
            jacobi: BlockJacobi::new(matrix),
            multilevel: has_levels.then(|| Multilevel::new(matrix, mesh)),
            before: if is_patient { ITERATIONS_BEFORE } else { 0 },
            state: State::NotYet,
        }
    }

    /// Takes over the diagonal of `matrix`, but for patches all of whose rows are `fixed`. After: it is
    /// block Jacobi.
    pub(super) fn factor(&mut self, threads: &Threads, matrix: &BlockMatrix, fixed: &[u32]) {
        self.jacobi.factor(threads, matrix, fixed);
        self.state = State::NotYet;
    }

    /// The number of iterations that block Jacobi is given, if the levels are used after them.
    pub(super) fn iterations_before(&self) -> Option<usize> {
        self.multilevel.as_ref().filter(|_| self.state == State::NotYet).map(|_| self.before)
    }

    /// Takes over the values of a matrix for the levels. After: these are used. Collective.
    ///
    /// # Errors
    /// If a rank fails.
    pub(super) fn factor_levels(&mut self, terms: Terms) -> Result<()> {
        if let Some(multilevel) = &mut self.multilevel {
            multilevel.factor(terms)?;
            self.state = State::InUse;
        }
        Ok(())
    }

    /// Leaves the levels out for the rest of a solve. Returns whether they were in use.
    pub(super) fn refuse_levels(&mut self) -> bool {
        std::mem::replace(&mut self.state, State::Refused) == State::InUse
    }

    /// Block Jacobi, and the levels if they are in use.
    pub(super) fn parts(&mut self) -> (&BlockJacobi, Option<&mut Multilevel>) {
        (&self.jacobi, self.multilevel.as_mut().filter(|_| self.state == State::InUse))
    }
}
