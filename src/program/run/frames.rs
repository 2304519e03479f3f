//! The loop over the frames of a run, for every kind of run.

use std::time::Instant;

use cloth_core::error::Result;
use cloth_core::ranks::{World, message};

use crate::engine::{Engine, Frame};
use crate::program::output::{FrameRecord, Kind, StepRecord};
use crate::program::run::{Interrupt, Job, Recorder, RunSums, Saved, Stop};

/// The kind of a run that has the sums `S`.
type KindOf<S> = <S as RunSums>::Kind;

/// What a kind of run does on one rank from frame to frame. All functions are collective, except
/// those that only return a value.
pub trait RunKind<'j> {
    /// What a rank measures in the steps that lead to a frame.
    type Steps: Default;

    /// What it sums up.
    type Sums: RunSums;

    /// What computes the run.
    fn engine(&self) -> &(impl Engine + ?Sized);

    /// Does the next step, which leads to `frame`, and adds it to `steps`.
    ///
    /// # Errors
    /// When a rank fails, or a file cannot be written.
    fn step(&mut self, frame: u64, steps: &mut Self::Steps) -> Result<()>;

    /// Gathers `frame`, whose last step is over, and hands it to the writer.
    ///
    /// # Errors
    /// The errors of [`Self::step`].
    fn frame(&mut self, frame: u64, shown: Frame, steps: &Self::Steps) -> Result<()>;

    /// Gathers the record of those steps that lead to `frame` and are done. `None` if no step is
    /// done.
    ///
    /// # Errors
    /// When a rank fails.
    fn gather(
        &self,
        frame: u64,
        steps: &Self::Steps,
    ) -> Result<Option<FrameRecord<KindOf<Self::Sums>>>>;

    /// Keeps the run folder, on rank 0.
    fn recorder(&mut self) -> Option<&mut Recorder<'j, Self::Sums>>;
}

/// Computes the frames of `job` from the present state on. If the run ends early, saves a
/// checkpoint of its last step, if checkpoints are made, and returns why it ended. Collective.
///
/// # Errors
/// Whatever ended the run.
pub fn compute<'j>(
    run: &mut impl RunKind<'j>,
    job: &Job,
    world: &dyn World,
    interrupt: &Interrupt,
) -> Result<Option<Stop>> {
    let steps_per_frame = u64::from(job.scene.steps_per_frame.at_most());
    // A resumed run already has the last frame before its state. A new run begins with a frame.
    let goes_on = job.target.resumes && steps(run) > 0;
    let first = steps(run) / steps_per_frame + u64::from(goes_on);
    for frame in first..=u64::from(job.scene.frames) {
        // 1. The steps that lead to the frame. Frame 0 is the start.
        let mut measured = Default::default();
        while steps(run) < frame * steps_per_frame {
            if let Some(stop) = interrupt.noted(world, job.time_is_up())? {
                if job.makes_checkpoints() && steps(run) > 0 {
                    save(run, frame, &measured)?;
                }
                return Ok(Some(stop));
            }
            run.step(frame, &mut measured)?;
        }
        // 2. The frame and its record, from all ranks into the run folder.
        let shown = run.engine().frame()?;
        run.frame(frame, shown, &measured)?;
        // 3. The state, from which the run can go on.
        if job.makes_checkpoints() {
            let is_due = run.recorder().is_some_and(|recorder| recorder.checkpoint_is_due(frame));
            let mut due = [i64::from(is_due)];
            world.all_reduce_sum(&mut due)?;
            if due != [0] {
                save(run, frame + 1, &Default::default())?;
            }
        }
    }
    Ok(None)
}

/// Whole steps since the start.
fn steps<'j>(run: &impl RunKind<'j>) -> u64 {
    run.engine().steps()
}

/// Saves the state. Some or all of the steps that lead to `frame` are done. Collective.
fn save<'j, K: RunKind<'j>>(run: &mut K, frame: u64, measured: &K::Steps) -> Result<()> {
    let start = Instant::now();
    let state = run.engine().save()?;
    let steps = run.gather(frame, measured)?;
    let saved = Saved { step: run.engine().steps(), state, steps, start };
    run.recorder().map_or(Ok(()), |recorder| recorder.keep(saved))
}

/// The records of every rank's steps with these `numbers`, rank by rank, on rank 0; nothing on the
/// others. All ranks have `reports` of the same steps. `part` gives what the kind records
/// besides, from a rank and the index of a step; it is called in the order of the records.
/// Collective.
///
/// # Errors
/// If a rank fails.
pub fn gather_steps<K: Kind>(
    world: &dyn World,
    numbers: &[u64],
    reports: &[K::Report],
    mut part: impl FnMut(usize, usize) -> K::StepPart,
) -> Result<Vec<StepRecord<K>>> {
    let count = reports.len().max(1);
    let all = message::gather_v(world, 0, reports)?;
    let records = all.into_iter().enumerate().map(|(index, report)| {
        let (rank, index) = (index / count, index % count);
        StepRecord { step: numbers[index], rank, part: part(rank, index), report }
    });
    Ok(records.collect())
}
