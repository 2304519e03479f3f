//! What every rank knows of a run: its arguments, scene and meshes.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cloth_sim::bodies::{Documents, Setup};
use cloth_sim::error::{Error, Result};
use cloth_sim::partition::Partition;
use cloth_sim::scene::bodies::RigidSetup;
use cloth_sim::scene::bodies::build::build_bodies;
use cloth_sim::scene::{self, Scene};
use cloth_sim::step::Model;
use xxhash_rust::xxh3::xxh3_64;

use crate::program::cli::Arguments;
use crate::program::output::checkpoint::{self, Header, LEAST_KEPT};
use crate::program::output::earlier::Claim;
use crate::program::output::folder::RunFolder;
use crate::program::output::formats::{self, Format};
use crate::program::output::materials::Materials;
use crate::program::output::mesh_copies::{InputMesh, input_meshes, with_copies};
use crate::program::output::names;
use crate::program::output::run_files::RunFiles;
use crate::program::output::run_json::{BegunFrom, RunHead, Status};
use crate::program::overrides;
use crate::program::run::files;
use crate::program::run::memory;
use crate::program::run::origin::begun_from;
use crate::program::run::placement::Placement;
use crate::program::run::recording::RecordingArguments;
use crate::program::run::stage::{Show, Stage};
use crate::program::words::plural;

/// What every rank knows of a run.
pub struct Job {
    /// The scene with every default and override in it.
    pub scene: Scene,
    /// The rigid bodies, if the scene has some. The fields about cloth are then empty.
    pub bodies: Option<RigidSetup>,
    /// How frames of cloth are written.
    pub format: &'static dyn Format,
    /// The meshes that frames are written from.
    pub documents: Documents,
    /// Their materials.
    pub materials: Materials,
    /// The bodies. [`Job::model`] takes them.
    setup: Setup,
    /// The scene file.
    pub scene_file: PathBuf,
    /// The mesh files that the scene names.
    pub meshes: Vec<InputMesh>,
    /// The folder of the scene file.
    pub home: PathBuf,
    /// The run folder.
    pub folder: PathBuf,
    /// The files that the run writes there from its beginning on.
    pub files: RunFiles,
    /// Whether the run may replace the files of an earlier run.
    pub overwrite: bool,
    /// Whether the run in the folder goes on.
    pub resumes: bool,
    /// The frame of another run with which this one begins, and what differs between their scenes.
    pub origin: Option<BegunFrom>,
    /// Number of checkpoints that are kept.
    pub kept_checkpoints: usize,
    /// Number of frames from one checkpoint to the next. 0: no checkpoints. `None`: the cost
    /// decides.
    pub checkpoint_every: Option<u32>,
    /// Time after which the run ends.
    stop_after: Option<Duration>,
    /// The hash of everything that frames depend on: the scene without its number of frames, and
    /// the meshes.
    scene_hash: u64,
    /// The step whose tasks are traced.
    pub time_line: Option<u64>,
    /// How much of the run the user wants to see on this rank.
    pub show: Show,
    /// When the run began.
    pub start: Instant,
    /// `mpi` or `threads`.
    pub transport: &'static str,
    /// Its ranks and threads, and their cores.
    pub placement: Placement,
    /// The recording of test trees.
    pub recording: RecordingArguments,
    /// Warnings about the scene and its meshes. They do not stop the run.
    pub warnings: Vec<String>,
}

