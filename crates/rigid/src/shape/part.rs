//! The parts of a compound, as a scene gives them.

use serde::{Deserialize, Serialize};

use crate::shape::BodyShape;
use cloth_core::{Error, Result, bounds};

/// The largest number of parts of a compound.
pub const MOST_PARTS: usize = 1000;

/// A part of a compound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Part", deny_unknown_fields)]
pub struct PartSpec {
    /// A convex shape.
    pub shape: BodyShape,
    /// Where its origin is in the frame of the compound, m.
    #[serde(default)]
    pub at_m: [f64; 3],
    /// Axis about which it is turned there. Any length except zero.
    #[serde(default = "up")]
    pub axis: [f64; 3],
    /// Angle, degrees.
    #[serde(default)]
    pub angle_deg: f64,
}

fn up() -> [f64; 3] {
    [0.0, 1.0, 0.0]
}

/// Checks the parts of a compound.
///
/// # Errors
/// No part or too many, or the first part or field that cannot be. `at` is the path of the list.
pub(super) fn check(parts: &[PartSpec], at: &str) -> Result<()> {
    let count = parts.len();
    if count == 0 {
        return Err(Error::input(at, "the list has no part", "add one"));
    }
    if count > MOST_PARTS {
        let cause = format!("{count} parts are too many");
        let remedy = format!("write at most {MOST_PARTS}, or a `Mesh` of the whole");
        return Err(Error::input(at, cause, remedy));
    }
    parts.iter().enumerate().try_for_each(|(i, part)| part.check(&format!("{at}[{i}]")))
}

impl PartSpec {
    fn check(&self, at: &str) -> Result<()> {
        let name = self.shape.name();
        let whole = ["Mesh", "Compound", "HalfSpace"];
        if whole.contains(&name) {
            let convex = BodyShape::NAMES.iter().filter(|name| !whole.contains(name));
            let remedy = format!("choose one of {}", Vec::from_iter(convex.copied()).join(", "));
            let cause = format!("a `{name}` cannot be a part");
            return Err(Error::input(format!("{at}.shape"), cause, remedy));
        }
        self.shape.check(&format!("{at}.shape"))?;
        bounds::vector_within(&format!("{at}.at_m"), self.at_m, bounds::LENGTH)?;
        bounds::direction(&format!("{at}.axis"), self.axis)?;
        bounds::within(&format!("{at}.angle_deg"), self.angle_deg, bounds::ANGLE)
    }
}
