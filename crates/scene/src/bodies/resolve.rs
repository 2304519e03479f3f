//! Turns materials, sizes and orientations of a scene into those of `rigid`.

use nalgebra::{Rotation3, UnitQuaternion};

use crate::bodies::spec::*;
use crate::spec::Scene;
use cloth_core::error::Result;
use cloth_core::math::rotation;
use cloth_rigid::generate;
use cloth_rigid::material::{Material, Materials, Surface};

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
pub(super) fn turn(axis: [f64; 3], angle_deg: f64) -> UnitQuaternion<f64> {
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
