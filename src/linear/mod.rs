//! The linear system: 3x3-block matrix, reproducible sums, preconditioners and
//! conjugate gradients, distributed over ranks and bit-identical for any number
//! of them.

mod block_csr;
mod cg;
mod couplings;
mod equations;
mod incomplete_cholesky;
mod jacobian;
mod preconditioner;
mod symmetric3;
mod system;
#[cfg(test)]
mod test_systems;
mod vectors;

pub use block_csr::{BlockCsr, BlockStructure, Rows};
pub use cg::CgWorkspace;
pub use couplings::{Coupling, Couplings, MAX_TERMS};
pub use equations::PatchEquations;
pub use jacobian::Jacobian;
pub use preconditioner::{Preconditioner, PreconditionerKind};
pub use system::{CgReport, End, System, Tolerance};
