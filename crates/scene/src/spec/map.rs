//! Maps of cloth, as the user writes them.

use cloth_core::bounds::{FACTOR, within};
use cloth_core::settings;
use serde::{Deserialize, Serialize};

use crate::spec::Select;

settings! {
    /// Numbers of the vertices of a cloth, which multiply one of its settings. Several maps of one
    /// setting multiply each other.
    #[serde(rename = "Map")]
    pub struct MapSpec {
        /// The setting.
        pub of: Mapped,
        /// Where the numbers come from.
        pub from: Numbers => checked,
        /// The factor of the setting where the number is 0.
        #[serde(default)]
        pub low: f64 => within(FACTOR),
        /// The factor where the number is 1. In between, and beyond, it is linear.
        #[serde(default = "one")]
        pub high: f64 => within(FACTOR),
    }
}

fn one() -> f64 {
    1.0
}

/// What a map multiplies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Mapped {
    /// Mass per area.
    Density,
    /// Stiffness in the plane of the cloth.
    Stiffness,
    /// Flexural rigidity.
    Bending,
    /// Coulomb's coefficients. Where two cloths touch, the mean of both factors counts.
    Friction,
    /// Contact distance.
    Thickness,
}

/// A number for each vertex of a cloth. With `refine`, those of new vertices lie between those of their
/// neighbours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Numbers {
    /// A CSV file, by its path relative to the scene file. It begins with the line `value`, and has
    /// a line for each vertex in the order of the mesh; or it begins with `vertex,value`, and
    /// vertices that it leaves out have 0.
    Csv(String),
    /// A channel of the vertex colours of an OBJ file (`v x y z r g b`).
    Colour(Channel),
    /// 1 for the vertices of the selection, 0 for the others.
    Select(Select),
}

/// A channel of a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Channel {
    /// The first one.
    Red,
    /// The second one.
    Green,
    /// The third one.
    Blue,
}

impl Numbers {
    /// The path of their file, if they come from one.
    pub(super) fn path_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Csv(path) => Some(path),
            _ => None,
        }
    }
}
