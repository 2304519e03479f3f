//! When a run writes a checkpoint, and how a run goes on from one.

use std::time::Instant;

use cloth_core::error::{Error, Result};
use cloth_core::ranks::World;
use serde::de::DeserializeOwned;

use crate::program::output::RunFolder;
use crate::program::run::Job;

/// The largest fraction of the run's time that checkpoints may cost, unless the user chooses when
/// they are written.
const LARGEST_SHARE: f64 = 0.01;

/// Decides on rank 0 which frames are followed by a checkpoint.
pub struct Schedule {
    /// Number of frames from one checkpoint to the next. With `None` the cost decides.
    every: Option<u32>,
    first_frame: u64,
    last_frame: u64,
    start: Instant,
    count: u32,
    /// Time that saving took, s, without writing.
    saving_s: f64,
}

impl Schedule {
    /// The schedule of `job`, whose first frame is `first_frame`.
    pub fn new(job: &Job, first_frame: u64) -> Self {
        let (every, last_frame) = (job.checkpoints.every, job.scene.frames.into());
        Self { every, first_frame, last_frame, start: Instant::now(), count: 0, saving_s: 0.0 }
    }

    /// Whether a checkpoint is due after `frame`. Writing checkpoints has taken `writing_s` (s) so
    /// far. There is always one after the last frame, because the run may go on with more frames,
    /// and after the first frame of a run that begins with a frame of another run.
    pub fn is_due(&self, frame: u64, writing_s: f64) -> bool {
        match self.every {
            _ if frame == 0 => false,
            _ if frame == self.first_frame || frame == self.last_frame => true,
            Some(every) => frame.is_multiple_of(every.max(1).into()),
            None => {
                // The next checkpoint is expected to cost as much as the mean of those before.
                let spent_s = self.saving_s + writing_s;
                let next_s = spent_s / f64::from(self.count.max(1));
                spent_s + next_s <= LARGEST_SHARE * self.start.elapsed().as_secs_f64()
            }
        }
    }

    /// Counts a checkpoint that took `seconds` (s) to save.
    pub fn add(&mut self, seconds: f64) {
        self.count += 1;
        self.saving_s += seconds;
    }

    /// Number of checkpoints, and the time that they took, s. `writing_s` (s) of it was spent on
    /// writing.
    pub fn cost(&self, writing_s: f64) -> (u32, f64) {
        (self.count, self.saving_s + writing_s)
    }
}

/// A saved state, with what the record of its run needs. It is whole on rank 0.
pub struct Saved<R> {
    /// Whole steps since the start.
    pub step: u64,
    /// The state.
    pub state: Vec<u8>,
    /// The record of the steps since the last frame. `None` if there was no step.
    pub steps: Option<R>,
    /// When saving began.
    pub start: Instant,
}

/// The saved state from which the run goes on, on every rank; `None` if it begins. Rank 0 has the
/// `folder`. Collective.
///
/// # Errors
/// When a rank fails.
pub fn saved_state(
    job: &Job,
    world: &dyn World,
    folder: Option<&RunFolder>,
) -> Result<Option<Vec<u8>>> {
    if !job.target.resumes && job.target.origin.is_none() {
        return Ok(None);
    }
    let checkpoint = folder.and_then(|folder| folder.checkpoint.as_ref());
    let mut state = checkpoint.map(|checkpoint| checkpoint.state.clone()).unwrap_or_default();
    world.broadcast(0, &mut state)?;
    Ok((!state.is_empty()).then_some(state))
}

/// The record of the steps between the last frame and the checkpoint from which the run of `folder`
/// goes on, if there are any.
///
/// # Errors
/// A record that cannot be read.
pub fn begun<R: DeserializeOwned>(folder: &RunFolder) -> Result<Option<R>> {
    let steps = folder.checkpoint.as_ref().map(|it| &it.steps).filter(|it| !it.is_empty());
    let read = |steps: &Vec<u8>| serde_json::from_slice(steps);
    steps.map(read).transpose().map_err(|cause| Error::internal("steps of a checkpoint", cause))
}
