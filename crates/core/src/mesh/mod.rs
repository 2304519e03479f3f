//! Triangle meshes: OBJ files, point caches, topology, shapes, and what makes their triangles better.

pub mod doubled;
pub mod obj;
pub mod obj_read;
pub mod point_cache;
pub mod quality;
pub mod refine;
pub mod relax;
pub mod shapes;
pub mod surface;
pub mod topology;
pub mod triangle;
pub mod triangulate;
mod written;

use crate::Vec3;
pub use obj::ObjDocument;
pub use point_cache::PointCache;
pub use surface::{Faces, SurfaceMesh};
pub use topology::Topology;

/// A triangle mesh in space.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// Vertex positions, m.
    pub positions: Vec<Vec3>,
    /// Vertices of each triangle, counter-clockwise seen from its front.
    pub faces: Vec<[u32; 3]>,
}
