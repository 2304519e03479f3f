//! The shape of all bodies of a generator.

use std::sync::Arc;

use crate::shape::{Shape, SolidId};
use crate::solid::Solids;
use cloth_bodies::bodies::rigid::MassProperties;

/// The shape of all bodies of a generator. It is scaled to the size of each body.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    shape: Shape,
    solid: Option<SizedSolid>,
}

/// A solid of several sizes.
#[derive(Debug, Clone, PartialEq)]
struct SizedSolid {
    /// Radius of the ball that holds the unscaled solid, m.
    reach: f64,
    /// Its mass and moments of inertia with density 1 kg/m^3.
    properties: MassProperties,
    /// Radii of the balls (m), in rising order, and the solids that they hold.
    sizes: Arc<[(f64, SolidId)]>,
}

impl Form {
    /// The form of `shape`, which may be one of `solids`. A solid is not scaled before
    /// [`Self::of_sizes`].
    pub fn new(shape: Shape, solids: &Solids) -> Self {
        let solid = shape.solid().map(|id| {
            let (reach, properties) = (solids.reach(&shape), solids.mass_properties(&shape, 1.0));
            SizedSolid { reach, properties, sizes: [(reach, id)].into() }
        });
        Self { shape, solid }
    }

    /// The solid of the form, if it is one.
    pub fn solid(&self) -> Option<SolidId> {
        self.shape.solid()
    }

    /// The form of a solid in these sizes, as [`Solids::resize`] gives them.
    pub fn of_sizes(mut self, sizes: Vec<(f64, SolidId)>) -> Self {
        if let Some(solid) = &mut self.solid {
            solid.sizes = sizes.into();
        }
        self
    }

    /// The shape of a body in a ball of radius `size` (m).
    pub fn shape(&self, size: f64) -> Shape {
        let Some(solid) = &self.solid else { return self.shape.with_reach(size) };
        let place = solid.sizes.binary_search_by(|(other, _)| other.total_cmp(&size));
        place.map_or(self.shape, |place| Shape::Solid(solid.sizes[place].1))
    }

    /// The mass (kg) and moments of inertia (kg m^2) of a body in a ball of radius `size` (m) with
    /// `density` (kg/m^3).
    pub fn mass_properties(&self, size: f64, density: f64) -> MassProperties {
        let Some(solid) = &self.solid else {
            return Solids::default().mass_properties(&self.shape.with_reach(size), density);
        };
        let MassProperties { mass, inertia } = solid.properties.scaled(size / solid.reach);
        MassProperties { mass: mass * density, inertia: inertia * density }
    }
}

impl<S: Into<Shape>> From<S> for Form {
    /// The form of a shape that is no solid.
    fn from(shape: S) -> Self {
        Self::new(shape.into(), &Solids::default())
    }
}
