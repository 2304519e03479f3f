//! What a rank builds for its own rows. All of it follows from the model and the partition.

use std::iter::zip;

use crate::model::Model;
use crate::model::settings::{MOST_ITERATIONS, VELOCITY_ERROR_M_PER_S};
use crate::solve::system::StepSystem;
use crate::state::context::{Context, ThisRank};
use crate::state::motion::StepMotion;
use cloth_core::error::Result;
use cloth_core::linear::Tolerance;
use cloth_core::math::Vec3;
use cloth_core::partition::{Gather, Layout, Partition};
use cloth_core::threads::Blocks;

/// The largest relative residual of scenes of bodies alone. An impact has large forces, and what is
/// left of them is lost momentum: a rack of balls gained 1 % at 1e-3. Such systems are small, so that
/// it costs little.
const RESIDUAL_OF_BODIES: f64 = 1e-8;

/// Numbering, linear system and all-gather of one rank.
pub(crate) struct OwnRows {
    pub layout: Layout,
    pub system: StepSystem,
    pub gather: VelocityGather,
}

impl OwnRows {
    /// The rows of `rank` in `partition`.
    ///
    /// # Errors
    /// When the matrix is too large.
    pub fn new(model: &Model, partition: &Partition, rank: usize) -> Result<Self> {
        let solver = &model.settings.solver;
        let tolerance = Tolerance {
            relative_residual: match model.cloth_ends.is_empty() {
                true => solver.relative_residual.min(RESIDUAL_OF_BODIES),
                false => solver.relative_residual,
            },
            velocity_m_per_s: VELOCITY_ERROR_M_PER_S,
            least_reference: 0.0,
            max_iterations: MOST_ITERATIONS,
        };
        let layout = Layout::new(&model.graph, partition, rank);
        let system = StepSystem::new(model, partition, &layout, solver.preconditioner, tolerance)?;
        Ok(Self { gather: VelocityGather::new(partition), layout, system })
    }
}

/// Brings the velocities of all nodes to every rank.
pub(crate) struct VelocityGather {
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
