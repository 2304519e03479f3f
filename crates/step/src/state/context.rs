//! What every stage of a step is given.

use crate::model::Model;
use crate::state::region::Region;
use crate::time::clock::Span;
use cloth_bodies::contact::Route;
use cloth_core::partition::{Layout, Partition};
use cloth_core::ranks::WorldHandle;
use cloth_core::threads::Threads;

/// One rank: how it reaches the others, its threads and its numbering.
pub(crate) struct ThisRank<'w> {
    /// All ranks.
    pub world: WorldHandle<'w>,
    /// The threads of this rank.
    pub threads: Threads,
    /// The present owners of all patches. [`Model::partition`] has their first owners.
    pub partition: Partition,
    /// Its numbering of nodes.
    pub layout: Layout,
}

/// What every stage of a step is given in addition to its own inputs.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// What all ranks know alike.
    pub model: &'a Model,
    /// This rank.
    pub rank: &'a ThisRank<'a>,
    /// The time of the step.
    pub span: &'a Span,
    /// The part of the last solution that this solve repairs. None in the first solve of a step.
    pub region: Option<&'a Region>,
    /// Whether bodies bounce within this step.
    pub with_impacts: bool,
}

impl ThisRank<'_> {
    /// How contacts reach the owners of their nodes.
    pub fn route(&self) -> Route<'_> {
        let Self { world, partition, layout, .. } = self;
        Route { world: &**world, partition, layout }
    }
}
