//! Reads a run folder of cloth for a check: the objects and their rest lengths.

use std::ops::Range;
use std::path::{Path, PathBuf};

use cloth_sim::error::{Error, Result};
use cloth_sim::input;
use cloth_sim::math::Vec3;
use cloth_sim::mesh::obj_read;
use cloth_sim::scene::{Scene, spec};
use cloth_sim::verify::{Moves, Surface, Surfaces};

use crate::program::check::drawn::Quad;
use crate::program::check::dropped::DroppedPairs;
use crate::program::check::pieces::{self, Piece, PieceMesh};
use crate::program::check::record::Record;
use crate::program::check::split::split;
use crate::program::output::formats::obj;
use crate::program::output::names;
use crate::program::output::run_json::NO_RUN;

/// A run that is checked.
#[derive(Debug, Clone)]
pub struct CheckedRun {
    /// Its folder.
    pub folder: PathBuf,
    /// The scene's name.
    pub name: String,
    /// The frames that are checked. A run that is not complete lists those that it has.
    pub frames: Range<u64>,
    /// Copies of input meshes that are not as in the run, and why.
    pub meshes: Vec<(String, String)>,
    /// Why the run is not complete, if it is not.
    pub unfinished: Option<String>,
    /// The source of the rest lengths, in words.
    pub rest: String,
    /// The objects: cloths, then moving obstacles, then fixed ones.
    pub objects: Vec<Object>,
    /// Their surfaces, in the same order.
    pub surfaces: Surfaces,
    /// Positions of the fixed obstacles, m.
    pub fixed: Vec<Vec3>,
    /// Cloth that passed obstacles.
    pub dropped: DroppedPairs,
    /// Number of vertices in each frame.
    pub frame_vertices: usize,
    /// Hash of all frames without their positions (see [`super::split`]).
    pub(super) common: u64,
}

/// An object of the run.
#[derive(Debug, Clone)]
pub struct Object {
    /// Its name in the scene.
    pub name: String,
    /// Its edges. Vertices are numbered in the object.
    pub edges: Vec<[u32; 2]>,
    /// The rest length of each edge, m. Empty for obstacles.
    pub rest_lengths: Vec<f64>,
    /// Its quadrilaterals.
    pub quads: Vec<Quad>,
}

/// The only format of frames that a check can read.
pub const FORMAT: &str = obj::NAME;

impl CheckedRun {
    /// Reads everything except the positions of the frames. `record` is that of the folder.
    ///
    /// # Errors
    /// As for [`super::check_run`].
    pub fn open(folder: &Path, record: Record) -> Result<Self> {
        record.expect_format(folder, FORMAT)?;
        let Record { scene, frames, unfinished, meshes: faults, .. } = record;
        // 1. The objects' polygons, from a frame and from obstacles.obj.
        let names = ObjectNames::new(&scene);
        let (number, text) = first_whole_frame(folder, frames.clone())?;
        let in_frames = split(&text);
        let frame = names::frame(number, FORMAT);
        let mut pieces = pieces::read(&folder.join(&frame), &text, &in_frames.ends)?;
        expect_objects(folder, &frame, pieces.len(), names.in_frames.len())?;
        let fixed = read_fixed(folder, names.fixed.len(), &mut pieces)?;
        // 2. Triangles and rest lengths, as the simulation had them.
        let cloths = scene.cloths.len();
        let built = match faults.first() {
            Some((file, fault)) => Err(format!("{file}: {fault}")),
            None => pieces::meshes_of_scene(&scene, folder, &pieces),
        };
        let (meshes, rest) = match built {
            Ok(meshes) => (meshes, "the rest shape (scene.ron)".to_owned()),
            Err(reason) => {
                let meshes = pieces.iter().enumerate().map(|(i, piece)| piece.mesh(i < cloths));
                let rest = format!("frame {number}, not the rest shape: {reason}");
                (meshes.collect::<Result<Vec<_>>>()?, rest)
            }
        };
        // 3. Surfaces with their hierarchies, and what the run has dropped.
        let surfaces = surfaces(&meshes, &pieces, cloths);
        let objects = names.in_frames.into_iter().chain(names.fixed).zip(meshes);
        let objects = objects.map(|(name, mesh)| {
            let PieceMesh { topology, rest_lengths, quads, .. } = mesh;
            Object { name, edges: topology.edges, rest_lengths, quads }
        });
        let objects = Vec::from_iter(objects);
        let names = Vec::from_iter(objects.iter().map(|object| object.name.as_str()));
        let dropped = DroppedPairs::read(folder, &names, cloths)?;
        Ok(Self {
            folder: folder.to_owned(),
            name: scene.name.clone(),
            frames,
            meshes: faults,
            unfinished,
            rest,
            objects,
            surfaces,
            fixed,
            dropped,
            frame_vertices: in_frames.positions.len(),
            common: in_frames.rest,
        })
    }
}

