//! The linear system: a matrix of 3x3 blocks, the preconditioner and conjugate gradients.
//!
//! Rows are distributed over the ranks; the solution has the same bits on any number
//! of ranks and threads. Inner products go through [`crate::ranks::ExactSums`]. A row or a
//! column is a node; as in [`crate::partition`], this room also calls it a vertex.

mod block;
mod cg;
mod couplings;
pub mod direct;
mod equations;
mod jacobian;
mod joined;
mod matrix;
mod preconditioner;
pub mod small_qp;
mod symmetric3;
mod system;
#[cfg(test)]
mod test_systems;
mod vectors;

pub use block::{Block, Quantum};
pub use cg::CgWorkspace;
pub use couplings::{Coupling, Couplings, MAX_TERMS};
pub use equations::PatchEquations;
pub use jacobian::Jacobian;
pub use joined::{Joined, JoinedTerm};
pub use matrix::{BlockMatrix, BlockStructure, PairSlot, add_block};
pub use preconditioner::{Mesh, Preconditioner, PreconditionerKind};
pub use symmetric3::Symmetric3;
pub use system::{CgReport, End, System, Tolerance};
pub use vectors::{Row, row};
