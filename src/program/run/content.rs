//! What the scene of a run has: cloths and what is among them, or rigid bodies alone.

use std::borrow::Cow;
use std::path::Path;

use cloth_bodies::bodies::{Documents, Setup};
use cloth_core::error::{Error, Result};
use cloth_core::mesh::ObjDocument;
use cloth_scene::Scene;
use cloth_scene::bodies::RigidSetup;
use cloth_scene::bodies::build::build_bodies;

use crate::engine;
use crate::program::cli::Arguments;
use crate::program::output::formats::Formats;
use crate::program::output::{
    FrameBodies, FrameObjects, InputMesh, Materials, RunFiles, names, obstacles,
};
use crate::program::run::memory;
use crate::program::run::recording::RecordingArguments;
use crate::program::words::plural;

/// What a scene has.
pub enum Content {
    /// Cloths, rigid bodies and obstacles that stay apart.
    Cloth(Box<ClothContent>),
    /// Rigid bodies alone, by parts of a domain.
    Bodies(Box<RigidSetup>),
}

/// The cloths of a scene, what is among them, and what only a run of cloth can be asked for.
pub struct ClothContent {
    /// The meshes that frames are written from.
    pub documents: Documents,
    /// Their materials.
    pub materials: Materials,
    /// The recording of test trees.
    pub recording: RecordingArguments,
    /// Cloths, bodies and obstacles, until [`Content::take_setup`].
    setup: Setup,
    /// Sizes that look wrong.
    slips: Vec<String>,
}

impl ClothContent {
    /// Reads the meshes of `scene`, which is in the folder `home`.
    ///
    /// # Errors
    /// A mesh, a size or an argument that is not valid.
    pub fn new(arguments: &Arguments, scene: &Scene, home: &Path) -> Result<Self> {
        let records = arguments.recording.is_given().then_some(1);
        check_step("--record-tasks", records, scene)?;
        check_step("--record-every", arguments.recording.every(), scene)?;
        memory::check_shapes(scene)?;
        memory::check_rigid(scene)?;
        let fits = |triangles| memory::check_refined(triangles, scene.refine);
        let built = cloth_scene::build_if(scene, home, fits);
        let mut setup = cloth_scene::in_file(&arguments.scene, built)?;
        memory::check_bodies(&setup)?;
        // A warning names a mesh from where the user is, not from the scene.
        let mut named = scene.clone();
        named.mesh_paths_mut().for_each(|path| *path = home.join(&*path).display().to_string());
        let mut slips =
            cloth_scene::in_file(&arguments.scene, cloth_scene::scale_warnings(&named, &setup))?;
        slips.extend(scene.apart_in_words().map(|pairs| {
            format!("apart: {pairs} do not touch, so they may cross, and no check looks for it")
        }));
        let mut documents = setup.take_documents();
        let materials = Materials::take(&mut documents);
        Ok(Self { documents, materials, recording: arguments.recording.clone(), setup, slips })
    }

    /// Name and mesh of each surface of a frame: cloths, rigid bodies, then moving obstacles.
    pub fn surfaces(&self) -> Vec<(Cow<'_, str>, &ObjDocument)> {
        let Documents { cloths, bodies, obstacles } = &self.documents;
        let cloths = cloths.iter().map(|(name, mesh)| (name.into(), mesh));
        let bodies = bodies.iter().map(|(name, mesh)| (format!("body_{name}").into(), mesh));
        let moving = obstacles.iter().filter(|obstacle| !obstacle.is_fixed());
        let moving = moving.map(|it| (it.name.as_str().into(), &it.document));
        cloths.chain(bodies).chain(moving).collect()
    }
}

impl Content {
    /// Reads what `scene`, which is in the folder `home`, has.
    ///
    /// # Errors
    /// A mesh, a body, a size or an argument that is not valid.
    pub fn new(arguments: &Arguments, scene: &Scene, home: &Path) -> Result<Self> {
        if !scene.is_divided() {
            return Ok(Self::Cloth(Box::new(ClothContent::new(arguments, scene, home)?)));
        }
        refuse_options_of_cloth(arguments)?;
        memory::check_rigid(scene)?;
        let setup = cloth_scene::in_file(&arguments.scene, build_bodies(scene, home))?;
        Ok(Self::Bodies(Box::new(setup)))
    }

    /// Cloths, bodies and obstacles, once; none in a scene of rigid bodies.
    pub fn take_setup(&mut self) -> Option<Setup> {
        match self {
            Self::Cloth(cloth) => Some(std::mem::take(&mut cloth.setup)),
            Self::Bodies(_) => None,
        }
    }

