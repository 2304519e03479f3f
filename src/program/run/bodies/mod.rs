//! A run of rigid bodies, as a numbered table of contents. The parts that it shares with a run of
//! cloth are next to this folder: above all the loop over frames ([`frames`]) and the run folder.

mod frame;
mod summary;
mod sums;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use cloth_core::error::{Error, Place, Result};
use cloth_core::ranks::World;
use cloth_rigid::balance::Balancer;
use cloth_rigid::{RigidReport, RigidSimulation};
use cloth_scene::bodies::RigidSetup;
use cloth_scene::bodies::division::Divided;
use cloth_scene::bodies::workers::WorkerPlan;
use cloth_workers::WorkerSimulation;

use self::frame::FrameSteps;
use self::summary::Peaks;
use crate::engine::{BodyEngine, Engine, Frame};
use crate::program::output::RunFolder;
#[cfg(feature = "fault-injection")]
use crate::program::run::fault;
use crate::program::run::{Interrupt, Job, Recorder, RunKind, Stage, Stop, checkpoints, frames};

/// One rank's whole run. Rank 0 has the run folder. Returns why the run ended early, if it did.
///
/// # Errors
/// Whatever ended the run.
pub fn run_rank(
    job: &Job,
    world: &dyn World,
    setup: &RigidSetup,
    folder: Option<&RunFolder>,
    interrupt: &Interrupt,
) -> Result<Option<Stop>> {
    // 1. The bodies of this rank.
    let stage = (world.rank() == 0).then(|| Stage::begin(job.show, "bodies"));
    let mut balancer = Balancer::new(setup.repartition())?;
    let (threads, forces) = (job.placement.threads, job.scene.output.forces);
    let file = &job.input.scene_file;
    let engine = engine(setup, world, threads, forces, &mut balancer);
    let mut engine = in_scene(engine, file, setup)?;
    match checkpoints::saved_state(job, world, folder)? {
        Some(mut state) => {
            if job.target.has_changed_scene() {
                let bodies = cloth_workers::bodies_of(&state);
                let now = engine.bodies().renew(bodies, |id| setup.body(id));
                let head = state.len() - bodies.len();
                state.splice(head.., in_scene(now, file, setup)?);
            }
            let has_workers = engine.workers().is_some();
            let state = if has_workers { &state } else { cloth_workers::bodies_of(&state) };
            in_scene(engine.restore(state), file, setup)?;
        }
        None => {
            let deepest = engine.deepest_overlap_now()?;
            in_scene(setup.check_start(deepest.as_ref()), file, setup)?;
        }
    }
    drop(stage);
    // 2. The run folder, on rank 0.
    let head = frame::head(job, world, setup, &*engine)?;
    interrupt.begin_frames();
    let recorder =
        folder.map(|folder| Recorder::of_bodies(job, folder, setup, head)).transpose()?;
    // 3. The frames.
    let mut run = RankRun { job, world, setup, engine, balancer, recorder };
    let outcome = frames::compute(&mut run, job, world, interrupt);
    // 4. The end of the run folder, on rank 0: the summary, or the cause of an early end.
    if let Some(recorder) = run.recorder {
        recorder.end(&outcome, setup)?;
    }
    outcome
}

/// This rank's part of the simulation, with `threads` threads: by a division of space, or by
/// workers. It notes forces if `notes_forces`.
pub fn engine<'a>(
    setup: &RigidSetup,
    world: &'a dyn World,
    threads: usize,
    notes_forces: bool,
    balancer: &mut Balancer,
) -> Result<Box<dyn BodyEngine<Report = RigidReport> + 'a>> {
    if let Some(WorkerPlan { settings, bodies, homes }) = setup.worker_plan()? {
        let model = Arc::new(setup.model(&Divided::whole(setup.domain)?));
        let mut workers = WorkerSimulation::new(model, settings, &bodies, &homes, world, threads)?;
        if notes_forces {
            workers.whole_mut().note_forces();
        }
        return Ok(Box::new(workers));
    }
    let divided = setup.divide(world.size(), balancer)?;
    let bodies = setup.bodies_of(world.rank(), &divided);
    let model = Arc::new(setup.model(&divided));
    let mut bodies = RigidSimulation::new(model, divided.rank_of, bodies, world, threads)?;
    if notes_forces {
        bodies.note_forces();
    }
    Ok(Box::new(bodies))
}

/// Changes the error of a result so that it names the scene `file`, the body and the field. The
/// library knows only numbers of bodies.
pub fn in_scene<T>(result: Result<T>, file: &Path, setup: &RigidSetup) -> Result<T> {
    let named = result.map_err(|error| match error {
        Error::Input { place: Place::Body(id), cause, remedy } => {
            Error::Input { place: setup.name_of(id).into(), cause, remedy }
        }
        other => other,
    });
    cloth_scene::in_file(file, named)
}

/// One rank while frames are computed.
struct RankRun<'a> {
    job: &'a Job,
    world: &'a dyn World,
    setup: &'a RigidSetup,
    engine: Box<dyn BodyEngine<Report = RigidReport> + 'a>,
    balancer: Balancer,
    /// On rank 0 only.
    recorder: Option<Recorder<'a, Peaks>>,
}

impl<'a> RunKind<'a> for RankRun<'a> {
    type Steps = FrameSteps;
    type Sums = Peaks;

    fn engine(&self) -> &(impl Engine + ?Sized) {
        &*self.engine
    }

    fn step(&mut self, _: u64, steps: &mut FrameSteps) -> Result<()> {
        let step = self.engine.steps() + 1;
        #[cfg(feature = "fault-injection")]
        fault::commit_among_bodies(self.world, step)?;
        let report = in_scene(self.engine.step(&mut ()), &self.job.input.scene_file, self.setup)?;
        steps.add(&report, &*self.engine);
        if let Some(recorder) = &self.recorder {
            recorder.step(step, &report);
        }
        Ok(())
    }

    fn frame(&mut self, frame: u64, mut shown: Frame, steps: &FrameSteps) -> Result<()> {
        // 1. What all ranks measured in the steps. Only the scene knows the groups of bodies.
        let mut record = steps.gather(frame, self.world, &*self.engine)?;
        for body in &mut shown.bodies {
            body.group = self.setup.group_of(body.id) as u32;
        }
        // 2. A new division of space, if it is due.
        record.part.repartition_s = self.rebalance(steps.work_s())?;
        // 3. The frame and its record in the run folder.
        if let Some(recorder) = &mut self.recorder {
            recorder.frame(shown, record)?;
        }
        Ok(())
    }

    fn gather(&self, frame: u64, steps: &FrameSteps) -> Result<Option<frame::Record>> {
        let any = !steps.is_empty();
        any.then(|| steps.gather(frame, self.world, &*self.engine)).transpose()
    }

    fn recorder(&mut self) -> Option<&mut Recorder<'a, Peaks>> {
        self.recorder.as_mut()
    }
}

impl RankRun<'_> {
    /// Divides space anew if that is due. Returns the time that it took, s, if space was divided.
    fn rebalance(&mut self, work_s: f64) -> Result<Option<f64>> {
        let start = Instant::now();
        let is_done = self.engine.rebalance(&mut self.balancer, work_s)?;
        Ok(is_done.then(|| start.elapsed().as_secs_f64()))
    }
}
