//! A run of rigid bodies, as a numbered table of contents. What it shares with a run of cloth is in
//! the rooms beside.

mod frame;
mod recorder;
mod summary;

use std::sync::Arc;

use cloth_sim::error::Result;
use cloth_sim::ranks::World;
use cloth_sim::rigid::balance::Balancer;
use cloth_sim::rigid::{Phase, RigidSimulation};
use cloth_sim::scene::bodies::RigidSetup;
use nix::sys::signal::Signal;

use self::frame::FrameSteps;
use self::recorder::Recorder;
use crate::program::output::folder::RunFolder;
#[cfg(feature = "fault-injection")]
use crate::program::run::fault;
use crate::program::run::interrupt::Interrupt;
use crate::program::run::job::Job;
use crate::program::run::stage::Stage;

/// One rank's whole run. Rank 0 has the run folder. Returns the signal that ended the run early, if
/// one did.
///
/// # Errors
/// Whatever ended the run.
pub fn run_rank(
    job: &Job,
    world: &dyn World,
    setup: &RigidSetup,
    folder: Option<&RunFolder>,
    interrupt: &Interrupt,
) -> Result<Option<Signal>> {
    // 1. The division of space, and this rank's bodies.
    let stage = (world.rank() == 0).then(|| Stage::begin(job.show, "bodies"));
    let mut balancer = Balancer::new(setup.repartition())?;
    let divided = setup.divide(world.size(), &mut balancer)?;
    let bodies = setup.bodies_of(world.rank(), &divided);
    let model = Arc::new(setup.model(&divided));
    let threads = job.placement.threads;
    let mut simulation = RigidSimulation::new(model, divided.rank_of, bodies, world, threads)?;
    setup.check_start(simulation.deepest_overlap_now()?.as_ref())?;
    drop(stage);
    // 2. The run folder, on rank 0.
    let head = frame::head(job, world, setup, &simulation)?;
    interrupt.begin_frames();
    let recorder = folder.map(|folder| Recorder::open(job, folder, setup, head)).transpose()?;
    // 3. The frames.
    let mut run =
        RankRun { job, world, interrupt, setup, simulation, balancer, recorder, steps: 0 };
    let outcome = run.frames();
    // 4. The end of the run folder, on rank 0: the summary, or the cause of an early end.
    let Some(recorder) = run.recorder else { return outcome };
    match &outcome {
        Ok(None) => recorder.close(setup)?,
        Ok(Some(_)) => recorder.interrupt()?,
        Err(error) => recorder.fail(error),
    }
    outcome
}

/// One rank while frames are computed. All its functions are collective.
struct RankRun<'a> {
    job: &'a Job,
    world: &'a dyn World,
    interrupt: &'a Interrupt,
    setup: &'a RigidSetup,
    simulation: RigidSimulation<'a>,
    balancer: Balancer,
    /// On rank 0.
    recorder: Option<Recorder<'a>>,
    /// Number of steps so far.
    steps: u64,
}

impl RankRun<'_> {
    /// Returns the signal that ended the run early, if one did.
    fn frames(&mut self) -> Result<Option<Signal>> {
        for frame in 0..=u64::from(self.job.scene.frames) {
            // 1. The steps that lead to the frame. Frame 0 is the start.
            let mut steps = FrameSteps::default();
            let count = if frame == 0 { 0 } else { self.job.scene.steps_per_frame };
            for _ in 0..count {
                if let Some(signal) = self.interrupt.noted(self.world)? {
                    return Ok(Some(signal));
                }
                self.step(&mut steps)?;
            }
            // 2. What all ranks measured in them, and the bodies of all ranks.
            let record = steps.gather(frame, self.world, &self.simulation)?;
            let rows = frame::rows(frame, self.world, self.setup, &self.simulation)?;
            // 3. A new division of space, if it is due.
            let repartition_s = self.rebalance(steps.work_s())?;
            // 4. The frame and its record in the run folder.
            if let Some(recorder) = &mut self.recorder {
                recorder.frame(rows, frame::Record { repartition_s, ..record })?;
            }
        }
        Ok(None)
    }

    fn step(&mut self, steps: &mut FrameSteps) -> Result<()> {
        self.steps += 1;
        #[cfg(feature = "fault-injection")]
        fault::commit_among_bodies(self.world, self.steps)?;
        let report = self.simulation.step()?;
        steps.add(self.steps, self.world.rank(), &report);
        if let Some(recorder) = &self.recorder {
            let seconds = Phase::ALL.iter().map(|&phase| report.seconds[phase as usize]).sum();
            recorder.step(self.steps, seconds, &report);
        }
        Ok(())
    }

    /// Time of a new division, s, if there was one.
    fn rebalance(&mut self, work_s: f64) -> Result<Option<f64>> {
        let start = std::time::Instant::now();
        let is_done = self.simulation.rebalance(&mut self.balancer, work_s)?;
        Ok(is_done.then(|| start.elapsed().as_secs_f64()))
    }
}
