//! The parts of a compound, as a scene gives them.

use crate::shape::BodyShape;
use cloth_core::bounds::{ANGLE, LENGTH, direction, within};
use cloth_core::error::{Error, Result};
use cloth_core::settings;
use cloth_core::settings::Check;

/// The largest number of parts of a compound.
pub const MOST_PARTS: usize = 1000;

settings! {
    /// A part of a compound.
    #[serde(rename = "Part")]
    pub struct PartSpec, also PartSpec::check_shape {
        /// A convex shape.
        pub shape: BodyShape,
        /// Where its origin is in the frame of the compound, m.
        #[serde(default)]
        pub at_m: [f64; 3] => within(LENGTH),
        /// Axis about which it is turned there. Any length except zero.
        #[serde(default = "up")]
        pub axis: [f64; 3] => direction,
        /// Angle, degrees.
        #[serde(default)]
        pub angle_deg: f64 => within(ANGLE),
    }
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
    PartSpec::check_list(parts, at)
}

impl PartSpec {
    fn check_shape(&self, at: &str) -> Result<()> {
        let name = self.shape.name();
        let whole = ["Mesh", "Compound", "HalfSpace"];
        if whole.contains(&name) {
            let convex = BodyShape::NAMES.iter().filter(|name| !whole.contains(name));
            let remedy = format!("choose one of {}", Vec::from_iter(convex.copied()).join(", "));
            let cause = format!("a `{name}` cannot be a part");
            return Err(Error::input(format!("{at}.shape"), cause, remedy));
        }
        self.shape.check(&format!("{at}.shape"))
    }
}
