//! Bodies whose motion is prescribed: obstacles, and the keyframes that they follow.
//!
//! Pins of cloth follow keyframes too.

mod keyframes;
mod obstacle;

pub use keyframes::{Keyframe, KeyframedMotion, Rigid, Transform};
pub use obstacle::ObstacleSetup;
