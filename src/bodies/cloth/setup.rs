//! A cloth that is ready for the simulation: mesh, fabric and pins in SI units.

use crate::bodies::cloth::material::Material;
use crate::bodies::prescribed::KeyframedMotion;
use crate::math::{Mat2, Vec2, Vec3};
use crate::mesh::{ObjDocument, Topology};

/// One cloth.
#[derive(Debug, Clone, PartialEq)]
pub struct ClothSetup {
    /// Its name, unique in the scene.
    pub name: String,
    /// Polygons, seams and groups that are written out with every frame.
    pub document: ObjDocument,
    /// Triangles, counter-clockwise seen from the front.
    pub faces: Vec<[u32; 3]>,
    /// Edges and adjacency of `faces`.
    pub topology: Topology,
    /// Rest shape, m. The rest angles between faces come from it.
    pub rest: Vec<Vec3>,
    /// Each face's rest lengths and warp direction. Its mass comes from them too.
    pub rest_planes: Vec<RestTriangle>,
    /// Positions at t = 0, m.
    pub positions: Vec<Vec3>,
    /// The fabric.
    pub material: Material,
    /// Pinned vertices. If two pins hold a vertex, the first one in the list counts.
    pub pins: Vec<Pin>,
}

/// A face at rest in its own plane. Corner 0 is the origin, the first axis is the warp
/// direction, and the corners are in counter-clockwise order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RestTriangle {
    /// Corner 1, m.
    pub x1: Vec2,
    /// Corner 2, m.
    pub x2: Vec2,
}

impl RestTriangle {
    /// Its area, m^2.
    pub fn area(&self) -> f64 {
        0.5 * Mat2::from_columns(&[self.x1, self.x2]).determinant().abs()
    }
}

/// Vertices that do not move freely from `start_s` (included) to `end_s` (excluded).
#[derive(Debug, Clone, PartialEq)]
pub struct Pin {
    /// Vertices of its cloth, sorted, each once.
    pub vertices: Vec<u32>,
    /// When it takes hold, s.
    pub start_s: f64,
    /// When it lets go, s. May be infinite.
    pub end_s: f64,
    /// The motion that the vertices follow from their positions at `start_s`
    /// ([`KeyframedMotion::since`]). Without one they stay there.
    pub motion: Option<KeyframedMotion>,
}
