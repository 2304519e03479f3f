//! What contacts do to velocities. Two responses, on the same contacts. FFD is for gases and rapid
//! flows: one communication, no state. Piles rest only with the other one, which costs about as
//! much with ten sweeps.
//!
//! | module | |
//! |---|---|
//! | [`ffd`] | fast frictional dynamics: each body alone, from the velocities before the response |
//! | [`nonsmooth`] | non-smooth contact dynamics: sweeps over all contacts, with impulses in common |
//! | [`qp`] | the least change of a velocity under linear constraints, in six unknowns |
//! | [`by_body`] | constraints or impulses in the order of their bodies |

pub mod by_body;
pub mod ffd;
pub mod nonsmooth;
pub mod qp;

pub use by_body::ByBody;
