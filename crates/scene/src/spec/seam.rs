//! Seams, as the user writes them.

use cloth_core::bounds::{LENGTH, SEAM_FORCE, SEAM_STIFFNESS, TIME, positive_within};
use cloth_core::error::Result;
use cloth_core::settings;
use cloth_core::settings::Check;
use serde::{Deserialize, Serialize};

use crate::spec::Select;

settings! {
    /// Vertices of cloths that threads draw together and hold.
    #[serde(rename = "Seam")]
    pub struct SeamSpec {
        /// Which vertices.
        pub stitches: Stitches => checked,
        /// Time in which the seam closes, from the start on, s.
        #[serde(default = "one")]
        pub close_s: f64 => positive_within(TIME),
        /// How far apart its vertices stay, m. The default is the contact distance.
        #[serde(default)]
        pub gap_m: Option<f64> => positive_within(LENGTH),
        /// Whether each pair of vertices becomes one vertex when it has closed. By default it does
        /// where both are of one cloth and `gap_m` is not given.
        #[serde(default)]
        pub weld: Option<bool>,
        /// Stiffness for each metre of the seam, N/m^2.
        #[serde(default = "default_stiffness")]
        pub stiffness_n_per_m2: f64 => positive_within(SEAM_STIFFNESS),
        /// Largest force for each metre of the seam, N/m.
        #[serde(default = "default_most")]
        pub most_n_per_m: f64 => positive_within(SEAM_FORCE),
    }
}

/// Pairs of vertices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Stitches {
    /// The lines (`l`) in the mesh file of the cloth of this name.
    Lines(String),
    /// Two stretches of boundary with equally many vertices.
    Between {
        /// The one.
        first: SeamSide,
        /// The other.
        second: SeamSide,
    },
    /// Each pair by its vertices.
    Pairs {
        /// The cloth of the first vertices.
        first: String,
        /// That of the second ones.
        second: String,
        /// The pairs, by numbers from 0 in the order of the files.
        vertices: Vec<[u32; 2]>,
    },
}

/// A stretch of the boundary of a cloth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeamSide {
    /// The cloth.
    pub cloth: String,
    /// Its vertices, of which those on the boundary count.
    pub select: Select,
}

fn one() -> f64 {
    1.0
}

fn default_stiffness() -> f64 {
    2e5
}

fn default_most() -> f64 {
    50.0
}

impl Check for Stitches {
    fn check(&self, at: &str) -> Result<()> {
        let Self::Between { first, second } = self else { return Ok(()) };
        first.select.check(&format!("{at}.first.select"))?;
        second.select.check(&format!("{at}.second.select"))
    }
}
