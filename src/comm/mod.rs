//! Ranks and what they say to each other.
//!
//! Everything above this module is SPMD code against one [`World`] trait, with
//! two back ends: [`threads`] (ranks are threads of one process) and `mpi`.

mod halo;
mod world;

pub use halo::{Halo, HaloNeighbour};
pub use world::{Exchange, Message, Neighbour, PendingId, Tag, World};
