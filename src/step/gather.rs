//! The all-gather after the solve.

use crate::error::Result;
use crate::math::Vec3;
use crate::partition::{Gather, Partition};
use crate::step::context::Context;
use crate::step::motion::StepMotion;

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

    /// Adds the changes `delta_u` of the own nodes (m/s or rad/s, in parallel numbering) to the
    /// velocities about which `motion` was linearised. After: `motion` has the velocities of all
    /// nodes and the positions of all vertices at the end of the step. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn velocities(
        &mut self,
        here: &Context,
        delta_u: &[Vec3],
        motion: &mut StepMotion,
    ) -> Result<()> {
        let changes = here.rank.layout.own.iter().zip(delta_u);
        let u = motion.about().u;
        self.own.clear();
        self.own.extend(changes.map(|(&node, change)| u[node as usize] + change));
        let all = &mut motion.u1[..here.model.numbering.nodes()];
        self.gather.to_all(&*here.rank.world, &self.own, all)?;
        motion.finish(here.model, here.span.scheme);
        motion.note_solution();
        Ok(())
    }
}
