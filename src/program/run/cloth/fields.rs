//! The fields of a frame that the scene asks for.

use crate::engine::Frame;
use cloth_core::error::Result;
use cloth_scene::spec::VertexField;
use cloth_step::Simulation;

use crate::program::output::fields::{scalars, strain};
use crate::program::run::Job;

/// Adds the fields to `frame`, on rank 0. If no format of the run holds fields, it adds none.
/// Collective.
///
/// # Errors
/// When a rank fails.
pub fn add(job: &Job, simulation: &Simulation, frame: &mut Frame) -> Result<()> {
    if !job.formats.hold_fields() {
        return Ok(());
    }
    let model = simulation.model();
    for field in &job.scene.output.fields {
        let field = match field {
            VertexField::Strain => {
                strain(&model.edges, &model.rest_lengths, simulation.positions())
            }
            VertexField::Contact => {
                let counts = simulation.contact_counts()?;
                scalars("contact", counts.into_iter().map(f64::from).collect())
            }
            VertexField::Rank => {
                let rank = |vertex| f64::from(simulation.partition().rank_of_vertex(vertex));
                scalars("rank", (0..model.cloth.vertex_count() as u32).map(rank).collect())
            }
        };
        if simulation.rank() == 0 {
            frame.fields.push(field);
        }
    }
    Ok(())
}
