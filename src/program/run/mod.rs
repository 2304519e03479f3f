//! A run from arguments to frames, as a numbered table of contents.

pub mod bodies;
mod checkpoints;
mod cloth;
pub mod content;
#[cfg(feature = "fault-injection")]
mod fault;
mod frames;
mod head;
pub mod info;
mod interrupt;
mod job;
mod launcher;
pub mod memory;
mod origin;
pub mod placement;
pub mod progress;
mod recorder;
pub mod recording;
mod scene_notes;
mod summary;

pub use self::checkpoints::{Saved, Schedule};
pub use self::content::{ClothContent, Content};
pub use self::frames::RunKind;
pub use self::interrupt::{Interrupt, Stop};
pub use self::job::Job;
pub use self::placement::Placement;
pub use self::progress::{RunProgress, Show, Stage};
pub use self::recorder::{Recorder, RunSums};
pub use self::summary::{Contacts, RunFacts, Totals};

use std::sync::Arc;

use cloth_core::error::{Error, Place, Result};
use cloth_core::ranks::launch::Launch;
use cloth_core::ranks::{World, in_process};
use cloth_step::Model;

use self::interrupt::{BlockedSignals, ProcessKind};
use crate::program::cli::Arguments;
use crate::program::output::RunFolder;
#[cfg(feature = "mpi")]
use cloth_core::partition::Partition;

/// Runs the scene of the arguments, and returns the exit code. Under an MPI launcher this process
/// is one rank of the run. Signals and `--stop-after` have exit codes of their own.
///
/// # Errors
/// Whatever ended the run.
pub fn run(arguments: &Arguments) -> Result<u8> {
    let launch = launcher::job_of_several();
    let outcome = match &launch {
        None => run_in_process(arguments),
        Some(launch) => {
            launcher::check(launch, arguments).and_then(|()| run_under_mpi(arguments, launch))
        }
    };
    match outcome {
        Ok(stop) => Ok(stop.map_or(0, Stop::exit_code)),
        Err(_) if launch.is_some_and(|it| !launcher::prints_errors(&it)) => Ok(1),
        Err(error) => Err(with_flag(error)),
    }
}

/// Names the flag that sets the wrong value. The library that found it knows no flags.
fn with_flag(error: Error) -> Error {
    match error {
        Error::Input { place, cause, remedy } => {
            let place = match place {
                Place::Ranks => "--ranks".into(),
                Place::Threads => "--threads".into(),
                Place::Refinement => "--refine".into(),
                _ => place,
            };
            Error::Input { place, cause, remedy }
        }
        other => other,
    }
}

/// Ranks are threads of this process and share one model.
fn run_in_process(arguments: &Arguments) -> Result<Option<Stop>> {
    let ranks = arguments.computing.ranks.unwrap_or(1) as usize;
    let placement = Placement::in_process(&arguments.computing, ranks)?;
    let interrupt = BlockedSignals::block()?.watch(ProcessKind::AllRanks)?;
    let mut job = Job::new(arguments, "threads", placement, arguments.computing.show())?;
    let folder = claim(&interrupt, &job)?;
    let of_rank = |world: &dyn World| (world.rank() == 0).then_some(&*folder);
    let model = job.model(|build| build(ranks))?;
    let run = |world: &dyn World| run_rank(&job, model.as_ref(), world, of_rank(world), &interrupt);
    Ok(in_process::run(ranks, run)?.first().copied().flatten())
}

/// Claims the run folder, before anything that takes long.
fn claim(interrupt: &Interrupt, job: &Job) -> Result<Arc<RunFolder>> {
    if let Content::Cloth(cloth) = &job.content {
        cloth.recording.check(&job.target.folder, job.target.overwrite)?;
    }
    interrupt.claim(|| job.claim())
}

/// This process is one rank of the job of `launch`. Rank 0 makes the partition for all ranks.
#[cfg(feature = "mpi")]
fn run_under_mpi(arguments: &Arguments, launch: &Launch) -> Result<Option<Stop>> {
    let signals = BlockedSignals::block()?;
    cloth_mpi::run_mpi(|world| {
        let placement = Placement::under_mpi(&arguments.computing, world)?;
        let fits = launcher::check_world(launch, world.rank(), world.size()).and_then(|()| {
            placement.check("mpirun -n, --threads", arguments.computing.oversubscribe)
        });
        // All processes meet this error, so it is returned and does not abort the job.
        if let Err(refused) = fits {
            return Ok(Err(refused));
        }
        let is_first = world.rank() == 0;
        let process = if is_first { ProcessKind::FirstRank } else { ProcessKind::OtherRank };
        let interrupt = signals.watch(process)?;
        let show = if is_first { arguments.computing.show() } else { Show::ERRORS };
        let mut job = Job::new(arguments, "mpi", placement, show)?;
        let folder = is_first.then(|| claim(&interrupt, &job)).transpose()?;
        let model = job.model(|build| Partition::shared(world, || build(world.size())))?;
        run_rank(&job, model.as_ref(), world, folder.as_deref(), &interrupt).map(Ok)
    })?
}

/// Never called, because [`launcher::check`] refuses a launcher without MPI.
#[cfg(not(feature = "mpi"))]
fn run_under_mpi(_: &Arguments, _: &Launch) -> Result<Option<Stop>> {
    Err(Error::internal("run", "a launcher's job without MPI"))
}

/// One rank's whole run. A run of cloth has a `model`. Rank 0 has the run folder. Returns why the
/// run ended early, if it did.
fn run_rank(
    job: &Job,
    model: Option<&Arc<Model>>,
    world: &dyn World,
    folder: Option<&RunFolder>,
    interrupt: &Interrupt,
) -> Result<Option<Stop>> {
    match (&job.content, model) {
        (Content::Bodies(setup), _) => bodies::run_rank(job, world, setup, folder, interrupt),
        (Content::Cloth(cloth), Some(model)) => {
            cloth::run_rank(job, cloth, world, model, folder, interrupt)
        }
        (Content::Cloth(_), None) => Err(Error::internal("run", "cloth without a model")),
    }
}
