//! A run from arguments to frames, as a numbered table of contents.

use std::sync::Arc;

use cloth_sim::error::{Error, Result};
use cloth_sim::observe::note_theft;
use cloth_sim::ranks::launch::HostBinding;
use cloth_sim::ranks::{World, in_process, launch};

use crate::program::output::run_json::{FORMAT, RankPlace, RunHead, Status};
use crate::program::output::steps_jsonl::FrameRecord;
#[cfg(feature = "mpi")]
use cloth_sim::partition::Partition;
use cloth_sim::partition::quality;
use cloth_sim::step::{Model, Simulation};

use crate::program::cli::Arguments;
use crate::program::job::Job;
use crate::program::recorder::Recorder;
use crate::program::replay::recording::step_recorder::StepRecorder;
use crate::program::step_watch::StepWatch;
use crate::program::{gather, noted_step};

/// Runs what the arguments ask for; under an MPI launcher as one of its ranks.
///
/// # Errors
/// Whatever ended the run.
pub fn run(arguments: &Arguments) -> Result<()> {
    match launch::launched_ranks(launch::environment) {
        None => run_in_process(arguments),
        Some(_) if arguments.ranks.is_some() => Err(Error::input(
            "--ranks",
            "the MPI launcher decides about the number of ranks",
            "leave --ranks out, and give the number to mpirun -n",
        )),
        Some(_) => run_under_mpi(arguments),
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

/// This process is one rank; rank 0 partitions for all.
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
         or leave mpirun out and use --ranks N",
    ))
}

/// One rank's whole run.
fn run_rank(job: &Job, world: &dyn World, model: Arc<Model>) -> Result<()> {
    // 1. This rank's rows, hierarchies and threads.
    let mut simulation = Simulation::new(model.clone(), world, job.threads)?;
    // 2. The run folder, on rank 0.
    let head = head(job, world, &model, &simulation)?;
    let mut recorder = match world.rank() {
        0 => Some(Recorder::open(job, &model, head)?),
        _ => None,
    };
    // 3. Frames, each of so many steps.
    let outcome = run_frames(job, world, &mut simulation, &mut recorder);
    // 4. The last frame on disk, and the summary; or why there is none.
    match (outcome, recorder) {
        (Ok(()), Some(recorder)) => recorder.close(&model),
        (Err(error), Some(recorder)) => {
            recorder.fail(&error);
            Err(error)
        }
        (outcome, None) => outcome,
    }
}

fn run_frames(
    job: &Job,
    world: &dyn World,
    simulation: &mut Simulation,
    recorder: &mut Option<Recorder>,
) -> Result<()> {
    for frame in 0..=u64::from(job.scene.frames) {
        let steps = if frame == 0 { 0 } else { job.scene.steps_per_frame };
        let mut reports = Vec::with_capacity(steps as usize);
        let (mut uses, mut thefts, mut searches) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..steps {
            #[cfg(feature = "fault-injection")]
            crate::program::fault::commit(world, simulation, simulation.steps() + 1)?;
            let step = simulation.steps() + 1;
            let mut watch = StepWatch {
                traces_tasks: job.time_line == Some(step),
                recorder: job.records(step).then(StepRecorder::default),
                ..StepWatch::default()
            };
            let report = simulation.step_observed(&mut watch)?;
            let StepWatch { traces_tasks, recorder: trees, spans, .. } = watch;
            let tasks = match trees {
                Some(trees) => trees.finish(world, step, &report)?,
                None => None,
            };
            if traces_tasks {
                noted_step::write(job, world, spans, (step, frame))?;
            }
            if let Some(recorder) = recorder {
                recorder.tasks(tasks.as_ref())?;
                recorder.progress.step(simulation.steps(), &report);
            }
            reports.push(report);
            uses.extend(watch.uses);
            watch.thefts.iter().for_each(|theft| note_theft(&mut thefts, *theft));
            searches.push(watch.lengths_s);
        }
        let state_hash = format!("{:016x}", simulation.state_hash()?);
        let test_parts = gather::test_parts(world, &searches)?;
        let steps = gather::reports(world, simulation.steps(), &reports, &uses, &test_parts)?;
        let thefts = gather::thefts(world, &thefts)?;
        if let Some(recorder) = recorder {
            recorder.frame(&FrameRecord { frame, state_hash, steps, thefts }, simulation)?;
        }
    }
    Ok(())
}

/// What is known of the run before its first step; whole on rank 0.
fn head(job: &Job, world: &dyn World, model: &Model, simulation: &Simulation) -> Result<RunHead> {
    let here = HostBinding::here();
    let place = RankPlace {
        rank: world.rank(),
        host: here.host,
        cores: here.cpus_allowed,
        vertices: simulation.layout().own.len(),
        ghosts: simulation.layout().ghosts.len(),
    };
    let places = gather::items(world, &place)?;
    let work: Vec<f64> =
        model.partition.patches.offsets.windows(2).map(|o| f64::from(o[1] - o[0])).collect();
    Ok(RunHead {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        status: Status::Running,
        error: None,
        scene: job.scene.name.clone(),
        seed: job.scene.seed,
        ranks: world.size(),
        threads: job.threads,
        transport: job.transport.to_owned(),
        steps_per_frame: u64::from(job.scene.steps_per_frame),
        patches: model.partition.patches.len(),
        load_index: quality::load_index(&model.partition, &work),
        surface_index: quality::surface_index(&model.graph, &model.partition),
        bending: model.cloth.elements.bending.treatment.to_string(),
        places,
    })
}
