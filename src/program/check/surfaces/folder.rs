//! Reads a run of surfaces for a check: the objects and their rest lengths.

use std::path::Path;

use cloth_bodies::bodies::seam::Seam;
use cloth_bodies::bodies::{Body as _, Setup};
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_scene::{Scene, spec};

use crate::engine::Frame;
use crate::program::check::Record;
use crate::program::check::surfaces::{PieceMesh, Quad, pieces};
use crate::program::output::formats::obj::read_pieces;
use crate::program::output::formats::{Piece, Source};
use crate::program::output::names;
use crate::verify::{Moves, Surface, Surfaces};

/// A run that is checked.
pub struct CheckedRun {
    /// What it says about itself.
    pub record: Record,
    /// Its frames.
    source: Box<dyn Source>,
    /// The source of the rest lengths, in words.
    pub rest: String,
    /// The objects: cloths, rigid bodies, moving obstacles, then fixed ones.
    pub objects: Vec<Object>,
    /// Their surfaces, in the same order.
    pub surfaces: Surfaces,
    /// Positions of the fixed obstacles, m.
    pub fixed: Vec<Vec3>,
    /// The seams of the scene.
    pub seams: Vec<Seam>,
    /// The radius of the smallest rigid body, m.
    pub body_radius_m: Option<f64>,
}

/// An object of the run.
#[derive(Debug, Clone)]
pub struct Object {
    /// Its name in the scene.
    pub name: String,
    /// Its edges. Vertices are numbered in the object.
    pub edges: Vec<[u32; 2]>,
    /// The rest length of each edge, m. Empty for all but cloths.
    pub rest_lengths: Vec<f64>,
    /// Its quadrilaterals.
    pub quads: Vec<Quad>,
}

impl CheckedRun {
    /// Reads everything except the positions of the frames.
    ///
    /// # Errors
    /// The errors of [`crate::program::check::check_run`].
    pub fn open(record: Record) -> Result<Self> {
        let (scene, folder) = (&record.scene, record.folder.as_path());
        // 1. The objects' polygons, from a frame and from obstacles.obj.
        let built = match record.meshes.first() {
            Some((file, fault)) => Err(format!("{file}: {fault}")),
            None => cloth_scene::build(scene, folder).map_err(in_one_line),
        };
        if let Err(reason) = &built
            && scene.seams.iter().any(|seam| seam.weld != Some(false))
        {
            let cause = format!("which vertices its seams have made one is not known: {reason}");
            let remedy = "bring the file back from where the run was, or repeat the run";
            return Err(Error::file(folder, cause, remedy));
        }
        let names = ObjectNames::new(scene, built.as_ref(), folder)?;
        let source = record.source()?;
        let in_frames = source.surfaces();
        let mut pieces = in_frames.list.clone();
        expect_objects(folder, &in_frames.file, pieces.len(), names.in_frames.len())?;
        let fixed = read_fixed(folder, names.fixed.len(), &mut pieces)?;
        // 2. Triangles and rest lengths, as the simulation had them.
        let (cloths, bodies) = (scene.cloths.len(), names.bodies);
        let mut seams = built.as_ref().map_or(Vec::new(), |setup| setup.seams.clone());
        let built = built.and_then(|setup| pieces::meshes_of_scene(setup, &pieces));
        let (meshes, rest, faults) = match built {
            Ok((meshes, others)) => {
                let fault = |name| format!("the faces of {name} are not those of the scene");
                let faults = others.into_iter().map(fault).collect();
                (meshes, "the rest shape (scene.ron)".to_owned(), faults)
            }
            Err(reason) => {
                // Frames of another scene.
                seams.clear();
                let meshes =
                    pieces.iter().enumerate().map(|(i, piece)| pieces::mesh(piece, i < cloths));
                let rest = format!("{}, not the rest shape: {reason}", in_frames.file);
                // A mesh that has changed is a fault already.
                let faults = if record.meshes.is_empty() { vec![reason] } else { Vec::new() };
                (meshes.collect::<Result<Vec<_>>>()?, rest, faults)
            }
        };
        let file = in_frames.file.clone();
        // 3. Surfaces with their hierarchies.
        let mut surfaces = surfaces(&meshes, &pieces, [cloths, bodies]);
        let of_bodies = pieces.iter().skip(cloths).take(bodies);
        let body_radius_m =
            of_bodies.map(|piece| radius_m(&piece.document.positions)).reduce(f64::min);
        surfaces.exclude(names.apart.iter().copied());
        let objects = names.in_frames.into_iter().chain(names.fixed).zip(meshes);
        let objects = objects.map(|(name, mesh)| {
            let PieceMesh { topology, rest_lengths, quads, .. } = mesh;
            Object { name, edges: topology.edges, rest_lengths, quads }
        });
        let objects = objects.collect();
        let mut record = record;
        record.meshes.extend(faults.into_iter().map(|fault| (file.clone(), fault)));
        Ok(Self { record, source, rest, objects, surfaces, fixed, seams, body_radius_m })
    }

    /// Frame `number`, or what is wrong with its file.
    ///
    /// # Errors
    /// The errors of [`Source::frame`].
    pub fn frame(&self, number: u64) -> std::result::Result<Frame, String> {
        self.source.frame(number)
    }
}

