//! The linear system: 3x3-block matrix, reproducible sums, preconditioners and
//! conjugate gradients, distributed over ranks and bit-identical for any number
//! of them.

mod block_csr;
mod cg;
mod couplings;
mod incomplete_cholesky;
mod preconditioner;
pub mod reproducible_sum;

pub use block_csr::{BlockCsr, BlockStructure, Rows};
pub use cg::{CgReport, CgWorkspace, End, System, Tolerance};
pub use couplings::{Coupling, Couplings};
pub use preconditioner::{Preconditioner, PreconditionerKind};
pub use reproducible_sum::ReproducibleSums;
