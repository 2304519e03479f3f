//! Triangles of shapes for frames.

use cloth_core::Vec3;
use cloth_core::mesh::{Mesh, ObjDocument};

/// Length of the edges on a ball of radius 1. A ball has 180 triangles.
pub(super) const EDGE: f64 = 0.37;

/// A smooth surface whose vertices are at distance 1 from their core points. (The mesh of an
/// obstacle encloses the shape. In frames, touching bodies would overlap.)
pub(super) fn rounded(mut mesh: Mesh, core: impl Fn(Vec3) -> Vec3) -> ObjDocument {
    for x in &mut mesh.positions {
        let core = core(*x);
        *x = core + (*x - core).normalize();
    }
    let mut document = document(mesh);
    document.smooth_by_default();
    document
}

/// A faceted surface.
pub(super) fn document(mesh: Mesh) -> ObjDocument {
    ObjDocument::from_triangles(mesh.positions, &mesh.faces)
}
