//! What a generator is told: the places, sizes, velocities and the shape of its bodies.

use std::sync::Arc;

use nalgebra::UnitQuaternion;

use crate::{Shape, SolidId, Solids};
use cloth_bodies::bodies::rigid::MassProperties;
use cloth_core::Vec3;

/// Where bodies are at the start.
#[derive(Debug, Clone, PartialEq)]
pub enum Placement {
    /// One by one.
    Listed(Arc<[Start]>),
    /// A simple cubic lattice.
    Grid(Lattice),
    /// Hexagonal close packing with layers along y. Spheres as wide as the spacing touch twelve
    /// others.
    Hexagonal(Lattice),
    /// Random places without overlap. Each body has a cell of its own, and a random place in it.
    Random {
        /// Number of bodies.
        count: u64,
        /// Lower corner of the box that holds all bodies, m.
        low: Vec3,
        /// Upper corner, m.
        high: Vec3,
    },
}

/// A body of a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Start {
    /// Its centre of mass, m.
    pub position: Vec3,
    /// Radius of the ball that holds the body, m. `None` if it is drawn from [`Sizes`].
    pub size: Option<f64>,
    /// Its rotation from its own frame to space. `None` if it is that of the generator.
    pub rotation: Option<UnitQuaternion<f64>>,
    /// Its velocity, m/s. `None` if it is drawn from [`Velocities`].
    pub velocity: Option<Vec3>,
    /// Its angular velocity, rad/s. `None` if it is that of the generator.
    pub spin: Option<Vec3>,
}

impl Start {
    /// A body at `position` (m). All else follows from the generator.
    pub fn at(position: Vec3) -> Self {
        Self { position, size: None, rotation: None, velocity: None, spin: None }
    }
}

/// Radii of the balls that hold the bodies, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sizes {
    /// All alike.
    Constant(f64),
    /// Radii between two bounds, all equally likely.
    Uniform {
        /// Smallest, m.
        low: f64,
        /// Largest, m.
        high: f64,
    },
}

/// Velocities at the start, m/s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Velocities {
    /// All alike.
    Constant(Vec3),
    /// Random directions, and random speeds up to a bound. All are equally likely.
    Random {
        /// Largest speed, m/s.
        most: f64,
    },
}

impl Sizes {
    /// The smallest and the largest size, m.
    pub fn range(&self) -> [f64; 2] {
        match *self {
            Self::Constant(radius) => [radius; 2],
            Self::Uniform { low, high } => [low, high],
        }
    }
}

/// Rows of bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lattice {
    /// Centre of the first body, m.
    pub origin: Vec3,
    /// Distance between neighbours, m.
    pub spacing: f64,
    /// Number of bodies along x, y, z.
    pub counts: [u32; 3],
}

impl Lattice {
    /// The places of a body along x, y, z, from 0.
    pub(super) fn place(&self, number: u64) -> [f64; 3] {
        let [x, y, _] = self.counts.map(u64::from);
        [number % x, number / x % y, number / (x * y)].map(|place| place as f64)
    }

    /// The numbers of the bodies whose box contains all centres. Rows and layers alternate, so
    /// these are the first two and the last two bodies along each axis.
    pub(super) fn outermost(&self) -> Vec<u64> {
        let [x, y, z] = self.counts.map(|count| {
            let mut ends = vec![0, 1, count.saturating_sub(2), count - 1];
            ends.retain(|&place| place < count);
            ends.sort_unstable();
            ends.dedup();
            ends
        });
        let [along_x, along_y, _] = self.counts.map(u64::from);
        let number = |x: &u32, y: &u32, z: &u32| {
            u64::from(*x) + along_x * (u64::from(*y) + along_y * u64::from(*z))
        };
        let rows = z.iter().flat_map(|z| y.iter().map(move |y| (y, z)));
        rows.flat_map(|(y, z)| x.iter().map(move |x| number(x, y, z))).collect()
    }

    /// Distances between rows along x, layers along y, rows along z, m.
    pub(super) fn hexagonal_steps(&self) -> Vec3 {
        Vec3::new(1.0, (2.0_f64 / 3.0).sqrt(), 0.75_f64.sqrt()) * self.spacing
    }

    /// The centre of a body in hexagonal close packing, m.
    pub(super) fn hexagonal(&self, number: u64) -> Vec3 {
        let [x, y, z] = self.place(number);
        let (layer, row) = (y % 2.0, z % 2.0);
        // Every second row is shifted by half a spacing: odd rows in even layers, even rows in odd
        // layers. Odd layers lie in the hollows of even layers.
        let shift = if layer == row { 0.0 } else { 0.5 };
        let place = Vec3::new(x + shift, y, z + layer / 3.0);
        self.origin + place.component_mul(&self.hexagonal_steps())
    }
}

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
