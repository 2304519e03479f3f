//! Sizes and masses of shapes.

use crate::math::Vec3;
use crate::rigid::shape::{Shape, SolidId};
use crate::rigid::solid::{MassProperties, Solids};

impl Solids {
    /// The radius of the sphere about the centre of mass that holds a body of `shape`, m.
    pub fn reach(&self, shape: &Shape) -> f64 {
        match shape {
            Shape::Sphere { radius } => *radius,
            Shape::Box { half } => half.norm(),
            Shape::Capsule { half_length, radius } => half_length + radius,
            Shape::Solid(id) => self.get(*id).reach,
        }
    }

    /// Half of the smallest width of a body of `shape`, or less, m.
    pub fn half_width(&self, shape: &Shape) -> f64 {
        match *shape {
            Shape::Sphere { radius } | Shape::Capsule { radius, .. } => radius,
            Shape::Box { half } => half.min(),
            // A slab of this width within the ball of radius `reach` has at most this volume.
            Shape::Solid(id) => {
                let solid = self.get(id);
                solid.volume / (std::f64::consts::TAU * solid.reach * solid.reach)
            }
        }
    }

    /// Mass and moments of a body of `shape` and `density` (kg/m^3).
    pub fn mass_properties(&self, shape: &Shape, density: f64) -> MassProperties {
        let pi = std::f64::consts::PI;
        match *shape {
            Shape::Sphere { radius } => {
                let mass = density * 4.0 / 3.0 * pi * radius * radius * radius;
                MassProperties { mass, inertia: Vec3::repeat(0.4 * mass * radius * radius) }
            }
            Shape::Box { half } => {
                let mass = density * 8.0 * half.x * half.y * half.z;
                let square = half.component_mul(&half);
                let inertia = (Vec3::repeat(square.sum()) - square) * (mass / 3.0);
                MassProperties { mass, inertia }
            }
            Shape::Capsule { half_length, radius } => {
                let square = radius * radius;
                let cylinder = density * pi * square * 2.0 * half_length;
                let ends = density * 4.0 / 3.0 * pi * square * radius;
                let along = cylinder * 0.5 * square + ends * 0.4 * square;
                // A half ball's centre of mass is 3/8 of the radius from its flat side.
                let offset = half_length * half_length + 0.75 * half_length * radius;
                let across = cylinder * (square / 4.0 + half_length * half_length / 3.0)
                    + ends * (0.4 * square + offset);
                MassProperties { mass: cylinder + ends, inertia: Vec3::new(across, along, across) }
            }
            Shape::Solid(id) => {
                let solid = self.get(id);
                MassProperties { mass: density * solid.volume, inertia: solid.moments * density }
            }
        }
    }
}

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
    pub fn scaled(&self, size: f64, density: f64) -> (Shape, MassProperties) {
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
