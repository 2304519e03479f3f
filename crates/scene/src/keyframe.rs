//! A keyframe of a prescribed motion in a scene.

use cloth_core::bounds::{ANGLE, LENGTH, direction, within};
use cloth_core::settings;

settings! {
    /// Where a motion is at one time.
    #[derive(Copy)]
    #[serde(rename = "Keyframe")]
    pub struct KeyframeSpec {
        /// When, s.
        pub time_s: f64 = 0.0,
        /// Displacement of the centre, m.
        pub translation_m: [f64; 3] = [0.0; 3] => within(LENGTH),
        /// Axis of the rotation. Any length except zero.
        pub axis: [f64; 3] = [0.0, 1.0, 0.0] => direction,
        /// Angle, degrees. It may exceed 360.
        pub angle_deg: f64 = 0.0 => within(ANGLE),
    }
}
