//! What a rank builds for its own rows. All of it follows from the model and the partition.

use crate::gather::VelocityGather;
use crate::model::Model;
use crate::system::StepSystem;
use cloth_core::error::Result;
use cloth_core::linear::Tolerance;
use cloth_core::partition::{Layout, Partition};

/// The largest relative residual of scenes of bodies alone. An impact has large forces, and what is
/// left of them is lost momentum: a rack of balls gained 1 % at 1e-3. Such systems are small, so that
/// it costs little.
const RESIDUAL_OF_BODIES: f64 = 1e-8;

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
            relative_residual: match model.cloth_ends.is_empty() {
                true => solver.relative_residual.min(RESIDUAL_OF_BODIES),
                false => solver.relative_residual,
            },
            velocity_m_per_s: solver.velocity_error_m_per_s,
            least_reference: 0.0,
            max_iterations: solver.max_iterations as usize,
        };
        let layout = Layout::new(&model.graph, partition, rank);
        let system = StepSystem::new(model, partition, &layout, solver.preconditioner, tolerance)?;
        Ok(Self { gather: VelocityGather::new(partition), layout, system })
    }
}
