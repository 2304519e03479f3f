//! What a generator is told: places, sizes and velocities.

use std::sync::Arc;

use nalgebra::UnitQuaternion;

use crate::generate::lattice::Lattice;
use cloth_core::math::Vec3;

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
