//! Samples of a surface that deforms, as the user writes them.

use cloth_core::bounds::{TIME, positive, within};
use cloth_core::settings;
use serde::Serialize;

use cloth_bodies::bodies::prescribed::{Interpolation, Yielding};
use cloth_core::choice::deserialize_choice;

settings! {
    /// A motion of each vertex, by samples of a point cache.
    #[serde(rename = "Samples")]
    pub struct SamplesSpec {
        /// A PC2 or an MDD file, relative to the scene's folder. Its points are the vertices of the
        /// shape, in their order and in their own coordinates.
        pub file: String,
        /// Frames per second of the file.
        pub frames_per_second: f64 => positive,
        /// The time of the first sample, s.
        #[serde(default)]
        pub start_s: f64 => within(TIME),
        /// How it goes from one sample to the next.
        #[serde(default)]
        pub interpolation: Interpolation,
    }
}

/// What an obstacle does where it leaves cloth no room.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename = "OnPinch")]
pub enum PinchSpec {
    /// Its skin gives way there, and comes back.
    Yield(Yielding),
}

impl PinchSpec {
    const NAMES: &[&str] = &["Yield"];
}

deserialize_choice!(PinchSpec, "OnPinch", [], [], [Yield]);
