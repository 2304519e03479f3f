//! A run as every rank knows it: arguments, scene and meshes.

use std::path::{Path, PathBuf};
use std::time::Instant;

use cloth_sim::bodies::{Documents, Setup};
use cloth_sim::error::{Error, Result};
use cloth_sim::partition::Partition;
use cloth_sim::scene;
use cloth_sim::scene::Scene;
use cloth_sim::step::Model;

use crate::program::cli::Arguments;
use crate::program::output::formats::{self, Format};
use crate::program::overrides;

/// A run as every rank knows it.
pub struct Job {
    /// The scene with every default and override in it.
    pub scene: Scene,
    /// How frames are written.
    pub format: &'static dyn Format,
    /// What frames are written from.
    pub documents: Documents,
    /// What the model is made of; made once.
    setup: Setup,
    /// The folder of the scene file.
    pub home: PathBuf,
    /// The run folder.
    pub folder: PathBuf,
    /// Whether frames that are there already may go.
    pub overwrite: bool,
    /// The step whose tasks are noted.
    pub time_line: Option<u64>,
    /// How much to say.
    pub verbose: u8,
    /// Whether to say nothing but errors.
    pub quiet: bool,
    /// When the run began.
    pub start: Instant,
    /// `mpi` or `threads`.
    pub transport: &'static str,
    /// Threads of each rank.
    pub threads: usize,
    /// Where test trees go.
    pub record_tasks: Option<PathBuf>,
    /// Steps from one recorded one to the next.
    pub record_every: u64,
    /// What is wrong with the start of a scene that runs all the same.
    pub warnings: Vec<String>,
}

impl Job {
    /// Reads the scene for `ranks` ranks, `neighbours` of them on this machine.
    ///
    /// # Errors
    /// When scene or meshes are at fault.
    pub fn new(
        arguments: &Arguments,
        transport: &'static str,
        ranks: usize,
        neighbours: usize,
    ) -> Result<Self> {
        let start = Instant::now();
        let mut scene = overrides::load(&arguments.scene, &arguments.overrides)?;
        if let Some(frames) = arguments.frames {
            scene.frames = scene.frames.min(frames);
        }
        let format = formats::named(&scene.output.format)?;
        check_step("--time-line", arguments.time_line, &scene)?;
        check_step("--record-every", arguments.record_every, &scene)?;
        let home = arguments.scene.parent().unwrap_or(Path::new("."));
        let mut setup = scene::build(&scene, home, arguments.refine as usize)?;
        let steps_per_frame = u64::from(scene.steps_per_frame).max(1);
        let folder = arguments.out.clone().unwrap_or_else(|| Path::new("out").join(&scene.name));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let share = (cores / neighbours.clamp(1, ranks)).max(1);
        Ok(Self {
            scene,
            format,
            documents: setup.take_documents(),
            setup,
            home: home.to_path_buf(),
            folder,
            overwrite: arguments.overwrite,
            time_line: arguments.time_line,
            verbose: arguments.verbose,
            quiet: arguments.quiet,
            transport,
            threads: arguments.threads.map_or(share, |threads| threads as usize),
            record_tasks: arguments.record_tasks.clone(),
            record_every: arguments.record_every.unwrap_or(steps_per_frame),
            warnings: Vec::new(),
            start,
        })
    }

    /// Whether the test trees of a step are stored.
    pub fn records(&self, step: u64) -> bool {
        self.record_tasks.is_some() && step.is_multiple_of(self.record_every)
    }

    /// What all ranks know alike; `partition` gets the maker of partitions.
    ///
    /// # Errors
    /// When the mesh cannot be partitioned or the scene does not start clean.
    pub fn model(
        &mut self,
        partition: impl FnOnce(&dyn Fn(usize) -> Result<Partition>) -> Result<Partition>,
    ) -> Result<Model> {
        let model = Model::new(self.scene.settings(), std::mem::take(&mut self.setup), partition)?;
        self.warnings = model.check_start()?;
        Ok(model)
    }
}

/// What is asked of a step must be of one that the run will do.
fn check_step(option: &str, step: Option<u64>, scene: &Scene) -> Result<()> {
    let steps = u64::from(scene.frames) * u64::from(scene.steps_per_frame);
    match step {
        Some(step) if !(1..=steps).contains(&step) => Err(Error::input(
            option,
            format!("there is no step {step}: the run has {steps} steps"),
            format!(
                "frame N ends with step {} N; choose one of the steps 1 to {steps}",
                scene.steps_per_frame
            ),
        )),
        _ => Ok(()),
    }
}
