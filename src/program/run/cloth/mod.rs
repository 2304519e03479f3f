//! A run of cloth, as a numbered table of contents. What it shares with other runs is beside this
//! folder: above all the loop over frames ([`frames`]) and the run folder.

mod crush;
mod details;
mod fields;
mod frame_steps;
mod head;
pub(super) mod peaks;
mod sizes;
mod step_watch;
mod summary;
mod sums;
mod time_line;
mod waits;
mod yields;

use std::sync::Arc;

use crate::engine::{Engine, Frame};
use cloth_core::error::Result;
use cloth_core::ranks::World;
use cloth_step::{Model, Simulation};

use self::frame_steps::{AfterStep, FrameSteps};
use self::step_watch::StepWatch;
use self::sums::ClothSums;
use crate::program::output::cloth_record::ClothFrameRecord;
use crate::program::output::folder::RunFolder;
use crate::program::run::checkpoints;
use crate::program::run::content::ClothContent;
#[cfg(feature = "fault-injection")]
use crate::program::run::fault;
use crate::program::run::frames::{self, RunKind};
use crate::program::run::interrupt::{Interrupt, Stop};
use crate::program::run::job::Job;
use crate::program::run::recorder::Recorder;
use crate::program::run::stage::Stage;

/// One rank's whole run. Rank 0 has the run folder. Returns why the run ended early, if it did.
///
/// # Errors
/// Whatever ended the run.
pub fn run_rank(
    job: &Job,
    cloth: &ClothContent,
    world: &dyn World,
    model: &Arc<Model>,
    folder: Option<&RunFolder>,
    interrupt: &Interrupt,
) -> Result<Option<Stop>> {
    // 1. This rank's rows, hierarchies and threads.
    let stage = (world.rank() == 0).then(|| Stage::begin(job.show, "linear system"));
    let mut simulation = Simulation::new(model.clone(), world, job.placement.threads)?;
    drop(stage);
    if let Some(state) = checkpoints::saved_state(job, world, folder)? {
        simulation.restore(&state)?;
        if job.target.origin.is_some() {
            simulation.check_state()?;
        }
        if job.target.has_changed_scene() {
            simulation.measure_energy()?;
        }
    }
    // 2. The run folder, on rank 0.
    let head = head::of_run(job, world, model, &simulation)?;
    interrupt.begin_frames();
    let open = |folder| Recorder::of_cloth(job, cloth, folder, model, head);
    let recorder = folder.map(open).transpose()?;
    // 3. The frames.
    let mut run = RankRun { job, cloth, world, simulation, recorder };
    let outcome = frames::compute(&mut run, job, world, interrupt);
    // 4. The end of the run folder, on rank 0: the summary, or the cause of an early end.
    if let Some(recorder) = run.recorder {
        recorder.end(&outcome, model, run.simulation.unwelded())?;
    }
    outcome
}

/// One rank while frames are computed.
struct RankRun<'a> {
    job: &'a Job,
    cloth: &'a ClothContent,
    world: &'a dyn World,
    simulation: Simulation<'a>,
    /// On rank 0 only.
    recorder: Option<Recorder<'a, ClothSums>>,
}

impl<'a> RunKind<'a> for RankRun<'a> {
    type Steps = FrameSteps;
    type Sums = ClothSums;

    fn engine(&self) -> &(impl Engine + ?Sized) {
        &self.simulation
    }

    fn step(&mut self, frame: u64, steps: &mut FrameSteps) -> Result<()> {
        let Self { job, cloth, world, simulation, recorder } = self;
        let step = simulation.steps() + 1;
        #[cfg(feature = "fault-injection")]
        fault::commit(*world, simulation, step)?;
        // 1. The step. Its searches are watched.
        let mut watch = StepWatch::new(cloth, &job.scene, step);
        let report = Engine::step(simulation, &mut watch)?;
        // 2. The test trees and the time line, if the user asked for them.
        let trees = watch.take_trees(*world, step, &report)?;
        if watch.traces_tasks {
            let searches = std::mem::take(&mut watch.spans);
            time_line::write(job, *world, time_line::TracedStep { step, frame, searches })?;
        }
        // 3. Values that rank 0 stores and shows at once.
        let number = simulation.steps();
        let after = AfterStep {
            number,
            size: number + 1 - step,
            waiting: simulation.waiting(),
            yielding: simulation.yielding(),
        };
        if let Some(recorder) = recorder {
            recorder.trees(trees.as_ref())?;
            recorder.step(number, &report);
            recorder.waits(frame, &after.waiting);
        }
        // 4. Values that are gathered with the frame.
        steps.add(&report, watch, after);
        Ok(())
    }

    fn frame(&mut self, frame: u64, mut shown: Frame, steps: &FrameSteps) -> Result<()> {
        // 1. The fields of the frame.
        fields::add(self.job, &self.simulation, &mut shown)?;
        // 2. What all ranks measured in the steps, and the hash of the state.
        let record = steps.gather(frame, self.world, &self.simulation)?;
        // 3. The frame and its record in the run folder.
        if let Some(recorder) = &mut self.recorder {
            recorder.frame(shown, record)?;
        }
        Ok(())
    }

    fn gather(&self, frame: u64, steps: &FrameSteps) -> Result<Option<ClothFrameRecord>> {
        let any = !steps.reports.is_empty();
        any.then(|| steps.gather(frame, self.world, &self.simulation)).transpose()
    }

    fn recorder(&mut self) -> Option<&mut Recorder<'a, ClothSums>> {
        self.recorder.as_mut()
    }
}
