//! What every rank knows of a run: its arguments, scene and meshes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cloth_core::error::{Error, Result};
use cloth_core::partition::Partition;
use cloth_scene::Scene;
use cloth_step::Model;
use xxhash_rust::xxh3::xxh3_64;

use crate::program::cli::Arguments;
use crate::program::output::checkpoint::{self, Header, LEAST_KEPT};
use crate::program::output::formats::Formats;
use crate::program::output::mesh_copies::{input_meshes, with_copies};
use crate::program::output::{
    BegunFrom, Claim, FrameObjects, InputMesh, RunFiles, RunFolder, RunHead, Status, names,
};
use crate::program::run::origin::begun_from;
use crate::program::run::{Content, Placement, Show, Stage};
use crate::program::words::plural;
use crate::program::{overrides, print};

/// What every rank knows of a run.
pub struct Job {
    /// The scene with every default and override in it.
    pub scene: Scene,
    /// What the scene has.
    pub content: Content,
    /// How frames are written.
    pub formats: Formats,
    /// The files that the run reads.
    pub input: Input,
    /// The run folder.
    pub target: Target,
    /// When there are checkpoints.
    pub checkpoints: CheckpointPlan,
    /// Time after which the run ends.
    stop_after: Option<Duration>,
    /// How much of the run the user wants to see on this rank.
    pub show: Show,
    /// When the run began.
    pub start: Instant,
    /// `mpi` or `threads`.
    pub transport: &'static str,
    /// Its ranks and threads, and their cores.
    pub placement: Placement,
    /// Warnings about the scene and its meshes. They do not stop the run.
    pub warnings: Vec<String>,
}

/// The files that a run reads.
pub struct Input {
    /// The scene file.
    pub scene_file: PathBuf,
    /// The folder of the scene file.
    pub home: PathBuf,
    /// The mesh files that the scene names.
    pub meshes: Vec<InputMesh>,
}

/// The run folder, and how the run begins there.
pub struct Target {
    /// Its path.
    pub folder: PathBuf,
    /// The files that the run writes there from its beginning on.
    pub files: RunFiles,
    /// Whether the run may replace the files of an earlier run.
    pub overwrite: bool,
    /// Whether the run in the folder goes on.
    pub resumes: bool,
    /// The frame of another run with which this one begins, and what differs between their scenes.
    pub origin: Option<BegunFrom>,
}

impl Target {
    /// Whether the run begins with a frame of another scene.
    pub fn has_changed_scene(&self) -> bool {
        self.origin.as_ref().is_some_and(|origin| !origin.changed.is_empty())
    }
}

/// When a run writes checkpoints, and what they say of it.
pub struct CheckpointPlan {
    /// Number of checkpoints that are kept.
    pub kept: usize,
    /// Number of frames from one checkpoint to the next. 0: no checkpoints. `None`: the cost
    /// decides.
    pub every: Option<u32>,
    /// The hash of everything that frames depend on: the scene without its number of frames, and
    /// the meshes.
    scene_hash: u64,
}

impl CheckpointPlan {
    fn new(arguments: &Arguments, every: Option<u32>, scene_hash: u64) -> Self {
        let kept = arguments.computing.keep_checkpoints.map_or(LEAST_KEPT, |it| it as usize);
        Self { kept, every, scene_hash }
    }

