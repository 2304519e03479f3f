//! The all-gather after the solve.

use std::iter::zip;

use crate::context::{Context, ThisRank};
use crate::motion::StepMotion;
use cloth_core::error::Result;
use cloth_core::math::Vec3;
use cloth_core::partition::{Gather, Partition};
use cloth_core::threads::Blocks;

/// Brings the velocities of all nodes to every rank.
pub(super) struct VelocityGather {
    gather: Gather,
    /// Velocities of the own nodes at the end of the step, in parallel numbering.
    own: Vec<Vec3>,
}

impl VelocityGather {
    pub fn new(partition: &Partition) -> Self {
        Self { gather: Gather::new(partition), own: Vec::new() }
    }

    /// Adds the changes `delta_u` of the own nodes (m/s, in parallel numbering) to the
    /// velocities about which `motion` was linearised. After: `motion` has the velocities of all
    /// nodes and the positions of all vertices at the end of the step, and keeps both as the
    /// solution. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn velocities(
        &mut self,
        here: &Context,
        delta_u: &[Vec3],
        motion: &mut StepMotion,
    ) -> Result<()> {
        let ThisRank { world, threads, layout, .. } = here.rank;
        let u = motion.about().u;
        self.own.resize(layout.own.len(), Vec3::zeros());
        threads.for_each_patch(Blocks::of_vertices(&mut self.own), 1, |block, own| {
            let changes = zip(&layout.own, delta_u).skip(block * own.size);
            let ends = changes.map(|(&node, change)| u[node as usize] + change);
            zip(own.items, ends).for_each(|(own, end)| *own = end);
        });
        let all = &mut motion.u1[..here.model.numbering.nodes()];
        self.gather.to_all(&**world, threads, &self.own, all)?;
        motion.finish(threads, here.model, here.span.scheme);
        Ok(())
    }
}
