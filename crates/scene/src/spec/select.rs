//! Vertices of a cloth, as the user names them: a choice of some, or a number for each.

use serde::{Deserialize, Serialize, Serializer};

use cloth_core::bounds::{LENGTH, finite, within};
use cloth_core::error::{Error, Result};
use cloth_core::settings::Check;

/// A choice of vertices of one cloth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Select {
    /// By number, from 0 in the order of the file. With `refine`, the new vertices between
    /// chosen neighbours are chosen too.
    Vertices(Vec<u32>),
    /// All in an axis-parallel box of the scene.
    Box {
        /// Lower corner, m.
        min_m: [f64; 3],
        /// Upper corner, m.
        max_m: [f64; 3],
    },
    /// The vertex nearest to a point of the scene (m). If several are nearest, the first one.
    #[serde(serialize_with = "with_parentheses")]
    Nearest([f64; 3]),
    /// All vertices of the faces of an OBJ group.
    Group(String),
}

/// Keeps the parentheses of a point in [`crate::Scene::to_ron`], which leaves out those of a choice.
fn with_parentheses<S: Serializer>(
    point: &[f64; 3],
    to: S,
) -> std::result::Result<S::Ok, S::Error> {
    to.serialize_newtype_struct("Point", point)
}

impl Check for Select {
    fn check(&self, at: &str) -> Result<()> {
        match self {
            Self::Box { min_m, max_m } => {
                // A corner may be far away, to select everything on that side.
                finite(&format!("{at}.min_m"), *min_m)?;
                finite(&format!("{at}.max_m"), *max_m)?;
                if (0..3).any(|axis| min_m[axis] > max_m[axis]) {
                    let cause = "the lower corner of the box is above its upper corner";
                    return Err(Error::input(format!("{at}.min_m"), cause, "swap them"));
                }
                Ok(())
            }
            Self::Nearest(point) => within(at, *point, LENGTH),
            Self::Vertices(_) | Self::Group(_) => Ok(()),
        }
    }
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

impl Check for Numbers {
    fn check(&self, at: &str) -> Result<()> {
        match self {
            Self::Select(select) => select.check(at),
            Self::Csv(_) | Self::Colour(_) => Ok(()),
        }
    }
}
