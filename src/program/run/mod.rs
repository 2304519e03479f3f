//! A run from arguments to frames, as a numbered table of contents.

#[cfg(feature = "fault-injection")]
mod fault;
mod frame_steps;
mod gather;
mod head;
mod job;
mod progress;
mod recorder;
mod step_watch;
mod summary;
mod time_line;

use std::sync::Arc;

use cloth_sim::error::{Error, Result};
#[cfg(feature = "mpi")]
use cloth_sim::partition::Partition;
use cloth_sim::ranks::{World, in_process, launch};
use cloth_sim::step::{Model, Simulation};

use self::frame_steps::FrameSteps;
use self::job::Job;
use self::recorder::Recorder;
use self::step_watch::StepWatch;
use crate::program::cli::Arguments;

/// Runs what the arguments ask for. Under an MPI launcher this process is one of its ranks.
///
/// # Errors
/// Whatever ended the run.
pub fn run(arguments: &Arguments) -> Result<()> {
    let outcome = match launch::launched_ranks(launch::environment) {
        None => run_in_process(arguments),
        Some(_) if arguments.ranks.is_some() => Err(Error::input(
            "--ranks",
            "the MPI launcher sets the number of ranks",
            "leave out --ranks, and give the number to mpirun -n",
        )),
        Some(_) => run_under_mpi(arguments),
    };
    outcome.map_err(with_flag)
}

/// Names the flag that sets what the library found wrong: the library knows no flags.
fn with_flag(error: Error) -> Error {
    match error {
        Error::Input { place, cause, remedy } => {
            let place = match place.as_str() {
                "ranks" => "--ranks".to_owned(),
                "threads of a rank" => "--threads".to_owned(),
                "refinement" => "--refine".to_owned(),
                _ => place,
            };
            Error::Input { place, cause, remedy }
        }
        other => other,
    }
}

/// Ranks are threads of this process and share one model.
fn run_in_process(arguments: &Arguments) -> Result<()> {
    let ranks = arguments.ranks.unwrap_or(1) as usize;
    let mut job = Job::new(arguments, "threads", ranks, ranks)?;
    let model = Arc::new(job.model(|build| build(ranks))?);
    in_process::run(ranks, |world| run_rank(&job, world, model.clone()))?;
    Ok(())
}

/// This process is one rank. Rank 0 partitions for all.
#[cfg(feature = "mpi")]
fn run_under_mpi(arguments: &Arguments) -> Result<()> {
    cloth_sim::ranks::mpi::run_mpi(|world| {
        let neighbours = launch::environment("OMPI_COMM_WORLD_LOCAL_SIZE")
            .or_else(|| launch::environment("MPI_LOCALNRANKS"))
            .and_then(|count| count.parse().ok());
        let mut job = Job::new(arguments, "mpi", world.size(), neighbours.unwrap_or(world.size()))?;
        let model = job.model(|build| Partition::shared(world, || build(world.size())))?;
        run_rank(&job, world, Arc::new(model))
    })
}

#[cfg(not(feature = "mpi"))]
fn run_under_mpi(_: &Arguments) -> Result<()> {
    Err(Error::input(
        "mpirun",
        "this cloth-sim was built without MPI, so each process would run the whole scene",
        "build it with `cargo build --release --features mpi`, \
         or leave out mpirun and use --ranks N",
    ))
}

/// One rank's whole run.
fn run_rank(job: &Job, world: &dyn World, model: Arc<Model>) -> Result<()> {
    // 1. This rank's rows, hierarchies and threads.
    let simulation = Simulation::new(model.clone(), world, job.threads)?;
    // 2. The run folder, on rank 0.
    let head = head::of_run(job, world, &model, &simulation)?;
    let recorder = match world.rank() {
        0 => Some(Recorder::open(job, &model, head)?),
        _ => None,
    };
    // 3. The frames.
    let mut run = RankRun { job, world, simulation, recorder };
    let outcome = run.frames();
    // 4. The end of the run folder, on rank 0: the summary, or the cause of a failure.
    match (outcome, run.recorder) {
        (Ok(()), Some(recorder)) => recorder.close(&model),
        (Err(error), Some(recorder)) => {
            recorder.fail(&error);
            Err(error)
        }
        (outcome, None) => outcome,
    }
}

/// One rank while frames are computed. All its functions are collective.
struct RankRun<'a> {
    job: &'a Job,
    world: &'a dyn World,
    simulation: Simulation<'a>,
    /// On rank 0.
    recorder: Option<Recorder<'a>>,
}

impl RankRun<'_> {
    fn frames(&mut self) -> Result<()> {
        for frame in 0..=u64::from(self.job.scene.frames) {
            // 1. The steps that lead to the frame. Frame 0 is the start.
            let mut steps = FrameSteps::default();
            let count = if frame == 0 { 0 } else { self.job.scene.steps_per_frame };
            for _ in 0..count {
                self.step(frame, &mut steps)?;
            }
            // 2. What all ranks measured in them, and the hash of the state.
            let record = steps.gather(frame, self.world, &self.simulation)?;
            // 3. The frame and its record in the run folder.
            if let Some(recorder) = &mut self.recorder {
                recorder.frame(&record, &self.simulation)?;
            }
        }
        Ok(())
    }

    fn step(&mut self, frame: u64, steps: &mut FrameSteps) -> Result<()> {
        let Self { job, world, simulation, recorder } = self;
        let step = simulation.steps() + 1;
        #[cfg(feature = "fault-injection")]
        fault::commit(*world, simulation, step)?;
        // 1. The step. Its searches are watched.
        let mut watch = StepWatch::new(job, step);
        let report = simulation.step_observed(&mut watch)?;
        // 2. The test trees and the time line, if they are asked for.
        let trees = watch.take_trees(*world, step, &report)?;
        if watch.traces_tasks {
            let searches = std::mem::take(&mut watch.spans);
            time_line::write(job, *world, time_line::TracedStep { step, frame, searches })?;
        }
        // 3. What rank 0 stores and shows at once.
        if let Some(recorder) = recorder {
            recorder.trees(trees.as_ref())?;
            recorder.progress.step(step, &report);
        }
        // 4. What is gathered with the frame.
        steps.add(&report, watch);
        Ok(())
    }
}
