//! What every stage of a step is given.

use crate::contact::Route;
use crate::partition::Layout;
use crate::ranks::World;
use crate::step::model::Model;
use crate::step::motion::Span;
use crate::threads::Threads;

/// One rank: how it reaches the others, its threads and its numbering.
pub(super) struct ThisRank<'w> {
    pub world: &'w dyn World,
    pub threads: Threads,
    pub layout: Layout,
}

/// What every stage of a step is given beside its own inputs.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub model: &'a Model,
    pub rank: &'a ThisRank<'a>,
    pub span: &'a Span,
}

impl Context<'_> {
    /// How contacts reach the owners of their nodes.
    pub fn route(&self) -> Route<'_> {
        let ThisRank { world, layout, .. } = self.rank;
        Route { world: *world, partition: &self.model.partition, layout }
    }
}
