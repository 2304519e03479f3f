//! Values that follow keys in time, such as the factor of a load.

use cloth_core::bounds::{FACTOR, within};
use cloth_core::settings;
use std::ops::{Add, Mul, Sub};

/// A value at one time.
pub trait TimedKey {
    /// What the key says.
    type Value: Copy
        + Add<Output = Self::Value>
        + Sub<Output = Self::Value>
        + Mul<f64, Output = Self::Value>;

    /// When, s.
    fn time_s(&self) -> f64;

    /// The value then.
    fn value(&self) -> Self::Value;
}

/// The value at `time_s` (s): linear between keys, constant before the first and after the last.
/// None without keys. Before: `keys` are in ascending order of time.
pub fn value_at<K: TimedKey>(keys: &[K], time_s: f64) -> Option<K::Value> {
    let next = keys.partition_point(|key| key.time_s() <= time_s);
    match (keys[..next].last(), keys.get(next)) {
        (None, None) => None,
        (Some(key), None) | (None, Some(key)) => Some(key.value()),
        (Some(low), Some(high)) => {
            let weight = (time_s - low.time_s()) / (high.time_s() - low.time_s());
            Some(low.value() + (high.value() - low.value()) * weight)
        }
    }
}

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
