//! The loop over the frames of a run, whatever it computes.

use cloth_sim::error::Result;
use cloth_sim::ranks::World;

use crate::program::run::interrupt::{Interrupt, Stop};
use crate::program::run::job::Job;

/// What a kind of run does on one rank from frame to frame. All functions are collective, except
/// those that only ask.
pub trait RunKind {
    /// What a rank measures in the steps that lead to a frame.
    type Steps: Default;

    /// Whole steps since the start.
    fn steps(&self) -> u64;

    /// Does the next step, which leads to `frame`, and adds it to `steps`.
    ///
    /// # Errors
    /// When a rank fails, or a file cannot be written.
    fn step(&mut self, frame: u64, steps: &mut Self::Steps) -> Result<()>;

    /// Gathers `frame`, whose last step is over, and hands it to the writer.
    ///
    /// # Errors
    /// As for [`Self::step`].
    fn frame(&mut self, frame: u64, steps: &Self::Steps) -> Result<()>;

    /// Whether a checkpoint is due after `frame`. Only rank 0 knows.
    fn checkpoint_is_due(&self, frame: u64) -> bool;

    /// Saves the state after some `steps` since the last frame, and hands it to the writer.
    ///
    /// # Errors
    /// As for [`Self::step`].
    fn checkpoint(&mut self, steps: &Self::Steps) -> Result<()>;
}

/// Computes the frames of `job` from the present state on. Returns why the run ended early, if it
/// did; then there is a checkpoint of its last step. Collective.
///
/// # Errors
/// Whatever ended the run.
pub fn compute(
    run: &mut impl RunKind,
    job: &Job,
    world: &dyn World,
    interrupt: &Interrupt,
) -> Result<Option<Stop>> {
    let steps_per_frame = u64::from(job.scene.steps_per_frame);
    // A run that goes on has the frame before its state. A new one begins with a frame.
    let goes_on = job.resumes && run.steps() > 0;
    let first = run.steps() / steps_per_frame + u64::from(goes_on);
    for frame in first..=u64::from(job.scene.frames) {
        // 1. The steps that lead to the frame. Frame 0 is the start.
        let mut steps = Default::default();
        while run.steps() < frame * steps_per_frame {
            if let Some(stop) = interrupt.noted(world, job.time_is_up())? {
                if job.makes_checkpoints() && run.steps() > 0 {
                    run.checkpoint(&steps)?;
                }
                return Ok(Some(stop));
            }
            run.step(frame, &mut steps)?;
        }
        // 2. The frame and its record, from all ranks into the run folder.
        run.frame(frame, &steps)?;
        // 3. The state, from which the run can go on.
        if job.makes_checkpoints() {
            let mut due = [i64::from(run.checkpoint_is_due(frame))];
            world.all_reduce_sum(&mut due)?;
            if due != [0] {
                run.checkpoint(&Default::default())?;
            }
        }
    }
    Ok(None)
}
