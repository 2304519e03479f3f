//! The loop over the frames of a run, whatever it computes.

use cloth_sim::error::Result;
use cloth_sim::ranks::World;
use nix::sys::signal::Signal;

use crate::program::run::interrupt::Interrupt;
use crate::program::run::job::Job;

/// What a kind of run does on one rank from frame to frame. All functions are collective.
pub trait RunKind {
    /// What a rank measures in the steps that lead to a frame.
    type Steps: Default;

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
}

/// Computes the frames of `job`. Returns the signal that ended the run early, if one did.
/// Collective.
///
/// # Errors
/// Whatever ended the run.
pub fn compute(
    run: &mut impl RunKind,
    job: &Job,
    world: &dyn World,
    interrupt: &Interrupt,
) -> Result<Option<Signal>> {
    for frame in 0..=u64::from(job.scene.frames) {
        // 1. The steps that lead to the frame. Frame 0 is the start.
        let mut steps = Default::default();
        let count = if frame == 0 { 0 } else { job.scene.steps_per_frame };
        for _ in 0..count {
            if let Some(signal) = interrupt.noted(world)? {
                return Ok(Some(signal));
            }
            run.step(frame, &mut steps)?;
        }
        // 2. The frame and its record, from all ranks into the run folder.
        run.frame(frame, &steps)?;
    }
    Ok(None)
}
