//! From a scene to its ranks, and what stays the same in a simulation.

use std::path::Path;
use std::sync::Arc;

use cloth_sim::error::{Error, Result};
use cloth_sim::ids::VertexId;
use cloth_sim::rigid::balance::Balancer;
use cloth_sim::scene::{Scene, bodies::RigidSetup};
use cloth_sim::step::{Model, Simulation};

use crate::rank::Rank;
use crate::ranks::Ranks;
use cloth_sim::program::cli::{Arguments, Computing};
use cloth_sim::program::run::bodies::{self, in_scene};
use cloth_sim::program::run::content::Content;
use cloth_sim::program::run::placement::Placement;

/// What stays the same in a simulation.
#[derive(Default)]
pub struct Facts {
    /// Its engine: `cloth` or `bodies`.
    pub kind: &'static str,
    /// What is odd about the scene.
    pub warnings: Vec<String>,
    /// Name of each cloth, and the number after its last vertex.
    pub cloths: Vec<(String, VertexId)>,
    /// Triangles of all cloths.
    pub faces: Vec<[VertexId; 3]>,
    /// Mass of each cloth vertex, kg.
    pub masses: Vec<f64>,
    /// The vertices of each group of pins.
    pub pins: Vec<Vec<VertexId>>,
    /// The names of the surfaces of frames.
    pub surfaces: Vec<String>,
    /// Rigid bodies alone.
    pub setup: Option<Arc<RigidSetup>>,
}

/// Starts the ranks of `scene`, which is in `file`.
///
/// # Errors
/// A scene that cannot be simulated. Ranks and threads that are far too many for the cores.
pub fn set_up(scene: &Scene, file: &Path, computing: &Computing) -> Result<(Ranks, Facts)> {
    let count = computing.ranks.unwrap_or(1) as usize;
    let threads = Placement::in_process(computing, count)?.threads;
    let home = file.parent().unwrap_or(Path::new("."));
    let mut content = Content::new(&Arguments::of(file.to_owned()), scene, home)?;
    let setup = content.take_setup();
    let mut facts =
        Facts { kind: content.engine(), warnings: content.warnings(), ..Facts::default() };
    let ranks = match (content, setup) {
        (Content::Cloth(content), setup) => {
            facts.surfaces = content.surfaces().into_iter().map(|(name, _)| name.into()).collect();
            let setup = setup.ok_or_else(|| Error::internal("set-up", "cloth without a set-up"))?;
            let model = Model::new(scene.settings(), setup, |build| build(count))?;
            let start = model.check_start()?;
            facts.warnings.extend(start.iter().map(|it| format!("the scene starts with {it}")));
            facts.add_cloths(&model);
            of_cloth(model, count, threads)?
        }
        (Content::Bodies(setup), _) => {
            let setup = Arc::from(setup);
            facts.setup = Some(Arc::clone(&setup));
            of_bodies(setup, file, count, (threads, scene.output.forces))?
        }
    };
    Ok((ranks, facts))
}

/// The ranks of a scene of cloth.
fn of_cloth(model: Model, count: usize, threads: usize) -> Result<Ranks> {
    let model = Arc::new(model);
    Ranks::start(count, move |world| {
        Ok(Rank::Cloth(Box::new(Simulation::new(model.clone(), world, threads)?)))
    })
}

/// The ranks of a scene of rigid bodies alone, each with so many threads. They note forces, or not.
fn of_bodies(
    setup: Arc<RigidSetup>,
    file: &Path,
    count: usize,
    (threads, forces): (usize, bool),
) -> Result<Ranks> {
    let file = file.to_owned();
    Ranks::start(count, move |world| {
        let mut balancer = Balancer::new(setup.repartition())?;
        let engine = bodies::engine(&setup, world, threads, forces, &mut balancer);
        let mut engine = in_scene(engine, &file, &setup)?;
        let deepest = engine.deepest_overlap_now()?;
        in_scene(setup.check_start(deepest.as_ref()), &file, &setup)?;
        Ok(Rank::Bodies(engine, world.rank()))
    })
}

impl Facts {
    fn add_cloths(&mut self, model: &Model) {
        let ends = model.cloth_ends.iter().copied();
        self.cloths = model.names.iter().cloned().zip(ends).collect();
        self.faces = model.cloth.faces.clone();
        self.masses = model.cloth.masses.clone();
        let groups = model.cloth.pins.groups.iter();
        self.pins = groups.map(|group| group.vertices.clone()).collect();
    }
}
