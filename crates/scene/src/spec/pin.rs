//! Pins, as the user writes them.

use cloth_core::bounds::{STIFFNESS, TIME, positive_within, within};
use cloth_core::settings;

use crate::spec::{MotionSpec, Numbers, Select};
use cloth_bodies::bodies::cloth::amplitude::AmplitudeKey;

settings! {
    /// Vertices whose motion is prescribed for some time. Where two pins hold a vertex at the same
    /// time, the first one in the list counts.
    #[serde(rename = "Pin")]
    pub struct PinSpec, also PinSpec::check_use {
        /// Which vertices, by their positions at the start of the scene.
        pub select: Select => checked,
        /// When it takes hold, s.
        #[serde(default)]
        pub start_s: f64 => within(TIME),
        /// When it lets go, s. The default is never.
        #[serde(default)]
        pub end_s: Option<f64> => within(TIME),
        /// The motion that the vertices follow from their positions at `start_s`. Without one they
        /// stay there.
        #[serde(default)]
        pub motion: Option<MotionSpec> => checked,
        /// The name of the obstacle that the vertices follow instead.
        #[serde(default)]
        pub follow: Option<String>,
        /// If given, springs of this stiffness draw the vertices to where the pin would hold them,
        /// N/m each.
        #[serde(default)]
        pub stiffness_n_per_m: Option<f64> => positive_within(STIFFNESS),
        /// What the stiffness of the springs is multiplied by, vertex by vertex.
        #[serde(default)]
        pub weights: Option<Numbers> => checked,
        /// Its factor over time: linear between keys, constant outside. Always 1 without keys.
        #[serde(default)]
        pub strength: Vec<AmplitudeKey> => keys,
    }
}

impl PinSpec {
    /// The path of the file of its weights.
    pub(super) fn path_mut(&mut self) -> Option<&mut String> {
        self.weights.as_mut().and_then(Numbers::path_mut)
    }
}
