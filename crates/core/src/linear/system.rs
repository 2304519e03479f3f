//! The input of a solve and its report.

use crate::linear::couplings::Couplings;
use crate::linear::joined::Joined;
use crate::linear::matrix::BlockMatrix;
use crate::linear::preconditioner::Preconditioner;
use crate::ranks::Halo;
use crate::{Threads, Vec3, World};

/// One rank's share of a linear system.
pub struct System<'a> {
    /// All ranks.
    pub world: &'a dyn World,
    /// This rank's threads.
    pub threads: &'a Threads,
    /// Symmetric positive definite together with `couplings` and `joined`.
    pub matrix: &'a BlockMatrix,
    /// Terms of the system outside `matrix`; the preconditioner does not see them.
    pub couplings: &'a Couplings,
    /// Bodies that joints hold: terms of the system outside `matrix`, and part of the preconditioner.
    pub joined: &'a mut Joined,
    /// The exchange of the ghosts that `matrix` and `couplings` need.
    pub halo: &'a mut Halo,
    /// Of the structure of `matrix`. A solve that needs iterations factors it.
    pub preconditioner: &'a mut Preconditioner,
    /// Positions of the vertices of the mesh, m: at least those of own vertices.
    pub positions: &'a [Vec3],
    /// Mass of each own node, kg; for a node whose mass has a direction, a mean.
    pub masses: &'a [f64],
    /// Local indices of own vertices with a prescribed value, rising.
    pub fixed: &'a [u32],
    /// Whether any rank has a fixed vertex; equal on all ranks.
    pub any_fixed: bool,
}

/// When to stop: when both the residual and the error of the velocities are small.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// Largest norm of the residual, relative to [`CgReport::reference`].
    pub relative_residual: f64,
    /// Largest error of the velocities, m/s: `sqrt((r, M^-1 r) / m)`, with the preconditioner `M`
    /// and the mass `m` of all free nodes. It estimates the root mean square error in the norm of
    /// the energy, of which it is a quarter or less.
    pub velocity_m_per_s: f64,
    /// The least reference, N s. A repair takes the reference of the solve that it repairs.
    pub least_reference: f64,
    /// Most iterations.
    pub max_iterations: usize,
}

/// Why the iteration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The residual is small enough.
    Converged,
    /// The iterations are used up.
    Iterations,
    /// The matrix or the preconditioner is not positive definite.
    Indefinite,
    /// A number is infinite or NaN.
    NotFinite,
}

/// How a solve went; equal on all ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CgReport {
    /// Why the iteration ended.
    pub end: End,
    /// Number of iterations.
    pub iterations: usize,
    /// Norm of the right-hand side of the free vertices, which includes the pull of
    /// fixed vertices with a value other than zero.
    pub reference: f64,
    /// Norm of the last residual.
    pub final_residual: f64,
}

impl CgReport {
    /// Whether the tolerance was met.
    pub fn converged(&self) -> bool {
        self.end == End::Converged
    }
}
