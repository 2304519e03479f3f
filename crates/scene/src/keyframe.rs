//! A keyframe of a prescribed motion in a scene.

use serde::{Deserialize, Serialize};

/// Where a motion is at one time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Keyframe", default, deny_unknown_fields)]
pub struct KeyframeSpec {
    /// When, s.
    pub time_s: f64,
    /// Displacement of the centre, m.
    pub translation_m: [f64; 3],
    /// Axis of the rotation. Any length except zero.
    pub axis: [f64; 3],
    /// Angle, degrees. It may exceed 360.
    pub angle_deg: f64,
}

impl Default for KeyframeSpec {
    fn default() -> Self {
        Self { time_s: 0.0, translation_m: [0.0; 3], axis: [0.0, 1.0, 0.0], angle_deg: 0.0 }
    }
}
