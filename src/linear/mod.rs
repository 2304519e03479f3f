//! The linear system: 3x3-block matrix, reproducible sums, preconditioners and
//! conjugate gradients, distributed over ranks and bit-identical for any number
//! of them.

mod block_csr;
mod cg;
mod couplings;
mod incomplete_cholesky;
mod preconditioner;
mod symmetric3;
mod system;
#[cfg(test)]
mod test_systems;
mod vectors;

pub use block_csr::{BlockCsr, BlockStructure, Rows};
pub use cg::CgWorkspace;
pub use couplings::{Coupling, Couplings};
pub use preconditioner::{Preconditioner, PreconditionerKind};
pub use system::{CgReport, End, System, Tolerance};
