//! What is known of a run of cloth before its first step.

use cloth_sim::error::Result;
use cloth_sim::partition::quality;
use cloth_sim::ranks::World;
use cloth_sim::step::{Model, Simulation, lift_j};

use crate::program::output::energy_balance::EnergyBalance;
use crate::program::output::run_json::RunHead;
use crate::program::run::head;
use crate::program::run::job::Job;

/// The head of `run.json`. On rank 0 it has the places of all ranks. Collective.
///
/// # Errors
/// When a rank fails.
pub fn of_run(
    job: &Job,
    world: &dyn World,
    model: &Model,
    simulation: &Simulation,
) -> Result<RunHead> {
    let layout = simulation.layout();
    let places = head::places(world, layout.own.len(), layout.ghosts.len())?;
    Ok(RunHead {
        patches: model.partition.patches.len(),
        load_index: quality::load_index(&model.partition, &model.partition.patches.work()),
        surface_index: quality::surface_index(&model.graph, &model.partition),
        bending: model.cloth.elements.bending.treatment.to_string(),
        places,
        energy: EnergyBalance::new(lift_j(model)),
        ..RunHead::begun(job, world.size())
    })
}
