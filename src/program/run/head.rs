//! What is known of a run before its first step.

use cloth_sim::error::Result;
use cloth_sim::partition::quality;
use cloth_sim::ranks::World;
use cloth_sim::ranks::launch::HostBinding;
use cloth_sim::step::{Model, Simulation, lift_j};

use crate::program::output::energy_balance::EnergyBalance;
use crate::program::output::run_json::{FORMAT, RankPlace, Repartitions, RunHead, Status};
use crate::program::run::gather;
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
    let places = places(world, layout.own.len(), layout.ghosts.len())?;
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

/// The places of all ranks, on rank 0. This rank owns `vertices` vertices or bodies, and has
/// `ghosts` ghost points or shadow copies. Collective.
///
/// # Errors
/// When a rank fails.
pub fn places(world: &dyn World, vertices: usize, ghosts: usize) -> Result<Vec<RankPlace>> {
    let HostBinding { host, cpus_allowed: cores } = HostBinding::here();
    gather::items(world, &RankPlace { rank: world.rank(), host, cores, vertices, ghosts })
}

impl RunHead {
    /// What is known of any run on `ranks` ranks when it begins.
    pub fn begun(job: &Job, ranks: usize) -> Self {
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            status: Status::Running,
            error: None,
            scene: job.scene.name.clone(),
            seed: job.scene.seed,
            ranks,
            threads: job.placement.threads,
            transport: job.transport.to_owned(),
            steps_per_frame: u64::from(job.scene.steps_per_frame),
            patches: 0,
            load_index: 0.0,
            surface_index: 0.0,
            bending: String::new(),
            meshes: job.input.meshes.iter().map(|mesh| mesh.copy.clone()).collect(),
            files: job.target.files.clone(),
            places: Vec::new(),
            energy: EnergyBalance::default(),
            repartitions: Repartitions::default(),
            begun_from: job.target.origin.clone(),
            resumed: Vec::new(),
            bodies: None,
        }
    }
}
