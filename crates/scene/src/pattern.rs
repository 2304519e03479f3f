//! A sewing pattern: an OBJ file that lays out the polygons of a cloth.

use std::path::Path;

use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_core::mesh::refine::subdivide;
use cloth_core::mesh::shapes::Shape;
use cloth_core::mesh::surface::has_no_area;
use cloth_core::mesh::{ObjDocument, SurfaceMesh, obj_read};

/// The triangles of a cloth as its pattern lays them out. Seams are open there, so it may have more
/// points than the cloth has vertices.
pub(super) struct Pattern {
    points: Vec<Vec3>,
    faces: Vec<[u32; 3]>,
}

impl Pattern {
    /// Reads the pattern at `path` of the cloth `surface`, which was made from `shape`. Polygon `i` of
    /// the pattern is polygon `i` of the cloth, corner by corner. Paths are relative to `scene_dir`.
    /// `at` is the path of the cloth in the scene.
    ///
    /// # Errors
    /// A file that cannot be read, polygons that are not those of the cloth, or one without area.
    pub fn read(
        path: &str,
        shape: &Shape,
        surface: &SurfaceMesh,
        at: &str,
        scene_dir: &Path,
    ) -> Result<Self> {
        let file = scene_dir.join(path);
        let (pattern, _) = obj_read::read(&file)?;
        // The surface may have cut its polygons, and begin them at another corner.
        let cloth = match shape {
            Shape::Mesh(mesh) => obj_read::read(&scene_dir.join(mesh))?.0,
            _ => surface.document.clone(),
        };
        let refuse = |cause: String| {
            let remedy =
                "export the flat pieces and the garment with the same polygons in the same order";
            Err(Error::input(format!("{at}.rest"), format!("{}: {cause}", file.display()), remedy))
        };
        let [polygons, expected] = [&pattern, &cloth].map(|it| it.polygon_ends.len());
        if polygons != expected {
            return refuse(format!("{polygons} polygons, but the cloth has {expected}"));
        }
        let mut faces = Vec::with_capacity(surface.faces.len());
        for (face, &polygon) in surface.faces.iter().zip(&surface.face_polygons) {
            let [flat, sewn] = [&pattern, &cloth].map(|it| corners(it, polygon));
            if flat.len() != sewn.len() {
                let counts = format!("{} corners, but {} in the cloth", flat.len(), sewn.len());
                return refuse(format!("polygon {} has {counts}", polygon + 1));
            }
            let laid_out = |vertex: &u32| Some(flat[sewn.iter().position(|it| it == vertex)?]);
            let [a, b, c] = [0, 1, 2].map(|corner| laid_out(&face[corner]));
            let (Some(a), Some(b), Some(c)) = (a, b, c) else {
                return refuse(format!("polygon {} is another one in the cloth", polygon + 1));
            };
            if has_no_area([a, b, c].map(|point| pattern.positions[point as usize])) {
                return refuse(format!("polygon {} has no area", polygon + 1));
            }
            faces.push([a, b, c]);
        }
        Ok(Self { points: pattern.positions, faces })
    }

    /// The pattern of the cloth whose triangles are cut into `k` x `k`.
    pub fn refined(self, k: u32) -> Self {
        let fine = subdivide(&self.points, &self.faces, k);
        Self { points: fine.points, faces: fine.faces }
    }

    /// The edges (m) from corner 0 of a triangle to corners 1 and 2.
    pub fn edges(&self, face: usize) -> [Vec3; 2] {
        let [a, b, c] = self.faces[face].map(|point| self.points[point as usize]);
        [b - a, c - a]
    }
}

/// The vertices of the corners of a polygon.
fn corners(document: &ObjDocument, polygon: u32) -> Vec<u32> {
    let corners = &document.corners[document.polygon(polygon as usize)];
    corners.iter().map(|corner| corner.vertex).collect()
}
