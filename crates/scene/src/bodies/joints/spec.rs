//! Joints as the user writes them in RON. `docs/scene.md` describes every field.

use cloth_core::bounds::{
    ANGLE, COMPLIANCE, LENGTH, RIGIDITY, SPEED, STIFFNESS, not_negative, within,
};
use cloth_core::settings;
use serde::{Deserialize, Serialize};

settings! {
    /// Joints of one kind.
    #[serde(rename = "Joint")]
    pub struct JointSpec, also JointSpec::check_use {
        /// What they hold.
        pub kind: JointChoice => checked,
        /// Which bodies they join.
        pub bodies: JointBodies,
        /// Where the joint is, m. The default is the middle between the centres of both bodies; for
        /// a distance it is the centre of the first one.
        #[serde(default)]
        pub at_m: Option<[f64; 3]> => within(LENGTH),
        /// How far the joint opens by a force, m/N. It is 0 for a rigid joint.
        #[serde(default)]
        pub compliance_m_per_n: f64 => not_negative(COMPLIANCE),
        /// How far it turns by a torque, rad/(N m).
        #[serde(default)]
        pub compliance_rad_per_n_m: f64 => not_negative(COMPLIANCE.of("rad/(N m)")),
        /// Damping of a compliant joint, N s/m.
        #[serde(default)]
        pub damping_n_s_per_m: f64 => not_negative(STIFFNESS.of("N s/m")),
        /// Damping of its rotation, N m s/rad.
        #[serde(default)]
        pub damping_n_m_s_per_rad: f64 => not_negative(RIGIDITY.of("N m s/rad")),
        /// Whether its two bodies collide.
        #[serde(default)]
        pub collide: bool,
    }
}

/// What a joint holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum JointChoice {
    /// A point of both bodies.
    Ball,
    /// Both bodies as one.
    Fixed,
    /// A point and an axis of both bodies. They turn about the axis.
    Hinge {
        /// The axis. Any length except zero.
        axis: [f64; 3],
        /// Least and largest turn of the first body from the start, degrees.
        #[serde(default)]
        limits_deg: Option<(f64, f64)>,
        /// What turns the first body.
        #[serde(default)]
        motor: Option<HingeMotor>,
        /// What turns the first body to an angle.
        #[serde(default)]
        drive: Option<HingeDrive>,
    },
    /// Both bodies, but for shifts along an axis.
    Slider {
        /// The axis. Any length except zero.
        axis: [f64; 3],
        /// Least and largest shift of the first body from the start, m.
        #[serde(default)]
        limits_m: Option<(f64, f64)>,
        /// What shifts the first body.
        #[serde(default)]
        motor: Option<SliderMotor>,
    },
    /// The distance of two points.
    Distance {
        /// The point of the second body, m. The default is its centre.
        #[serde(default)]
        to_m: Option<[f64; 3]>,
        /// The least distance, m. Without both bounds the distance stays that of the start.
        #[serde(default)]
        min_m: Option<f64>,
        /// The largest distance, m.
        #[serde(default)]
        max_m: Option<f64>,
    },
}

settings! {
    /// Turns a hinge.
    #[derive(Copy)]
    pub struct HingeMotor {
        /// Angular velocity of the first body about the axis, degrees a second.
        pub speed_deg_per_s: f64 => within(ANGLE.of("degrees/s")),
        /// The largest torque, N m.
        pub torque_n_m: f64 => not_negative(RIGIDITY),
    }
}

settings! {
    /// A spring and damper that turn a hinge to an angle, as a muscle does.
    pub struct HingeDrive, also HingeDrive::check_keys {
        /// Torque for each radian from the angle, N m/rad.
        pub stiffness_n_m_per_rad: f64 => not_negative(RIGIDITY.of("N m/rad")),
        /// Torque against what is faster or slower than the angle, N m s/rad.
        #[serde(default)]
        pub damping_n_m_s_per_rad: f64 => not_negative(RIGIDITY.of("N m s/rad")),
        /// The turn of the first body from the start, over time. At least one, in ascending order
        /// of time.
        pub keyframes: Vec<DriveKeyframe> => keys,
    }
}

settings! {
    /// An angle at one time.
    #[derive(Copy)]
    pub struct DriveKeyframe {
        /// When, s.
        pub time_s: f64,
        /// The turn of the first body from the start, degrees.
        pub angle_deg: f64 => within(ANGLE),
    }
}

settings! {
    /// Shifts a slider.
    #[derive(Copy)]
    pub struct SliderMotor {
        /// Speed of the first body along the axis, m/s.
        pub speed_m_per_s: f64 => within(SPEED),
        /// The largest force, N.
        pub force_n: f64 => not_negative(STIFFNESS.of("N")),
    }
}

/// Which bodies are joined. A body is `name` (a group of one), `name[3]` or, by its number in the
/// scene, `#17`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum JointBodies {
    /// Two bodies. Instead of the second one, `space` is a point that does not move.
    Pair(String, String),
    /// Each body of a group with the next one.
    Chain(String),
    /// A joint for each line of a CSV file.
    File(String),
}

impl JointSpec {
    /// The path of its file.
    pub(crate) fn path_mut(&mut self) -> Option<&mut String> {
        match &mut self.bodies {
            JointBodies::File(path) => Some(path),
            JointBodies::Pair(..) | JointBodies::Chain(_) => None,
        }
    }
}
