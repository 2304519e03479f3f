//! Triangle meshes: OBJ files, topology, generated shapes.

pub mod obj;
pub mod topology;

use crate::math::Vec3;
pub use obj::ObjDocument;
pub use topology::Topology;

/// A triangle mesh in space.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// Vertex positions, m.
    pub positions: Vec<Vec3>,
    /// Vertices of each triangle, counter-clockwise seen from its front.
    pub faces: Vec<[u32; 3]>,
}
