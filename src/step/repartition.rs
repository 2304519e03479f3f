//! Patches that change their owner between two steps.
//!
//! Positions and velocities are on every rank, and the linear system is filled anew in every step.
//! So only the memories of contacts move. Each rank builds the structure of its new rows from the
//! model.

use crate::error::Result;
use crate::partition::Partition;
use crate::step::rows::OwnRows;
use crate::step::simulation::Simulation;

impl Simulation<'_> {
    /// The owners of all patches at present.
    pub fn partition(&self) -> &Partition {
        &self.rank.partition
    }

    /// Gives each patch to the rank in `rank_of_patch`. Every rank must give the same. The state
    /// and all further frames have the same bits as without. Collective.
    ///
    /// # Errors
    /// When there is not one owner for each patch or an owner is no rank; then nothing changes.
    /// When another rank has failed, or the matrix of a rank is too large.
    pub fn repartition(&mut self, rank_of_patch: &[u32]) -> Result<()> {
        let partition = self.rank.partition.with_owners(rank_of_patch)?;
        if partition == self.rank.partition {
            return Ok(());
        }
        let (model, rank, stages) = (&self.model, &mut self.rank, &mut self.stages);
        let nodes_of = |vertex: u32| model.numbering.nodes_of(vertex);
        let rows = OwnRows::new(model, &partition, rank.world.rank())?;
        rank.route().hand_over(
            &partition,
            |pair| pair.vertices.into_iter().flat_map(nodes_of),
            &mut self.state.contacts,
        )?;
        (stages.system, stages.gather) = (rows.system, rows.gather);
        (rank.layout, rank.partition) = (rows.layout, partition);
        Ok(())
    }
}
