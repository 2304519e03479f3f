//! Reads the shapes of rigid bodies.

use std::path::Path;

use crate::bodies::resolve::turn;
use crate::bodies::spec::BodyShape;
use cloth_core::error::Result;
use cloth_core::mesh::{Faces, Mesh, SurfaceMesh, obj_read};
use cloth_rigid::fixed::FixedShape;
use cloth_rigid::shape::{PartSpec, Shape};
use cloth_rigid::solid::{Frame, Solid, Solids};

/// The shape of a group, and where it lies in the coordinates in which it was given.
pub(super) struct Geometry {
    pub shape: FixedShape,
    pub frame: Frame,
}

/// Reads a checked `shape`. What it needs of a hull, mesh or compound it adds to `solids`. Paths
/// are relative to `scene_dir`, and `at` is the path of the shape in the scene.
///
/// # Errors
/// A file that is missing or unsound, a surface that is not closed, or a shape without a volume.
pub(super) fn read(
    shape: &BodyShape,
    scene_dir: &Path,
    solids: &mut Solids,
    at: &str,
) -> Result<Geometry> {
    let (solid, frame) = match shape {
        BodyShape::Hull(path) => hull(&scene_dir.join(path), at)?,
        BodyShape::Mesh(path) => {
            let (document, lines) = obj_read::read(&scene_dir.join(path))?;
            let surface = SurfaceMesh::new(document, &lines, Faces::Any)?;
            let (positions, faces) = (surface.document.positions, surface.faces);
            Solid::mesh(&Mesh { positions, faces }, lines.rounding, at)?
        }
        BodyShape::Compound(parts) => compound(parts, scene_dir, at)?,
        shape => {
            let shape = shape.of_settings().map_or(FixedShape::HalfSpace, FixedShape::Shape);
            return Ok(Geometry { shape, frame: Frame::INPUT });
        }
    };
    let shape = FixedShape::Shape(Shape::Solid(solids.add(solid)));
    Ok(Geometry { shape, frame })
}

fn hull(path: &Path, at: &str) -> Result<(Solid, Frame)> {
    let (document, lines) = obj_read::read(path)?;
    Solid::hull(&document.positions, lines.rounding, at)
}

fn compound(parts: &[PartSpec], scene_dir: &Path, at: &str) -> Result<(Solid, Frame)> {
    let mut hulls = Solids::default();
    let mut placed = Vec::with_capacity(parts.len());
    for (i, part) in parts.iter().enumerate() {
        let rotation = turn(part.axis, part.angle_deg);
        let frame = Frame { origin: part.at_m.into(), rotation };
        if let BodyShape::Hull(path) = &part.shape {
            let (solid, own) = hull(&scene_dir.join(path), &format!("{at}[{i}].shape"))?;
            placed.push((Shape::Solid(hulls.add(solid)), frame.then(&own)));
        } else if let Some(shape) = part.shape.of_settings() {
            placed.push((shape, frame));
        }
    }
    Solid::compound(&placed, hulls, at)
}
