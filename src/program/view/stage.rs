//! What a page shows of a run: what stays, and each frame.

use std::collections::BTreeMap;

use cloth_core::error::Result;
use cloth_core::math::Vec3;
use serde::Serialize;

use crate::program::view::{Arrays, FrameBlock};

/// A run that is shown, of either kind.
pub trait Stage {
    /// What stays the same in all frames.
    fn still(&self) -> Still;

    /// Frame `number`. Frames are asked for in rising order, because speeds are differences.
    ///
    /// # Errors
    /// A frame that is missing or torn. The message says which.
    fn frame(&mut self, number: u64) -> std::result::Result<FrameBlock, String>;

    /// Forgets the frame before, so that the next one may have any number.
    fn begin_again(&mut self);

    /// Thins the faces of cloth, so that about this `share` of its vertices stays. Returns the
    /// number of vertices before and after; none if there is no cloth.
    ///
    /// # Errors
    /// A frame that cannot be read.
    fn thin(&mut self, share: f64) -> Result<Option<[usize; 2]>>;
}

/// What stays the same in all frames.
#[derive(Debug, Clone, Serialize)]
pub struct Still {
    /// Cloths, moving obstacles, then what stands still.
    pub objects: Vec<ObjectHead>,
    /// `faces` of all objects, each numbered in its own object; `fixed`, the positions (m) of what
    /// stands still; of each vertex of cloth its `patch` and `rank` at the start of the run, and
    /// the factors of its maps.
    pub surfaces: Arrays,
    /// The range of each array of 8 bits of them, by its name.
    pub ranges: BTreeMap<&'static str, [f64; 2]>,
    /// Shapes of rigid bodies in their own frames.
    pub shapes: Vec<ShapeHead>,
    /// The rigid bodies.
    pub bodies: BodiesHead,
    /// What holds them together.
    pub joints: Vec<JointHead>,
}

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It is shown from both sides.
    Cloth,
    /// Its motion is prescribed.
    Obstacle,
    /// A plane that is shown from its front alone.
    Wall,
}

/// A surface whose vertices are in the frames, or stand still.
#[derive(Debug, Clone, Serialize)]
pub struct ObjectHead {
    /// Its name in the scene.
    pub name: String,
    /// What it is.
    pub role: Role,
    /// Whether its vertices are in the frames.
    pub moves: bool,
    /// Number of its vertices.
    pub vertices: usize,
    /// Number of its triangles.
    pub faces: usize,
    /// The name of its fabric; absent for obstacles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fabric: Option<String>,
}

/// A shape of rigid bodies: `positions` (m) and `faces`.
#[derive(Debug, Clone, Serialize)]
pub struct ShapeHead {
    /// Whether it is a ball of radius 1. Then the page may draw a finer or coarser one.
    pub is_ball: bool,
    /// Its arrays.
    #[serde(flatten)]
    pub surface: Arrays,
}

impl ShapeHead {
    /// The shape with these `positions` (m) and `faces`.
    pub fn new(is_ball: bool, positions: &[Vec3], faces: &[[u32; 3]]) -> Self {
        let mut surface = Arrays::default();
        surface.add_f32("positions", positions.iter().flat_map(|x| [x.x, x.y, x.z]));
        surface.add_u32("faces", faces.iter().flatten().copied().collect());
        Self { is_ball, surface }
    }
}

/// The rigid bodies of a run.
#[derive(Debug, Clone, Serialize)]
pub struct BodiesHead {
    /// The names of their groups.
    pub groups: Vec<String>,
    /// Number of bodies.
    pub count: usize,
    /// Of each body: `shape` and `group`, its places in the lists, and `scale`, the factors of its
    /// shape along x, y and z.
    #[serde(flatten)]
    pub of_each: Arrays,
}

/// A joint.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JointHead {
    /// Its kind, as in a scene.
    pub kind: String,
    /// The places of its bodies; none where it holds to what stands still.
    pub bodies: [Option<usize>; 2],
    /// Its points: in the frame of the body, or in space, m. No second point if its place is not
    /// known.
    pub points: [Option<[f64; 3]>; 2],
}

/// The place in `list` of the item that `is_same` as `item`. Adds it if there is none.
pub fn place_of<T>(list: &mut Vec<T>, item: T, is_same: impl Fn(&T, &T) -> bool) -> u16 {
    let known = list.iter().position(|it| is_same(it, &item));
    known.unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    }) as u16
}