/// Reads the fixed obstacles from their file, adds their pieces, and returns their positions (m).
fn read_fixed(folder: &Path, count: usize, pieces: &mut Vec<Piece>) -> Result<Vec<Vec3>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let file = names::obstacles(FORMAT);
    let path = folder.join(&file);
    let text = read(&path, "repeat the run; its fixed obstacles are lost")?;
    let split = split(&text);
    let fixed = pieces::read(&path, &text, &split.ends)?;
    expect_objects(folder, &file, fixed.len(), count)?;
    pieces.extend(fixed);
    Ok(split.positions)
}

/// The surfaces of all objects. The first `cloths` of them are cloths.
fn surfaces(meshes: &[PieceMesh], pieces: &[Piece], cloths: usize) -> Surfaces {
    let mut surfaces = Surfaces::default();
    for (i, (mesh, piece)) in meshes.iter().zip(pieces).enumerate() {
        let (first, positions) = (surfaces.vertex_count() as u32, &piece.document.positions);
        let moves = if i < cloths { Moves::Deforms } else { Moves::Prescribed };
        let surface = Surface::new(first, &mesh.faces, &mesh.topology, positions, None, moves);
        surfaces.list.push(surface);
    }
    surfaces
}

fn read(path: &Path, remedy: &str) -> Result<Vec<u8>> {
    input::read(path, input::DATA_LIMIT).map_err(|cause| Error::file(path, cause, remedy))
}

/// The first frame that can be read as a mesh, with its number.
fn first_whole_frame(folder: &Path, frames: Range<u64>) -> Result<(u64, Vec<u8>)> {
    let mut first_error = None;
    for number in frames {
        let path = folder.join(names::frame(number, FORMAT));
        let text = read(&path, NO_RUN).and_then(|text| {
            obj_read::parse(&text, &path.display().to_string())?;
            Ok(text)
        });
        match text {
            Ok(text) => return Ok((number, text)),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or_else(|| Error::file(folder, "the run has no frames", NO_RUN)))
}

/// Names of the objects.
struct ObjectNames {
    /// Cloths, then moving obstacles.
    in_frames: Vec<String>,
    /// Fixed obstacles.
    fixed: Vec<String>,
}

impl ObjectNames {
    fn new(scene: &Scene) -> Self {
        let is_fixed = |obstacle: &&spec::Obstacle| {
            obstacle.motion.as_ref().is_none_or(|motion| motion.keyframes.len() < 2)
        };
        let (fixed, moving): (Vec<_>, Vec<_>) = scene.obstacles.iter().partition(is_fixed);
        let cloths = scene.cloths.iter().map(|cloth| &cloth.name);
        let in_frames = cloths.chain(moving.into_iter().map(|obstacle| &obstacle.name));
        let named = |name: &Option<String>| name.clone().unwrap_or_default();
        Self {
            in_frames: in_frames.map(named).collect(),
            fixed: fixed.into_iter().map(|obstacle| named(&obstacle.name)).collect(),
        }
    }
}

fn expect_objects(folder: &Path, file: &str, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    let cause = format!("the file holds {found} objects, but scene.ron puts {expected} into it");
    let remedy = "repeat the run; this folder seems to hold files of different runs";
    Err(Error::file(folder.join(file), cause, remedy))
}