    /// When checkpoints are asked for. A run that cannot be saved makes none.
    fn every(arguments: &Arguments, content: &Content) -> Result<Option<u32>> {
        match arguments.computing.checkpoint_every {
            asked if content.can_be_saved() => Ok(asked),
            None | Some(0) => Ok(Some(0)),
            Some(_) => {
                let cause = "a run with the engine `Rapier` makes no checkpoints: what the engine \
                             remembers from step to step cannot be saved";
                Err(Error::input("--checkpoint-every", cause, "leave it out"))
            }
        }
    }
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
        // 1. The scene, what it has, and the format of its frames.
        let mut scene = overrides::load(&arguments.scene, &arguments.overrides)?;
        if let Some(frames) = arguments.frames {
            scene.frames = frames;
            cloth_scene::load::validate(&scene, &arguments.scene)?;
        }
        scene.refine = arguments.refine.unwrap_or(scene.refine);
        let home = arguments.scene.parent().unwrap_or(Path::new(".")).to_path_buf();
        let content = Content::new(arguments, &scene, &home)?;
        let formats = Formats::named(scene.output.format_names(), "output.formats")?;
        formats.check(&content.frame_objects(&scene))?;
        let mut warnings = Vec::from_iter(unreadable(&formats, &scene));
        warnings.extend(content.warnings());
        // 2. The files that the run reads and writes.
        let meshes = input_meshes(&scene, &home)?;
        let copied = match arguments.resumes {
            true => scene.clone(),
            false => with_copies(&scene, &meshes, &home),
        };
        let every = CheckpointPlan::every(arguments, &content)?;
        let target = Target {
            folder: arguments.out.clone().unwrap_or_else(|| Path::new("out").join(&scene.name)),
            files: content.files(arguments, every, &formats, &meshes, &scene),
            overwrite: arguments.overwrite,
            resumes: arguments.resumes,
            origin: begun_from(arguments.origin.as_ref(), &copied, &meshes)?,
        };
        let checkpoints = CheckpointPlan::new(arguments, every, scene_hash(&copied, &meshes)?);
        let stop_after = arguments.computing.stop_after;
        let input = Input { scene_file: arguments.scene.clone(), home, meshes };
        say_default_steps(arguments, show);
        Ok(Self {
            scene,
            content,
            formats,
            input,
            target,
            checkpoints,
            stop_after,
            show,
            start,
            transport,
            placement,
            warnings,
        })
    }

    /// What all frames share.
    pub fn frame_objects(&self) -> FrameObjects<'_> {
        self.content.frame_objects(&self.scene)
    }

    /// Whether the run writes checkpoints.
    pub fn makes_checkpoints(&self) -> bool {
        self.checkpoints.every != Some(0)
    }

    /// Whether `--stop-after` is over.
    pub fn time_is_up(&self) -> bool {
        self.stop_after.is_some_and(|limit| self.start.elapsed() >= limit)
    }

    /// The header of a checkpoint of this run after `step` steps.
    pub fn checkpoint_header(&self, step: u64) -> Header {
        Header {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            engine: self.content.engine().to_owned(),
            scene_hash: self.checkpoints.scene_hash,
            step,
            steps_per_frame: self.scene.steps_per_frame.at_most().into(),
        }
    }

    /// Claims the run folder for this process. If the run in it goes on, reads its newest
    /// checkpoint.
    ///
    /// # Errors
    /// The errors of [`RunFolder::claim`] and [`RunFolder::claim_again`]. Also a resumed run that
    /// already has all its frames.
    pub fn claim(&self) -> Result<RunFolder> {
        let Target { folder: path, files, overwrite, resumes, origin } = &self.target;
        if *resumes {
            let folder = RunFolder::claim_again(path, &self.checkpoint_header(0))?;
            self.check_frames(&folder)?;
            return Ok(folder);
        }
        let mut claim = Claim {
            files: files.clone(),
            frames: u64::from(self.scene.frames) + 1,
            overwrite: *overwrite,
            inputs: self.inputs(),
        };
        if let Content::Cloth(_) = self.content {
            claim.files.add(names::TABLES);
        }
        let mut folder = RunFolder::claim(path, claim)?;
        if let Some(BegunFrom { run, frame, .. }) = origin {
            let now = self.checkpoint_header(0);
            folder.checkpoint = Some(checkpoint::at_frame(Path::new(run), *frame, &now)?);
            folder.first_frame = *frame;
            let last = u64::from(self.scene.frames);
            if *frame > last {
                let cause = format!("the run begins with frame {frame} and ends with {last}");
                let remedy = format!("ask for at least {}", plural(*frame as usize, "frame"));
                return Err(Error::input("--frames", cause, remedy));
            }
        }
        Ok(folder)
    }

    /// The files that the run reads.
    fn inputs(&self) -> Vec<PathBuf> {
        let meshes = self.input.meshes.iter().map(|mesh| mesh.path.clone());
        let mut inputs =
            Vec::from_iter(std::iter::once(self.input.scene_file.clone()).chain(meshes));
        if let Content::Cloth(cloth) = &self.content {
            inputs.extend(cloth.materials.inputs());
        }
        inputs
    }

    /// Builds the model of the cloths, which is the same on all ranks; none in a scene of rigid
    /// bodies. `partition` gets a function that makes a partition for a number of ranks. Call it
    /// once.
    ///
    /// # Errors
    /// A mesh that cannot be partitioned, or a scene that starts with intersections.
    pub fn model(
        &mut self,
        partition: impl FnOnce(&dyn Fn(usize) -> Result<Partition>) -> Result<Partition>,
    ) -> Result<Option<Arc<Model>>> {
        let Some(setup) = self.content.take_setup() else { return Ok(None) };
        let mut stage = Some(Stage::begin(self.show, "elements"));
        let mut next = |name| {
            stage = None;
            stage = Some(Stage::begin(self.show, name));
        };
        let model = Model::new(self.scene.settings(), setup, |build| {
            next("partition");
            let partition = partition(build);
            next("hierarchies");
            partition
        })?;
        next("intersections at the start");
        let start = model.check_start()?;
        self.warnings.extend(start.iter().map(|it| format!("the scene starts with {it}")));
        Ok(Some(Arc::new(model)))
    }

    /// Refuses to go on with a complete run, or one that has more frames. A run may have ended
    /// between its last frame and its tables.
    fn check_frames(&self, folder: &RunFolder) -> Result<()> {
        let done = folder.checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.header.frame());
        let (frames, head) = (u64::from(self.scene.frames), RunHead::read(&self.target.folder)?);
        if done < frames || done == frames && head.status != Status::Complete {
            return Ok(());
        }
        let cause = format!("the run has its frames up to frame {done} already");
        Err(Error::file(&self.target.folder, cause, "ask for more frames with --frames"))
    }
}

