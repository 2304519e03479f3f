//! What every rank knows of a run of cloth.

use std::path::Path;
use std::sync::Arc;

use cloth_sim::bodies::{Documents, Setup};
use cloth_sim::error::{Error, Result};
use cloth_sim::mesh::ObjDocument;
use cloth_sim::partition::Partition;
use cloth_sim::scene::{self, Scene};
use cloth_sim::step::Model;

use crate::program::cli::Arguments;
use crate::program::output::materials::Materials;
use crate::program::run::job::{Content, Job};
use crate::program::run::memory;
use crate::program::run::recording::RecordingArguments;
use crate::program::run::stage::Stage;

/// The cloths and obstacles of a scene, and what only a run of cloth can be asked for.
pub struct ClothContent {
    /// The meshes that frames are written from.
    pub documents: Documents,
    /// Their materials.
    pub materials: Materials,
    /// The step whose tasks are traced.
    pub time_line: Option<u64>,
    /// The recording of test trees.
    pub recording: RecordingArguments,
    /// The cloths and obstacles. [`ClothContent::model`] takes them.
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
        check_step("--time-line", arguments.time_line, scene)?;
        check_step("--record-every", arguments.recording.every(), scene)?;
        memory::check_shapes(scene)?;
        let fits = |triangles| memory::check_refined(triangles, scene.refine);
        let mut setup = scene::build_if(scene, home, fits)?;
        memory::check_bodies(&setup)?;
        let mut documents = setup.take_documents();
        let materials = Materials::take(&mut documents);
        let slips = scene::in_file(&arguments.scene, scene::scale_warnings(scene, &setup))?;
        let (time_line, recording) = (arguments.time_line, arguments.recording.clone());
        Ok(Self { documents, materials, time_line, recording, setup, slips })
    }

    /// What is odd about the scene and its meshes, and does not stop the run.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        self.slips.iter().chain(&self.materials.warnings).cloned()
    }

    /// Name and mesh of each surface of a frame: cloths, then moving obstacles.
    pub fn surfaces(&self) -> Vec<(&str, &ObjDocument)> {
        let cloths = self.documents.cloths.iter().map(|(name, mesh)| (name.as_str(), mesh));
        let moving = self.documents.obstacles.iter().filter(|obstacle| !obstacle.is_fixed());
        cloths.chain(moving.map(|it| (it.name.as_str(), &it.document))).collect()
    }
}

impl Job {
    /// Builds the model of the cloths, which is the same on all ranks; none in a scene of rigid
    /// bodies. `partition` gets a function that makes a partition for a number of ranks. Call it once.
    ///
    /// # Errors
    /// A mesh that cannot be partitioned, or a scene that starts with intersections.
    pub fn model(
        &mut self,
        partition: impl FnOnce(&dyn Fn(usize) -> Result<Partition>) -> Result<Partition>,
    ) -> Result<Option<Arc<Model>>> {
        let Content::Cloth(cloth) = &mut self.content else { return Ok(None) };
        let setup = std::mem::take(&mut cloth.setup);
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
