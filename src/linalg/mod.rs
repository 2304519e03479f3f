//! The linear system: 3x3-block matrix, reproducible sums, preconditioners and
//! conjugate gradients, distributed over ranks and bit-identical for any number
//! of them.

pub mod reproducible_sum;

pub use reproducible_sum::ReproducibleSums;
