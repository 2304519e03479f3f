//! Ranks and the messages between them.
//!
//! Everything above this module is SPMD code against one [`World`] trait with two
//! back ends: [`in_process`] (ranks are threads of one process) and the crate `cloth-mpi` (ranks
//! are processes).
//!
//! - [`message`]: typed collectives and the sparse exchange [`message::route`];
//! - [`halo`]: ghost points of a distributed vector;
//! - [`exact_sum`]: sums over ranks with the same bits for any number of them;
//! - [`launch`]: how this process was started, and where it runs.

pub mod exact_sum;
pub mod failure;
pub mod halo;
pub mod in_process;
pub mod launch;
pub mod message;
#[doc(hidden)] // for the tests of several crates
pub mod simulated;
mod timed;
pub mod world;

pub use crate::threads::wait::Patience;
pub use exact_sum::ExactSums;
pub use failure::report_panics_once;
pub use halo::{Halo, HaloNeighbour};
pub use timed::TimedWorld;
pub use world::{Exchange, Message, Neighbour, PendingId, Tag, World, WorldHandle, wait};
