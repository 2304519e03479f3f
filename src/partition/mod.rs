//! Which rank owns what.
//!
//! The vertices of all cloths are cut twice: into [`Patches`], which depend on
//! the mesh alone, and the patches into ranks ([`Partition`]). One rank's part
//! of the parallel numbering is its [`Layout`]. Vertices keep their number in
//! the mesh throughout: a partition is an index, not a data structure.

mod distribute;
mod graph;
mod metis;
mod patch_graph;
mod patch_index;
mod patches;
pub mod quality;
mod step_ghosts;

pub use distribute::{Gather, Layout, Partition};
pub use graph::Graph;
pub use patch_graph::PatchGraph;
pub use patch_index::PatchIndex;
pub use patches::Patches;
pub use step_ghosts::StepGhosts;
