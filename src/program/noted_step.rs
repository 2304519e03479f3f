//! The time line of one step: from all ranks into the run folder.

use cloth_sim::error::Result;
use cloth_sim::ranks::World;
use cloth_sim::ranks::launch::Placement;
use cloth_sim::step::Simulation;

use crate::program::gather;
use crate::program::job::Job;
use crate::program::output::timeline_json::{FORMAT, RankSpans, TimeLine};

/// Writes who executed which task in the last step, which belongs to `frame`, to
/// `timeline.json`. Before: its tasks were noted. Collective.
///
/// # Errors
/// When the file cannot be written or a rank fails.
pub fn write(job: &Job, world: &dyn World, simulation: &Simulation, frame: u64) -> Result<()> {
    let searches = simulation.processors().searches().to_vec();
    let ranks = gather::items(world, &RankSpans { host: Placement::here().host, searches })?;
    if world.rank() != 0 {
        return Ok(());
    }
    let mut line = TimeLine {
        format: FORMAT,
        scene: job.scene.name.clone(),
        step: simulation.steps(),
        frame,
        threads: job.threads,
        ranks,
    };
    line.count_from_start();
    line.write(&job.folder)
}
