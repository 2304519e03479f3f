//! Shapes to be scaled.

use crate::math::Vec3;
use crate::rigid::body::{Shape, SolidId};
use crate::rigid::solid::{MassProperties, Solids};

/// The shape of all bodies, to be scaled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Form {
    /// Balls.
    Sphere,
    /// Cuboids with edges in these proportions.
    Box(Vec3),
    /// Capsules.
    Capsule {
        /// Length of the segment by the diameter.
        slenderness: f64,
    },
    /// A convex hull or closed mesh, which is not scaled.
    Solid {
        /// Its place in the table.
        id: SolidId,
        /// With density 1 kg/m^3.
        mass: MassProperties,
    },
}

impl Form {
    /// A body of this form and `density` (kg/m^3) in a ball of radius `size` (m).
    pub(super) fn scaled(&self, size: f64, density: f64) -> (Shape, MassProperties) {
        let shape = match *self {
            Self::Solid { id, mass: MassProperties { mass, inertia } } => {
                let properties =
                    MassProperties { mass: mass * density, inertia: inertia * density };
                return (Shape::Solid(id), properties);
            }
            Self::Sphere => Shape::Sphere { radius: size },
            Self::Box(proportions) => {
                Shape::Box { half: proportions * (size / proportions.norm()) }
            }
            Self::Capsule { slenderness } => {
                let radius = size / (1.0 + slenderness);
                Shape::Capsule { half_length: slenderness * radius, radius }
            }
        };
        (shape, Solids::default().mass_properties(&shape, density))
    }
}
