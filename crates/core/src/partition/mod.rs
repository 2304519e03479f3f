//! The owner of every vertex, and the numbering of one rank.
//!
//! The vertices are divided twice: into [`Patches`], which depend on the mesh alone, and
//! the patches among the ranks ([`Partition`]). A [`Layout`] is one rank's part of the
//! parallel numbering. Vertices keep their number in the mesh throughout: a partition is
//! an index, not a data structure.
//!
//! A vertex of this room is a node of the linear system ([`crate::ids::NodeId`]): first
//! the vertices of all cloths, then the nodes of bodies of few nodes. Such a body is
//! divided like a cloth; usually it is one patch.

mod buckets;
mod distribute;
mod graph;
pub mod measures;
pub mod methods;
mod patch_graph;
mod patch_index;
mod patches;
pub mod rebalance;
mod step_ghosts;

pub use buckets::Buckets;
pub use distribute::{Gather, Layout, Partition};
pub use graph::Graph;
pub use methods::halves;
pub use patch_graph::PatchGraph;
pub use patch_index::PatchIndex;
pub use patches::Patches;
pub use step_ghosts::StepGhosts;
