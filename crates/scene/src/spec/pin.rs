//! What holds vertices of a cloth: pins and bodies.

use crate::spec::{MotionSpec, Numbers, Select};
use cloth_bodies::bodies::timed::AmplitudeKey;
use cloth_core::bounds::{FACTOR, STIFFNESS, TIME, not_negative, positive_within, within};
use cloth_core::error::{Error, Result};
use cloth_core::settings;

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

impl PinSpec {
    fn check_use(&self, at: &str) -> Result<()> {
        not_negative_factors(&self.strength, &format!("{at}.strength"))?;
        if let Some(end_s) = self.end_s.filter(|end_s| *end_s <= self.start_s) {
            let cause =
                format!("the pin ends at {end_s} s, before it starts at {} s", self.start_s);
            return Err(Error::input(format!("{at}.end_s"), cause, "choose a later end"));
        }
        let of_springs = "it is for the springs of a pin, and this one holds its vertices exactly";
        let give = "give stiffness_n_per_m too, or leave it out";
        let (is_held, follows) = (self.stiffness_n_per_m.is_none(), self.follow.is_some());
        let (field, cause, remedy) = if is_held && self.weights.is_some() {
            ("weights", of_springs, give)
        } else if is_held && !self.strength.is_empty() {
            ("strength", of_springs, give)
        } else if follows && self.motion.is_some() {
            ("motion", "vertices that follow an obstacle have no other motion", "leave it out")
        } else if follows && self.start_s != 0.0 {
            (
                "start_s",
                "vertices that follow an obstacle are held from the start on",
                "leave it out",
            )
        } else {
            return Ok(());
        };
        Err(Error::input(format!("{at}.{field}"), cause, remedy))
    }
}

settings! {
    /// Vertices of a cloth that a body carries.
    #[serde(rename = "Attach")]
    pub struct AttachSpec {
        /// Which vertices, by their positions at the start of the scene.
        pub select: Select => checked,
        /// The body: `name`, or `name[3]`.
        pub to: String,
    }
}

/// Fails if a factor is below 0.
pub(crate) fn not_negative_factors(keys: &[AmplitudeKey], at: &str) -> Result<()> {
    let mut factors = (0..).zip(keys);
    factors.try_for_each(|(i, key)| not_negative(&format!("{at}[{i}].factor"), key.factor, FACTOR))
}
