//! The time line of one step: from all ranks into the run folder.

use crate::observe::SearchSpan;
use cloth_core::error::Result;
use cloth_core::ranks::World;
use cloth_core::ranks::launch::HostBinding;

use crate::program::output::timeline_json::{FORMAT, RankSpans, TimeLine};
use crate::program::run::gather;
use crate::program::run::job::Job;

/// A step whose tasks were traced on this rank.
pub struct TracedStep {
    /// Its number, from 1.
    pub step: u64,
    /// The frame that it leads to.
    pub frame: u64,
    /// Its searches on this rank.
    pub searches: Vec<SearchSpan>,
}

/// Writes `timeline.json`, on rank 0. Collective.
///
/// # Errors
/// When the file cannot be written or a rank fails.
pub fn write(job: &Job, world: &dyn World, traced: TracedStep) -> Result<()> {
    let TracedStep { step, frame, searches } = traced;
    let ranks = gather::items(world, &RankSpans { host: HostBinding::here().host, searches })?;
    if world.rank() != 0 {
        return Ok(());
    }
    let mut line = TimeLine {
        format: FORMAT,
        scene: job.scene.name.clone(),
        step,
        frame,
        threads: job.placement.threads,
        ranks,
    };
    line.count_from_start();
    line.write(&job.target.folder)
}
