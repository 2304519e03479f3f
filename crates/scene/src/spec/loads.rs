//! The loads of a cloth in a scene.

use cloth_core::bounds::{FORCE, MASS, PRESSURE, positive_within, within};
use cloth_core::settings;
use serde::{Deserialize, Serialize};

use crate::spec::Select;
use cloth_bodies::bodies::cloth::amplitude::AmplitudeKey;

settings! {
    /// A dead load: a force of constant direction that the chosen vertices share.
    #[serde(rename = "Force")]
    pub struct ForceSpec {
        /// Which vertices, by their positions at the start of the scene.
        pub select: Select => checked,
        /// The sum of the forces on all of them, N.
        pub force_n: [f64; 3] => within(FORCE),
        /// Its factor over time: linear between keys, constant outside. Always 1 without keys.
        #[serde(default)]
        pub amplitude: Vec<AmplitudeKey> => keys,
    }
}

settings! {
    /// A pressure that follows the faces.
    #[serde(rename = "Pressure")]
    pub struct PressureSpec {
        /// The faces whose three corners are chosen. The default is all faces.
        #[serde(default)]
        pub select: Option<Select> => checked,
        /// The side that it presses on.
        pub side: PressedSide,
        /// Force per present area, Pa. A negative pressure pulls.
        pub pressure_pa: f64 => within(PRESSURE),
        /// Its factor over time: linear between keys, constant outside. Always 1 without keys.
        #[serde(default)]
        pub amplitude: Vec<AmplitudeKey> => keys,
    }
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

settings! {
    /// A mass beside that of the fabric, which the chosen vertices share.
    #[serde(rename = "Mass")]
    pub struct MassSpec {
        /// Which vertices, by their positions at the start of the scene.
        pub select: Select => checked,
        /// The sum of the masses on all of them, kg.
        pub mass_kg: f64 => positive_within(MASS),
    }
}
