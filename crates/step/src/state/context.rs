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
    /// Whether the step may be halved.
    pub can_halve: bool,
    /// Whether the step may be halved for a rise of energy below its limit.
    pub can_halve_for_a_rise: bool,
    /// Whether the step may be halved because rises of many steps come to too much.
    pub can_halve_for_rises: bool,
    /// Whether the solution may be repaired.
    pub can_repair: bool,
    /// Whether fast impacts of bodies end within the step.
    pub with_impacts: bool,
}

impl Context<'_> {
    /// Whether too large a turn or loss is trouble, because something else can still be tried.
    pub fn is_strict(&self) -> bool {
        self.can_halve || self.can_repair
    }
}

impl ThisRank<'_> {
    /// How contacts reach the owners of their nodes.
    pub fn route(&self) -> Route<'_> {
        let Self { world, partition, layout, .. } = self;
        Route { world: &**world, partition, layout }
    }
}
