//! What is prescribed, as the user writes it: places, rigid motions, and obstacles with their samples.

use serde::Serialize;

use cloth_bodies::bodies::prescribed::{Interpolation, Yielding};
use cloth_core::bounds::*;
use cloth_core::choice::deserialize_choice;
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_core::mesh::shapes::Shape;
use cloth_core::settings;
use cloth_core::settings::Check;

settings! {
    /// Scales, then rotates, then translates.
    #[derive(Copy)]
    pub struct Placement {
        /// Uniform factor: metres per unit of the mesh.
        pub scale: f64 = 1.0 => positive_within(FACTOR),
        /// Axis of the rotation. Any length except zero.
        pub axis: [f64; 3] = [0.0, 1.0, 0.0] => direction,
        /// Angle, degrees.
        pub angle_deg: f64 = 0.0 => within(ANGLE),
        /// Added last, m.
        pub translation_m: [f64; 3] = [0.0; 3] => within(LENGTH),
    }
}

settings! {
    /// A rigid motion by keyframes.
    #[serde(rename = "Motion")]
    pub struct MotionSpec, also MotionSpec::check_speeds {
        /// Centre of the rotations before any translation, m.
        pub center_m: [f64; 3] = [0.0; 3] => within(LENGTH),
        /// At least one, in ascending order of time.
        pub keyframes: Vec<KeyframeSpec> = Vec::new() => keys,
    }
}

impl MotionSpec {
    /// Fails if there is no key, or a translation is too fast, or not finite. How fast the motion
    /// turns depends on the surface that it moves.
    fn check_speeds(&self, at: &str) -> Result<()> {
        let at = format!("{at}.keyframes");
        if self.keyframes.is_empty() {
            let remedy = "add keyframes, or leave the motion out";
            return Err(Error::input(at, "a motion without keyframes", remedy));
        }
        for (i, two) in self.keyframes.windows(2).enumerate() {
            let way = Vec3::from(two[1].translation_m) - Vec3::from(two[0].translation_m);
            let at = format!("{at}[{}].translation_m", i + 1);
            finite(&at, way)?;
            check_speed(&at, way.norm() / (two[1].time_s - two[0].time_s))?;
        }
        Ok(())
    }
}

/// Fails if a motion has more than the largest speed on the way to the key at `at`.
pub(crate) fn check_speed(at: &str, m_per_s: f64) -> Result<()> {
    if m_per_s <= SPEED.most {
        return Ok(());
    }
    let most = SPEED.most;
    let cause =
        format!("the motion to this key has a speed of {m_per_s:.3e} m/s, more than {most} m/s");
    Err(Error::input(at, cause, "choose a later time_s, or a shorter way"))
}

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

settings! {
    /// An obstacle: a surface whose motion is prescribed.
    pub struct Obstacle, also Obstacle::check_motion {
        /// Unique in the scene. The default comes from the mesh file or the shape.
        #[serde(default)]
        pub name: Option<String>,
        /// Its surface. The faces look outwards.
        pub shape: Shape => checked,
        /// Where it starts.
        #[serde(default)]
        pub transform: Placement => checked,
        /// How it moves from there. Without a motion it stays there.
        #[serde(default)]
        pub motion: Option<MotionSpec> => checked,
        /// How each of its vertices moves, instead.
        #[serde(default)]
        pub samples: Option<SamplesSpec> => checked,
        /// What it does where it leaves cloth no room. Without it, `contact.on_pinch` of the scene
        /// says so.
        #[serde(default)]
        pub on_pinch: Option<PinchSpec> => checked,
        /// OBJ groups whose faces meet nothing.
        #[serde(default)]
        pub without: Vec<String>,
        /// Name of the material that gives its friction. Without one `contact` does.
        #[serde(default)]
        pub touch: Option<String>,
    }
}

impl Obstacle {
    fn check_motion(&self, at: &str) -> Result<()> {
        if self.samples.is_none() || self.motion.is_none() {
            return Ok(());
        }
        let cause = "the obstacle has keyframes and samples";
        Err(Error::input(format!("{at}.motion"), cause, "leave one of them out"))
    }
}

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

impl Check for PinchSpec {
    fn check(&self, at: &str) -> Result<()> {
        let Self::Yield(settings) = self;
        settings.check(at)
    }
}
