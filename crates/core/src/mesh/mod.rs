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

/// Barycentric coordinates of the projection of `point` to the plane of a triangle.
pub fn weights(&[a, b, c]: &[Vec3; 3], point: Vec3) -> [f64; 3] {
    let n = normal([a, b, c]);
    let scale = n.norm_squared().recip();
    let part = |from: Vec3, to: Vec3| (to - from).cross(&(point - from)).dot(&n) * scale;
    [part(b, c), part(c, a), part(a, b)]
}

/// The point of a triangle that is nearest to `target`.
pub fn nearest_point(corners: &[Vec3; 3], target: Vec3) -> Vec3 {
    let w = weights(corners, target);
    if w.iter().all(|&w| w >= 0.0) {
        return corners[0] * w[0] + corners[1] * w[1] + corners[2] * w[2];
    }
    let on_side = |i: usize| {
        let (a, b) = (corners[(i + 1) % 3], corners[(i + 2) % 3]);
        let part = (target - a).dot(&(b - a)) / (b - a).norm_squared();
        a + (b - a) * part.clamp(0.0, 1.0)
    };
    let sides = [0, 1, 2].map(on_side);
    let distance = |point: &Vec3| (target - point).norm_squared();
    let nearest = sides.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.unwrap_or(corners[0])
}

/// Twice the area of a triangle, along its normal.
pub fn normal([a, b, c]: [Vec3; 3]) -> Vec3 {
    (b - a).cross(&(c - a))
}
