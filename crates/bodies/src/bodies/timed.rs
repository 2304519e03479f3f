//! Values that follow keys in time.

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
