//! Generated shapes. Flat shapes face up (+y), closed ones face outwards.
//!
//! The facets of round bodies contain the ideal body (up to rounding). A point outside the mesh
//! is therefore outside the ideal body too.
//!
//! A new shape is a file with its settings and its mesh, a line of the list below, a sample in
//! `tests.rs`, and a description in `docs/scene.md`.

mod cuboid;
mod flat;
mod round;
#[cfg(test)]
mod tests;
mod tube;

use serde::Serialize;

pub use self::flat::{Diagonal, sheet};
use crate::choice::deserialize_choice;
use crate::mesh::Mesh;
use crate::{Result, bounds};

/// The settings of one kind of generated shape.
pub trait ShapeKind {
    /// Checks every size.
    ///
    /// # Errors
    /// The first field that is out of bounds. `at` is the path of the shape in the scene.
    fn check(&self, at: &str) -> Result<()>;

    /// Writes out the defaults that depend on other fields.
    fn fill_in(&mut self) {}

    /// The mesh, about the origin.
    fn mesh(&self) -> Mesh;

    /// About how many triangles the mesh has, where that may be too many. Shapes with edges of a
    /// given length have few.
    fn triangles(&self) -> f64 {
        0.0
    }

    /// Whether it is round everywhere, so that it is shown without facets.
    fn is_round(&self) -> bool {
        false
    }
}

/// Makes the enum of all shapes from the list of their files and settings.
macro_rules! shapes {
    ($($(#[$doc:meta])* $Kind:ident($file:ident::$Settings:ident),)+) => {
        $(pub use self::$file::$Settings;)+

        /// The surface of a cloth or an obstacle.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        pub enum Shape {
            /// An OBJ file, by its path relative to the scene file.
            Mesh(String),
            $($(#[$doc])* $Kind($Settings),)+
        }

        deserialize_choice!(Shape, "Shape", [Mesh], [], [$($Kind),+]);

        impl Shape {
            /// The names of all kinds, as in a scene.
            pub const NAMES: &'static [&'static str] = &["Mesh", $(stringify!($Kind)),+];

            /// The name of this kind, as in a scene.
            pub fn name(&self) -> &'static str {
                match self {
                    Self::Mesh(_) => "Mesh",
                    $(Self::$Kind(_) => stringify!($Kind),)+
                }
            }

            /// The settings of a generated shape; none for a mesh file.
            pub fn generated(&self) -> Option<&dyn ShapeKind> {
                match self {
                    Self::Mesh(_) => None,
                    $(Self::$Kind(settings) => Some(settings),)+
                }
            }

            /// The shape that generates the mesh, to be changed.
            pub fn generated_mut(&mut self) -> Option<&mut dyn ShapeKind> {
                match self {
                    Self::Mesh(_) => None,
                    $(Self::$Kind(settings) => Some(settings),)+
                }
            }
        }
    };
}

shapes! {
    /// A rectangle in the plane y = 0.
    Sheet(flat::Sheet),
    /// A disc in the plane y = 0.
    Disc(flat::Disc),
    /// A sphere about the origin.
    Sphere(round::Sphere),
    /// A box about the origin.
    Box(cuboid::Cuboid),
    /// A rectangle in the plane y = 0, such as a floor.
    Plane(flat::Plane),
    /// A cylinder about the y axis with a half sphere at each end.
    Capsule(round::Capsule),
    /// A cylinder about the y axis.
    Cylinder(round::Cylinder),
    /// The side of a cylinder or cone about the y axis, open at both ends.
    Tube(tube::Tube),
}

/// Checks a size in m.
fn check_size(at: &str, field: &str, value: f64) -> Result<()> {
    bounds::positive_within(&format!("{at}.{field}"), value, bounds::LENGTH)
}

/// Checks an edge length in m, if one is given.
fn check_edge(at: &str, edge_m: Option<f64>) -> Result<()> {
    edge_m.map_or(Ok(()), |edge_m| check_size(at, "edge_m", edge_m))
}

/// Place `i` of `n` on a side of length `size` about the origin.
fn along(size: f64, i: u32, n: u32) -> f64 {
    size * (f64::from(i) / f64::from(n) - 0.5)
}

/// An edge that is too small by mistake must not fill the memory.
const MAX_PARTS: u32 = 400;

/// The number of pieces of about `edge` in `length`: at least `least`, at most [`MAX_PARTS`].
fn parts(length: f64, edge: f64, least: u32) -> u32 {
    ((length / edge).round() as u32).clamp(least, MAX_PARTS)
}
