//! Bodies whose motion is prescribed: obstacles, and the keyframes and samples that they follow.
//!
//! Pins of cloth follow keyframes and obstacles too.

mod follow;
mod keyframes;
mod obstacle;
mod samples;
mod skin;

pub use follow::SurfacePoint;
pub use keyframes::{Keyframe, KeyframedMotion, Rigid, Transform};
pub use obstacle::{Motion, ObstacleSetup, PrescribedPose};
pub use samples::{Interpolation, SampledMotion};
pub use skin::Yielding;