/// Reads the fixed obstacles from their file, adds their pieces, and returns their positions (m).
fn read_fixed(folder: &Path, count: usize, pieces: &mut Vec<Piece>) -> Result<Vec<Vec3>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let remedy = "repeat the run; its fixed obstacles are lost";
    let fixed = read_pieces(folder, names::OBSTACLES, remedy)?;
    expect_objects(folder, names::OBSTACLES, fixed.list.len(), count)?;
    let first = pieces.len();
    pieces.extend(fixed.list);
    Ok(pieces[first..].iter().flat_map(|piece| piece.document.positions.clone()).collect())
}

/// The largest distance of `points` (m) from their mean, m.
fn radius_m(points: &[Vec3]) -> f64 {
    let mean = points.iter().sum::<Vec3>() / points.len().max(1) as f64;
    points.iter().map(|point| (point - mean).norm()).fold(0.0, f64::max)
}

/// The surfaces of all objects. The first of them are `cloths`, then come `bodies`.
fn surfaces(meshes: &[PieceMesh], pieces: &[Piece], [cloths, bodies]: [usize; 2]) -> Surfaces {
    let mut surfaces = Surfaces::default();
    for (i, (mesh, piece)) in meshes.iter().zip(pieces).enumerate() {
        let (first, positions) = (surfaces.vertex_count() as u32, &piece.document.positions);
        let moves = match i.checked_sub(cloths) {
            None => Moves::Deforms,
            Some(place) if place < bodies => Moves::Rigid,
            Some(_) => Moves::Prescribed,
        };
        let surface = Surface::new(first, &mesh.faces, &mesh.topology, positions, None, moves);
        surfaces.list.push(surface);
    }
    surfaces
}

/// Names of the objects.
struct ObjectNames {
    /// Cloths, rigid bodies, then moving obstacles.
    in_frames: Vec<String>,
    /// Number of rigid bodies.
    bodies: usize,
    /// Fixed obstacles.
    fixed: Vec<String>,
    /// Pairs of objects that do not collide, by their places.
    apart: Vec<[usize; 2]>,
}

impl ObjectNames {
    /// The names in `built`, or in `scene` if it could not be built.
    ///
    /// # Errors
    /// A scene with rigid bodies that could not be built.
    fn new(
        scene: &Scene,
        built: std::result::Result<&Setup, &String>,
        folder: &Path,
    ) -> Result<Self> {
        match built {
            Ok(setup) => Ok(Self::of_setup(setup)),
            Err(_) if scene.bodies.is_empty() => Ok(Self::of_scene(scene)),
            Err(reason) => {
                let cause = format!("the bodies of scene.ron cannot be built: {reason}");
                Err(Error::file(folder, cause, "repeat the run"))
            }
        }
    }

    fn of_setup(setup: &Setup) -> Self {
        let (fixed, moving): (Vec<_>, Vec<_>) =
            setup.obstacles.iter().partition(|obstacle| obstacle.is_fixed());
        let cloths = setup.cloths.iter().map(|cloth| cloth.name.as_str());
        let bodies = setup.bodies.iter().map(|body| body.name());
        let moving = moving.into_iter().map(|obstacle| obstacle.name.as_str());
        let in_frames = Vec::from_iter(cloths.chain(bodies).chain(moving).map(str::to_owned));
        let fixed = Vec::from_iter(fixed.into_iter().map(|obstacle| obstacle.name.clone()));
        let names = Vec::from_iter(in_frames.iter().chain(&fixed).cloned());
        let apart = setup.apart(&names);
        Self { in_frames, bodies: setup.bodies.len(), fixed, apart }
    }

    fn of_scene(scene: &Scene) -> Self {
        let is_fixed = |obstacle: &&spec::Obstacle| {
            obstacle.motion.as_ref().is_none_or(|motion| motion.keyframes.len() < 2)
                && obstacle.samples.is_none()
        };
        let (fixed, moving): (Vec<_>, Vec<_>) = scene.obstacles.iter().partition(is_fixed);
        let cloths = scene.cloths.iter().map(|cloth| &cloth.name);
        let in_frames = cloths.chain(moving.into_iter().map(|obstacle| &obstacle.name));
        let named = |name: &Option<String>| name.clone().unwrap_or_default();
        let in_frames = Vec::from_iter(in_frames.map(named));
        let fixed = Vec::from_iter(fixed.into_iter().map(|obstacle| named(&obstacle.name)));
        let kept_apart = scene.apart.iter().map(|(a, b)| [a.clone(), b.clone()]);
        let of_scene = Setup { kept_apart: kept_apart.collect(), ..Setup::default() };
        let apart = of_scene.apart(&[in_frames.clone(), fixed.clone()].concat());
        Self { in_frames, bodies: 0, fixed, apart }
    }
}

fn in_one_line(error: Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

fn expect_objects(folder: &Path, file: &str, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    let cause = format!("the file holds {found} objects, but scene.ron puts {expected} into it");
    let remedy = "repeat the run; this folder seems to hold files of different runs";
    Err(Error::file(folder.join(file), cause, remedy))
}
