//! Patches that change their owner between two steps.
//!
//! Positions and velocities are on every rank, and the linear system is filled anew in every step.
//! So only the memories of contacts move. Each rank builds the structure of its new rows from the
//! model.

use crate::attempt::Stages;
use crate::context::ThisRank;
use crate::model::Model;
use crate::rows::OwnRows;
use cloth_bodies::contact::ContactMemory;
use cloth_collision::collision::Pair;
use cloth_core::error::Result;
use cloth_core::partition::Partition;

/// Gives the patches to their owners in the partition `to`. After: `rank` has the rows and the
/// memories of `contacts` of its new patches. Collective.
///
/// # Errors
/// When another rank has failed, or the matrix of a rank is too large.
pub(super) fn repartition(
    model: &Model,
    to: Partition,
    rank: &mut ThisRank,
    stages: &mut Stages,
    contacts: &mut Vec<ContactMemory>,
) -> Result<()> {
    let nodes_of = |vertex: u32| model.numbering.nodes_of(vertex);
    let rows = OwnRows::new(model, &to, rank.world.rank())?;
    let nodes_of_pair = |pair: &Pair| pair.vertices.into_iter().flat_map(nodes_of);
    rank.route().hand_over(&to, nodes_of_pair, contacts)?;
    (stages.system, stages.gather) = (rows.system, rows.gather);
    (rank.layout, rank.partition) = (rows.layout, to);
    Ok(())
}
