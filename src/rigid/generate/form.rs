//! The shape of all bodies of a generator.

use crate::rigid::mass::MassProperties;
use crate::rigid::shape::Shape;
use crate::rigid::solid::Solids;

/// The shape of all bodies of a generator. It is scaled to the size of each body, unless it is a
/// solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Form {
    shape: Shape,
    /// Mass and moments of inertia of a solid with density 1 kg/m^3.
    of_solid: Option<MassProperties>,
}

impl Form {
    /// The form of `shape`, which may be one of `solids`.
    pub fn new(shape: Shape, solids: &Solids) -> Self {
        let of_solid = shape.solid().map(|_| solids.mass_properties(&shape, 1.0));
        Self { shape, of_solid }
    }

    /// The shape of a body in a ball of radius `size` (m), and its mass and moments of inertia with
    /// `density` (kg/m^3). A solid ignores `size`.
    pub fn scaled(&self, size: f64, density: f64) -> (Shape, MassProperties) {
        if let Some(MassProperties { mass, inertia }) = self.of_solid {
            let properties = MassProperties { mass: mass * density, inertia: inertia * density };
            return (self.shape, properties);
        }
        let shape = self.shape.with_reach(size);
        (shape, Solids::default().mass_properties(&shape, density))
    }
}

impl<S: Into<Shape>> From<S> for Form {
    /// The form of a shape that is no solid.
    fn from(shape: S) -> Self {
        Self::new(shape.into(), &Solids::default())
    }
}