/// A note if the scene of a run does not say how many steps a frame takes.
fn say_default_steps(arguments: &Arguments, show: Show) {
    let field = "steps_per_frame";
    let is_said = std::fs::read_to_string(&arguments.scene).map_or(true, |it| it.contains(field))
        || arguments.overrides.iter().any(|it| it.trim_start().starts_with(field));
    if !is_said && !show.quiet && !show.json {
        print::message(format_args!(
            "note: the scene has no `{field}`, so each frame takes 40 steps; with 10, as in the scenes of \
             `cloth-sim new`, it takes about a quarter of the time"
        ));
    }
}

/// A warning if no format of the frames can be read again.
fn unreadable(formats: &Formats, scene: &Scene) -> Option<String> {
    formats.readable(scene.is_divided()).is_none().then(|| {
        let best = if scene.is_divided() { "vtp" } else { "obj" };
        format!(
            "`check`, `view` and `convert` cannot read these frames; add \"{best}\" to output.formats"
        )
    })
}

/// The hash of all that frames depend on: these `meshes`, and `scene` with their copies and without
/// its number of frames.
fn scene_hash(scene: &Scene, meshes: &[InputMesh]) -> Result<u64> {
    let mut text = Scene { frames: 0, ..scene.clone() }.to_ron()?;
    let mut hashes = Vec::from_iter(meshes.iter().map(|mesh| &*mesh.copy.hash));
    hashes.sort_unstable();
    text += &hashes.concat();
    Ok(xxh3_64(text.as_bytes()))
}
