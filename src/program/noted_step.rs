//! The time line of one step: from all ranks into the run folder.

use cloth_sim::error::Result;
use cloth_sim::observe::SearchSpan;
use cloth_sim::ranks::World;
use cloth_sim::ranks::launch::HostBinding;

use crate::program::gather;
use crate::program::job::Job;
use crate::program::output::timeline_json::{FORMAT, RankSpans, TimeLine};

/// Writes to `timeline.json` who executed which task. Before: the tasks of this `step`, which
/// belongs to `frame`, were traced, and `searches` are this rank's. Collective.
///
/// # Errors
/// When the file cannot be written or a rank fails.
pub fn write(
    job: &Job,
    world: &dyn World,
    searches: Vec<SearchSpan>,
    (step, frame): (u64, u64),
) -> Result<()> {
    let ranks = gather::items(world, &RankSpans { host: HostBinding::here().host, searches })?;
    if world.rank() != 0 {
        return Ok(());
    }
    let mut line = TimeLine {
        format: FORMAT,
        scene: job.scene.name.clone(),
        step,
        frame,
        threads: job.threads,
        ranks,
    };
    line.count_from_start();
    line.write(&job.folder)
}