    /// What is odd about the scene and its meshes, and does not stop the run.
    pub fn warnings(&self) -> Vec<String> {
        match self {
            Self::Cloth(cloth) => [&cloth.slips[..], &cloth.materials.warnings].concat(),
            Self::Bodies(_) => Vec::new(),
        }
    }

    /// The name of the engine that computes it.
    pub fn engine(&self) -> &'static str {
        match self {
            Self::Cloth(_) => engine::CLOTH,
            Self::Bodies(_) => engine::BODIES,
        }
    }

    /// Whether a run of it can go on from a saved state. What `Rapier` remembers from step to step
    /// is not part of it.
    pub fn can_be_saved(&self) -> bool {
        match self {
            Self::Cloth(_) => true,
            Self::Bodies(setup) => !setup.parallel.settings().is_some_and(|it| it.has_rapier()),
        }
    }

    /// What all frames share.
    pub fn frame_objects(&self, scene: &Scene) -> FrameObjects<'_> {
        let common = FrameObjects {
            digits: scene.output.digits,
            frames_per_second: scene.frames_per_second,
            ..FrameObjects::default()
        };
        match self {
            Self::Cloth(cloth) => {
                let posed = cloth.documents.bodies.iter().map(|(name, _)| name.clone());
                FrameObjects {
                    surfaces: cloth.surfaces(),
                    posed: posed.collect(),
                    cloths: cloth.documents.cloths.len(),
                    still: obstacles::still_obstacles(&cloth.documents),
                    materials: Some(&cloth.materials),
                    ..common
                }
            }
            Self::Bodies(setup) => {
                let count = setup.moving_count() as usize;
                let bodies = Some(FrameBodies { count, solids: &setup.solids });
                let fixed = setup.fixed.bodies();
                let still = obstacles::still_bodies(fixed, &setup.solids, &setup.domain);
                FrameObjects { bodies, still, ..common }
            }
        }
    }

    /// The files that its run will write, with frames of `formats` and copies of `meshes`. It makes
    /// no checkpoints if `checkpoint_every` is 0. The tables of a profile come at its end.
    pub fn files(
        &self,
        arguments: &Arguments,
        checkpoint_every: Option<u32>,
        formats: &Formats,
        meshes: &[InputMesh],
        scene: &Scene,
    ) -> RunFiles {
        // What a run that goes on has copied is there.
        let copied = if arguments.resumes { &[] } else { meshes };
        let mut files = RunFiles::new(copied.iter().map(|mesh| mesh.copy.file.clone()));
        let objects = self.frame_objects(scene);
        formats.add_files(&mut files, &objects);
        files.add((!objects.still.is_empty()).then_some(names::OBSTACLES));
        match self {
            Self::Cloth(cloth) => {
                files.add([names::PARTITION]);
                let has_poses = !cloth.documents.bodies.is_empty();
                files.each_frame.extend(has_poses.then(|| names::all_beside(names::POSES)));
                files.add(cloth.materials.files().filter(|_| !arguments.resumes));
            }
            Self::Bodies(setup) => {
                let workers = setup.parallel.settings().map(|_| names::WORKERS);
                let forces = scene.output.forces.then_some([names::CONTACTS, names::JOINTS]);
                let tables = [names::OWNERS].into_iter().chain(workers);
                let tables = tables.chain(forces.into_iter().flatten());
                files.each_frame.extend(tables.map(names::all_beside));
                files.add((!setup.solids.all().is_empty()).then_some(names::SOLIDS));
            }
        }
        if checkpoint_every != Some(0) {
            files.at_steps = vec![names::CHECKPOINTS.to_owned()];
        }
        files
    }
}

/// Refuses options that only cloth has.
fn refuse_options_of_cloth(arguments: &Arguments) -> Result<()> {
    let of_cloth = [
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
    let steps = scene.steps();
    match step {
        Some(_) if scene.steps_per_frame.error_m().is_some() => Err(Error::input(
            option,
            "the run chooses the sizes of its steps, so that it may have no step of this number",
            "choose a number of steps_per_frame for it",
        )),
        Some(step) if !(1..=steps).contains(&step) => Err(Error::input(
            option,
            format!("there is no step {step}: the run has {}", plural(steps as usize, "step")),
            format!(
                "frame N ends with step {} N; choose one of the steps 1 to {steps}",
                scene.steps_per_frame.at_most()
            ),
        )),
        _ => Ok(()),
    }
}
