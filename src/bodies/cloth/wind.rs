//! What a scene says about the air.

use serde::{Deserialize, Serialize};

use crate::math::Vec3;

/// Drag against the air: a force per area and velocity. Without drag there is
/// no wind either.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Air {
    /// The air's velocity over time; still without keys.
    pub wind: Vec<WindKey>,
    /// Drag along a face's normal, N s/m^3.
    pub normal_drag_n_s_per_m3: f64,
    /// Drag along the face, N s/m^3.
    pub tangential_drag_n_s_per_m3: f64,
}

impl Air {
    /// Velocity of the air at `time_s`, m/s: linear between keys, constant
    /// before the first and after the last.
    pub fn velocity(&self, time_s: f64) -> Vec3 {
        let next = self.wind.partition_point(|key| key.time_s <= time_s);
        let velocity = |key: &WindKey| Vec3::from(key.velocity_m_per_s);
        match (self.wind[..next].last(), self.wind.get(next)) {
            (None, None) => Vec3::zeros(),
            (Some(key), None) | (None, Some(key)) => velocity(key),
            (Some(low), Some(high)) => {
                let weight = (time_s - low.time_s) / (high.time_s - low.time_s);
                velocity(low) + (velocity(high) - velocity(low)) * weight
            }
        }
    }
}

/// The wind at one time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WindKey {
    /// When, s.
    pub time_s: f64,
    /// The air's velocity, m/s.
    pub velocity_m_per_s: [f64; 3],
}
