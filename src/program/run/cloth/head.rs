//! What is known of a run of cloth before its first step.

use cloth_core::error::Result;
use cloth_core::ranks::World;
use cloth_step::{Model, Simulation, lift_j};

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
        load_index: model.partition.load_index(&model.partition.patches.work()),
        surface_index: model.partition.surface_index(&model.graph),
        bending: bending(model.cloth.elements.bending.implicit()),
        places,
        energy: EnergyBalance::new(lift_j(model)),
        ..RunHead::begun(job, world.size())
    })
}

/// How bending enters the linear system, in words.
fn bending([implicit, all]: [usize; 2]) -> String {
    match implicit {
        0 => "explicit".into(),
        _ if implicit == all => "implicit".into(),
        _ => format!("implicit at {:.1} % of hinges", 100.0 * implicit as f64 / all as f64),
    }
}
