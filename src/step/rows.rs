//! What a rank builds for its own rows. All of it follows from the model and the partition.

use crate::error::Result;
use crate::linear::Tolerance;
use crate::partition::{Layout, Partition};
use crate::step::gather::VelocityGather;
use crate::step::model::Model;
use crate::step::system::StepSystem;

/// Numbering, linear system and all-gather of one rank.
pub(super) struct OwnRows {
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
            relative_residual: solver.relative_residual,
            velocity_m_per_s: solver.velocity_error_m_per_s,
            least_reference: 0.0,
            max_iterations: solver.max_iterations as usize,
        };
        let layout = Layout::new(&model.graph, partition, rank);
        let system = StepSystem::new(model, partition, &layout, solver.preconditioner, tolerance)?;
        Ok(Self { gather: VelocityGather::new(partition), layout, system })
    }
}
