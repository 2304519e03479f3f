//! A joint of rigid bodies in the step of cloth.

use nalgebra::{Rotation3, UnitQuaternion};

use crate::bodies::body::BodyPose;
use crate::bodies::joints::kind::JointKind;
use crate::bodies::joints::pose::RelativePose;
use crate::bodies::joints::{FrameInSpace, JointFrame, JointSettings};
use crate::bodies::prescribed::Rigid;
use crate::bodies::timed::TimedKey;

/// A joint of a body of few nodes with another one, an obstacle or space.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyJoint {
    /// The number of its first body among the bodies of few nodes.
    pub first: usize,
    /// What it holds the first body to.
    pub second: Second,
    /// The frames on both: that on a body relative to its pose; that on an obstacle, or in space, in
    /// the scene before any motion.
    pub frames: [JointFrame; 2],
    /// What it does.
    pub settings: JointSettings,
    /// What turns a hinge to an angle.
    pub drive: Option<Drive>,
}

/// The second body of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Second {
    /// A body of few nodes, by its number.
    Body(usize),
    /// An obstacle that keyframes move, by its number.
    Obstacle(usize),
    /// Space, or what does not move.
    Space,
}

/// A spring and damper that turn a hinge to an angle.
#[derive(Debug, Clone, PartialEq)]
pub struct Drive {
    /// Torque for each radian from the angle, N m/rad.
    pub stiffness: f64,
    /// Torque against the relative angular velocity, N m s/rad.
    pub damping: f64,
    /// The angle over time.
    pub keys: Vec<DriveKey>,
}

/// An angle at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DriveKey {
    /// When, s.
    pub time_s: f64,
    /// The turn of the first body from the start, rad.
    pub angle: f64,
}

impl TimedKey for DriveKey {
    type Value = f64;

    fn time_s(&self) -> f64 {
        self.time_s
    }

    fn value(&self) -> f64 {
        self.angle
    }
}

impl Second {
    /// The number of the body, if forces move it.
    pub fn body(self) -> Option<usize> {
        match self {
            Self::Body(body) => Some(body),
            Self::Obstacle(_) | Self::Space => None,
        }
    }
}

impl BodyJoint {
    /// The frame on the first (0) or second (1) body, if it is a body of few nodes in this `pose`.
    pub fn on_body(&self, side: usize, pose: &BodyPose) -> FrameInSpace {
        self.frames[side].at(&pose.centre, &pose.rotation)
    }

    /// The second frame, if it is on an obstacle that has moved by `motion`, or in space.
    pub fn held(&self, motion: Option<&Rigid>) -> FrameInSpace {
        let frame = motion.map_or(self.frames[1], |motion| Self::moved(&self.frames[1], motion));
        (frame.point, frame.rotation)
    }

    /// The image of a frame in space.
    pub fn moved(frame: &JointFrame, motion: &Rigid) -> JointFrame {
        let turn = Rotation3::from_matrix_unchecked(motion.rotation);
        let turn = UnitQuaternion::from_rotation_matrix(&turn);
        JointFrame { point: motion.apply(frame.point), rotation: turn * frame.rotation }
    }

    /// The energy of what gives way in it, J.
    pub fn energy_j(&self, pose: &RelativePose) -> f64 {
        let JointSettings { kind, compliance, turn_compliance, .. } = self.settings;
        let mut energy_j = 0.0;
        for (at, is_locked) in kind.locked().into_iter().enumerate() {
            let compliance = if at < 3 { compliance } else { turn_compliance };
            if is_locked && compliance > 0.0 {
                energy_j += 0.5 * pose.motion[at].powi(2) / compliance;
            }
        }
        if kind == JointKind::Distance && compliance > 0.0 {
            energy_j += 0.5 * pose.excess(&self.settings).powi(2) / compliance;
        }
        energy_j
    }
}
