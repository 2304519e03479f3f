//! What a run folder says of its run: objects, rest lengths, frames.

use std::path::{Path, PathBuf};

use cloth_sim::error::{Error, Result};
use cloth_sim::math::Vec3;
use cloth_sim::mesh::obj_read;
use cloth_sim::scene;
use cloth_sim::scene::{Scene, spec};
use cloth_sim::verify::{Moves, Surface, Surfaces};

use crate::program::check::pieces;
use crate::program::check::pieces::Shape;
use crate::program::check::split::split;
use crate::program::output::formats::obj;
use crate::program::output::names;
use crate::program::output::run_json::{NO_RUN, RunHead, Status};

/// A run, as its folder tells.
#[derive(Debug, Clone)]
pub struct Run {
    /// Its folder.
    pub folder: PathBuf,
    /// The scene's name.
    pub name: String,
    /// How many frames there should be.
    pub frames: u64,
    /// Why it is not complete, if it is not.
    pub unfinished: Option<String>,
    /// Where the rest lengths of edges come from.
    pub rest: String,
    /// The objects: cloths, then moving, then fixed obstacles.
    pub objects: Vec<Object>,
    /// The objects as surfaces, in the same order.
    pub surfaces: Surfaces,
    /// Positions of the fixed obstacles, m.
    pub fixed: Vec<Vec3>,
    /// Number of vertices in each frame.
    pub frame_vertices: usize,
    /// Hash of what all frames have in common (see [`super::split`]).
    pub(super) common: u64,
}

/// An object of the run.
#[derive(Debug, Clone)]
pub struct Object {
    /// Its name in the scene.
    pub name: String,
    /// Its edges, in its own numbering.
    pub edges: Vec<[u32; 2]>,
    /// The rest length of each edge, m; empty for obstacles.
    pub rest_lengths: Vec<f64>,
}

/// The format of frames that a check reads.
pub const FORMAT: &str = obj::NAME;

impl Run {
    /// Reads all but the frames' positions.
    ///
    /// # Errors
    /// As for [`super::check_run`].
    pub fn open(folder: &Path) -> Result<Self> {
        // 1. What ran, and how far.
        let scene = read_scene(folder)?;
        let unfinished = unfinished(folder)?;
        // 2. The objects' polygons, from a frame and from obstacles.obj.
        let (number, text) = first_whole_frame(folder, &scene)?;
        let in_frames = split(&text);
        let mut pieces =
            pieces::read(&folder.join(names::frame(number, FORMAT)), &text, &in_frames.ends)?;
        let (names, fixed_count) = object_names(&scene);
        let moving = names.len() - fixed_count;
        expect_objects(folder, &names::frame(number, FORMAT), pieces.len(), moving)?;
        let mut fixed = Vec::new();
        if fixed_count > 0 {
            let fixed_file = names::obstacles(FORMAT);
            let path = folder.join(&fixed_file);
            let text = read(&path, "repeat the run; its fixed obstacles are lost")?;
            let in_file = split(&text);
            pieces.extend(pieces::read(&path, &text, &in_file.ends)?);
            expect_objects(folder, &fixed_file, pieces.len() - moving, fixed_count)?;
            fixed = in_file.positions;
        }
        // 3. Triangles and rest lengths as the simulation had them.
        let cloths = scene.cloths.len();
        let (shapes, rest) = match pieces::shapes_of_scene(&scene, folder, &pieces) {
            Ok(shapes) => (shapes, "the rest shape (scene.ron)".to_owned()),
            Err(reason) => {
                let shapes = pieces.iter().enumerate().map(|(i, piece)| piece.shape(i < cloths));
                let rest = format!("frame {number}, not the rest shape: {reason}");
                (shapes.collect::<Result<Vec<_>>>()?, rest)
            }
        };
        // 4. Surfaces with their hierarchies.
        let mut surfaces = Surfaces::default();
        let mut objects = Vec::new();
        for (i, ((shape, piece), name)) in shapes.into_iter().zip(&pieces).zip(names).enumerate() {
            let Shape { faces, topology, rest_lengths } = shape;
            let (first, positions) = (surfaces.vertex_count() as u32, &piece.document.positions);
            surfaces.list.push(Surface::new(
                first,
                &faces,
                &topology,
                positions,
                None,
                if i < cloths { Moves::Deforms } else { Moves::Prescribed },
            ));
            objects.push(Object { name, edges: topology.edges, rest_lengths });
        }
        Ok(Self {
            folder: folder.to_owned(),
            name: scene.name.clone(),
            frames: u64::from(scene.frames) + 1,
            unfinished,
            rest,
            objects,
            surfaces,
            fixed,
            frame_vertices: in_frames.positions.len(),
            common: in_frames.rest,
        })
    }
}

fn read(path: &Path, remedy: &str) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|cause| Error::file(path, cause, remedy))
}

fn read_scene(folder: &Path) -> Result<Scene> {
    if !folder.is_dir() {
        return Err(Error::file(folder, "there is no such folder", NO_RUN));
    }
    let path = folder.join(names::SCENE);
    if !path.exists() {
        return Err(Error::file(folder, "the folder is no run: it has no scene.ron", NO_RUN));
    }
    let scene = scene::load(&path)?;
    if scene.output.format == FORMAT {
        return Ok(scene);
    }
    let cause = format!("its frames have the format {}", scene.output.format);
    Err(Error::file(folder, cause, format!("check runs whose output.format is {FORMAT}")))
}

/// Why the run is not complete, from `run.json`.
fn unfinished(folder: &Path) -> Result<Option<String>> {
    let head = RunHead::read(folder)?;
    Ok(match (head.status, head.error) {
        (Status::Complete, _) => None,
        (Status::Running, _) => Some("the run goes on, or was ended while it ran".to_owned()),
        (Status::Failed, Some(error)) => Some(format!("the run failed: {error}")),
        (Status::Failed, None) => Some("the run did not end well".to_owned()),
    })
}

/// The first frame that can be read as a mesh, with its number.
fn first_whole_frame(folder: &Path, scene: &Scene) -> Result<(u64, Vec<u8>)> {
    let mut first_error = None;
    for number in 0..=u64::from(scene.frames) {
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

/// Names of cloths, moving and fixed obstacles, and how many of these are fixed.
fn object_names(scene: &Scene) -> (Vec<String>, usize) {
    let is_fixed =
        |o: &&spec::Obstacle| o.motion.as_ref().is_none_or(|motion| motion.keyframes.len() < 2);
    let (fixed, moving): (Vec<_>, Vec<_>) = scene.obstacles.iter().partition(is_fixed);
    let obstacles = moving.iter().chain(&fixed).map(|obstacle| &obstacle.name);
    let names = scene.cloths.iter().map(|cloth| &cloth.name).chain(obstacles);
    (names.map(|name| name.clone().unwrap_or_default()).collect(), fixed.len())
}

fn expect_objects(folder: &Path, file: &str, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    let cause = format!("the file holds {found} objects, scene.ron has {expected} for it");
    let remedy = "repeat the run: files of different runs seem to be mixed in this folder";
    Err(Error::file(folder.join(file), cause, remedy))
}