impl Job {
    /// Reads the scene for a run on the ranks of `placement`.
    ///
    /// # Errors
    /// A scene, a mesh or an argument that is not valid.
    pub fn new(
        arguments: &Arguments,
        transport: &'static str,
        placement: Placement,
        show: Show,
    ) -> Result<Self> {
        let start = Instant::now();
        let _stage = Stage::begin(show, "scene and meshes");
        if arguments.resumes {
            // Refuses a folder that is no run, before anything else.
            RunHead::read(&arguments.out.clone().unwrap_or_default())?;
        }
        let mut scene = overrides::load(&arguments.scene, &arguments.overrides)?;
        let mut warnings = Vec::new();
        let begins = !arguments.resumes && arguments.origin.is_none();
        if let Some(frames) = arguments.frames {
            warnings.extend(missing_frames(frames, scene.frames).filter(|_| begins));
            scene.frames = if begins { scene.frames.min(frames) } else { frames };
        }
        scene.refine = arguments.refine.unwrap_or(scene.refine);
        let home = arguments.scene.parent().unwrap_or(Path::new("."));
        let bodies = match scene.bodies.is_empty() {
            true => None,
            false => {
                check_arguments_of_bodies(arguments)?;
                memory::check_rigid(&scene)?;
                Some(scene::in_file(&arguments.scene, build_bodies(&scene, home))?)
            }
        };
        let format = match bodies {
            None => formats::named(&scene.output.format)?,
            Some(_) => formats::ALL[0],
        };
        check_step("--time-line", arguments.time_line, &scene)?;
        check_step("--record-every", arguments.recording.every(), &scene)?;
        memory::check_shapes(&scene)?;
        let fits = |triangles| memory::check_refined(triangles, scene.refine);
        let mut setup = scene::build_if(&scene, home, fits)?;
        memory::check_bodies(&setup)?;
        let meshes = input_meshes(&scene, home)?;
        let mut documents = setup.take_documents();
        let mut materials = Materials::take(&mut documents);
        let slips = scene::scale_warnings(&scene, &setup);
        warnings.append(&mut scene::in_file(&arguments.scene, slips)?);
        warnings.append(&mut materials.warnings);
        // What a run that goes on has copied is there.
        let copied = if arguments.resumes { &[] } else { &*meshes };
        let mut files = RunFiles::new(copied.iter().map(|mesh| mesh.copy.file.clone()));
        files.add(arguments.time_line.map(|_| names::TIMELINE));
        match &bodies {
            None => {
                files::add_of_cloth(&mut files, format, &documents);
                files.add(materials.files().filter(|_| !arguments.resumes));
            }
            Some(setup) => files::add_of_bodies(&mut files, &scene, setup)?,
        }
        let computing = &arguments.computing;
        if computing.checkpoint_every != Some(0) {
            files.at_steps = vec![names::CHECKPOINTS.to_owned()];
        }
        let folder = arguments.out.clone().unwrap_or_else(|| Path::new("out").join(&scene.name));
        let copied = match arguments.resumes {
            true => scene.clone(),
            false => with_copies(&scene, &meshes, home),
        };
        Ok(Self {
            scene_hash: scene_hash(&copied, &meshes)?,
            resumes: arguments.resumes,
            origin: begun_from(arguments.origin.as_ref(), &copied, &meshes)?,
            kept_checkpoints: computing.keep_checkpoints.map_or(LEAST_KEPT, |it| it as usize),
            checkpoint_every: computing.checkpoint_every,
            stop_after: computing.stop_after,
            scene,
            bodies,
            format,
            documents,
            materials,
            setup,
            scene_file: arguments.scene.clone(),
            meshes,
            home: home.to_path_buf(),
            folder,
            files,
            overwrite: arguments.overwrite,
            time_line: arguments.time_line,
            show,
            transport,
            placement,
            recording: arguments.recording.clone(),
            warnings,
            start,
        })
    }

    /// Whether the run writes checkpoints.
    pub fn makes_checkpoints(&self) -> bool {
        self.checkpoint_every != Some(0)
    }

    /// Whether `--stop-after` is over.
    pub fn time_is_up(&self) -> bool {
        self.stop_after.is_some_and(|limit| self.start.elapsed() >= limit)
    }

    /// The header of a checkpoint of this run after `step` steps.
    pub fn checkpoint_header(&self, step: u64) -> Header {
        Header {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            engine: if self.scene.bodies.is_empty() { "cloth" } else { "bodies" }.to_owned(),
            scene_hash: self.scene_hash,
            step,
            steps_per_frame: self.scene.steps_per_frame.into(),
        }
    }

