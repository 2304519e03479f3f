//! Turns materials, sizes, orientations and shapes of a scene into those of `rigid`.

use std::path::Path;

use nalgebra::{Rotation3, UnitQuaternion};

use crate::bodies::spec::*;
use crate::spec::Scene;
use cloth_core::error::Result;
use cloth_core::math::rotation;
use cloth_core::mesh::{Faces, Mesh, SurfaceMesh, obj_read};
use cloth_rigid::fixed::FixedShape;
use cloth_rigid::generate;
use cloth_rigid::material::{Material, Materials, Surface};
use cloth_rigid::shape::{PartSpec, Shape};
use cloth_rigid::solid::{Frame, Solid, Solids};

/// The materials of a scene, with their pairs.
pub(crate) fn materials(scene: &Scene) -> Result<Materials> {
    let material = |spec: &BodyMaterial| Material {
        // A material without a density is of no body that forces move.
        density: spec.density_kg_per_m3.unwrap_or(1.0),
        surface: Surface {
            restitution: spec.restitution,
            friction: spec.friction,
            rolling: spec.rolling_m,
        },
    };
    let pair = |pair: &MaterialPair| {
        let number = |name: &str| scene.material_number("material_pairs", name);
        let surface = Surface {
            restitution: pair.restitution,
            friction: pair.friction,
            rolling: pair.rolling_m,
        };
        Ok((number(&pair.materials.0)?, number(&pair.materials.1)?, surface))
    };
    let pairs = scene.material_pairs.iter().map(pair).collect::<Result<Vec<_>>>()?;
    Materials::new(&Vec::from_iter(scene.materials.iter().map(material)), &pairs)
}

impl Orientation {
    /// The rotation of all bodies; `None` if each has its own.
    pub(super) fn resolve(&self) -> Option<UnitQuaternion<f64>> {
        let Self::Turned { axis, angle_deg } = *self else { return None };
        Some(turn(axis, angle_deg))
    }
}

/// The rotation about `axis` by `angle_deg` (degrees).
fn turn(axis: [f64; 3], angle_deg: f64) -> UnitQuaternion<f64> {
    let matrix = Rotation3::from_matrix_unchecked(rotation(axis.into(), angle_deg));
    UnitQuaternion::from_rotation_matrix(&matrix)
}

impl Sizes {
    /// Radii (m) of the balls that hold bodies. The ball of a body of factor 1 has the radius
    /// `reach`.
    pub(super) fn of_reach(&self, reach: f64) -> generate::Sizes {
        match *self {
            Self::Constant(factor) => generate::Sizes::Constant(factor * reach),
            Self::Uniform { min, max } => {
                generate::Sizes::Uniform { low: min * reach, high: max * reach }
            }
        }
    }
}

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
pub(super) fn read_shape(
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
