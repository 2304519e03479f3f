//! The loads of a cloth in a scene.

use serde::{Deserialize, Serialize};

use crate::spec::Select;
use cloth_bodies::bodies::timed::AmplitudeKey;

/// A dead load: a force of constant direction that the chosen vertices share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Force", deny_unknown_fields)]
pub struct ForceSpec {
    /// Which vertices, by their positions at the start of the scene.
    pub select: Select,
    /// The sum of the forces on all of them, N.
    pub force_n: [f64; 3],
    /// Its factor over time: linear between keys, constant outside. Always 1 without keys.
    #[serde(default)]
    pub amplitude: Vec<AmplitudeKey>,
}

/// A pressure that follows the faces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Pressure", deny_unknown_fields)]
pub struct PressureSpec {
    /// The faces whose three corners are chosen. The default is all faces.
    #[serde(default)]
    pub select: Option<Select>,
    /// The side that it presses on.
    pub side: PressedSide,
    /// Force per present area, Pa. A negative pressure pulls.
    pub pressure_pa: f64,
    /// Its factor over time: linear between keys, constant outside. Always 1 without keys.
    #[serde(default)]
    pub amplitude: Vec<AmplitudeKey>,
}

/// A side of a cloth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Side")]
pub enum PressedSide {
    /// The side from which the corners of faces are counter-clockwise; of a closed surface the
    /// outside.
    Front,
    /// The other side; of a closed surface the inside.
    Back,
}

impl PressedSide {
    /// The sign of the pressure along the front normal.
    pub fn along_front_normal(self) -> f64 {
        match self {
            Self::Front => -1.0,
            Self::Back => 1.0,
        }
    }
}

/// A mass beside that of the fabric, which the chosen vertices share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Mass", deny_unknown_fields)]
pub struct MassSpec {
    /// Which vertices, by their positions at the start of the scene.
    pub select: Select,
    /// The sum of the masses on all of them, kg.
    pub mass_kg: f64,
}
