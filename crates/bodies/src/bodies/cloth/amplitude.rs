//! The factor of a load over time.

use cloth_core::bounds::{FACTOR, within};
use cloth_core::settings;

use crate::bodies::timed::{TimedKey, value_at};

settings! {
    /// The factor of a load at one time.
    #[derive(Copy)]
    pub struct AmplitudeKey {
        /// When, s.
        #[serde(default)]
        pub time_s: f64,
        /// What the load is multiplied by.
        pub factor: f64 => within(FACTOR),
    }
}

impl TimedKey for AmplitudeKey {
    type Value = f64;

    fn time_s(&self) -> f64 {
        self.time_s
    }

    fn value(&self) -> f64 {
        self.factor
    }
}

/// The factor at `time_s` (s) of a load with these keys: 1 without keys.
pub fn factor(keys: &[AmplitudeKey], time_s: f64) -> f64 {
    value_at(keys, time_s).unwrap_or(1.0)
}
