//! Pins, as the user writes them.

use serde::{Deserialize, Serialize};

use crate::spec::{MotionSpec, Numbers, Select};
use cloth_bodies::bodies::timed::AmplitudeKey;

/// Vertices whose motion is prescribed for some time. Where two pins hold a vertex at the same
/// time, the first one in the list counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Pin", deny_unknown_fields)]
pub struct PinSpec {
    /// Which vertices, by their positions at the start of the scene.
    pub select: Select,
    /// When it takes hold, s.
    #[serde(default)]
    pub start_s: f64,
    /// When it lets go, s. The default is never.
    #[serde(default)]
    pub end_s: Option<f64>,
    /// The motion that the vertices follow from their positions at `start_s`. Without one they
    /// stay there.
    #[serde(default)]
    pub motion: Option<MotionSpec>,
    /// The name of the obstacle that the vertices follow instead.
    #[serde(default)]
    pub follow: Option<String>,
    /// If given, springs of this stiffness draw the vertices to where the pin would hold them, N/m each.
    #[serde(default)]
    pub stiffness_n_per_m: Option<f64>,
    /// What the stiffness of the springs is multiplied by, vertex by vertex.
    #[serde(default)]
    pub weights: Option<Numbers>,
    /// Its factor over time: linear between keys, constant outside. Always 1 without keys.
    #[serde(default)]
    pub strength: Vec<AmplitudeKey>,
}

impl PinSpec {
    /// The path of the file of its weights.
    pub(super) fn path_mut(&mut self) -> Option<&mut String> {
        self.weights.as_mut().and_then(Numbers::path_mut)
    }
}