    /// Claims the run folder for this process. If the run in it goes on, reads its newest
    /// checkpoint.
    ///
    /// # Errors
    /// As for [`RunFolder::claim`] and [`RunFolder::claim_again`]. Also a resumed run that already
    /// has all its frames.
    pub fn claim(&self) -> Result<RunFolder> {
        if self.resumes {
            let folder = RunFolder::claim_again(&self.folder, &self.checkpoint_header(0))?;
            self.check_frames(&folder)?;
            return Ok(folder);
        }
        let meshes = self.meshes.iter().map(|mesh| mesh.path.clone());
        let inputs = std::iter::once(self.scene_file.clone()).chain(meshes);
        let mut claim = Claim {
            files: self.files.clone(),
            frames: u64::from(self.scene.frames) + 1,
            overwrite: self.overwrite,
            inputs: inputs.chain(self.materials.inputs()).collect(),
        };
        if self.bodies.is_none() {
            claim.files.add(names::TABLES);
        }
        let mut folder = RunFolder::claim(&self.folder, claim)?;
        if let Some(BegunFrom { run, frame, .. }) = &self.origin {
            let now = self.checkpoint_header(0);
            folder.checkpoint = Some(checkpoint::at_frame(Path::new(run), *frame, &now)?);
            folder.first_frame = *frame;
        }
        Ok(folder)
    }

    /// Refuses to go on with a complete run, or with one that has more frames. A run that ended
    /// after its last frame but before its tables may go on.
    fn check_frames(&self, folder: &RunFolder) -> Result<()> {
        let done = folder.checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.header.frame());
        let (frames, head) = (u64::from(self.scene.frames), RunHead::read(&self.folder)?);
        if done < frames || done == frames && head.status != Status::Complete {
            return Ok(());
        }
        let cause = format!("the run has its frames up to frame {done} already");
        Err(Error::file(&self.folder, cause, "ask for more frames with --frames"))
    }

    /// Builds the model, which is the same on all ranks. `partition` gets a function that makes a
    /// partition for a number of ranks. Call it once.
    ///
    /// # Errors
    /// A mesh that cannot be partitioned, or a scene that starts with intersections.
    pub fn model(
        &mut self,
        partition: impl FnOnce(&dyn Fn(usize) -> Result<Partition>) -> Result<Partition>,
    ) -> Result<Model> {
        let mut stage = Some(Stage::begin(self.show, "elements"));
        let mut next = |name| {
            stage = None;
            stage = Some(Stage::begin(self.show, name));
        };
        let setup = std::mem::take(&mut self.setup);
        let model = Model::new(self.scene.settings(), setup, |build| {
            next("partition");
            let partition = partition(build);
            next("hierarchies");
            partition
        })?;
        next("intersections at the start");
        let start = model.check_start()?;
        self.warnings.extend(start.iter().map(|it| format!("the scene starts with {it}")));
        Ok(model)
    }
}

/// The hash of everything that frames depend on: `scene` without its number of frames, and
/// `meshes`. The scene has the paths of the copies of meshes.
fn scene_hash(scene: &Scene, meshes: &[InputMesh]) -> Result<u64> {
    let mut text = Scene { frames: 0, ..scene.clone() }.to_ron()?;
    let mut hashes = Vec::from_iter(meshes.iter().map(|mesh| &*mesh.copy.hash));
    hashes.sort_unstable();
    text += &hashes.concat();
    Ok(xxh3_64(text.as_bytes()))
}

/// The warning if the user asks for more frames than the scene has.
fn missing_frames(wanted: u32, has: u32) -> Option<String> {
    (wanted > has).then(|| {
        let frames = plural(has as usize, "frame");
        format!("--frames {wanted}: the scene has {frames}; --set frames={wanted} makes more")
    })
}

/// Refuses options that only cloth has.
fn check_arguments_of_bodies(arguments: &Arguments) -> Result<()> {
    let of_cloth = [
        ("--time-line", arguments.time_line.is_some()),
        ("--record-tasks", arguments.recording.is_given()),
        ("--refine", arguments.refine.is_some()),
    ];
    match of_cloth.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => {
            Err(Error::input(option, "this scene has rigid bodies and no cloth", "leave it out"))
        }
    }
}

/// Refuses a step that the run does not have.
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
