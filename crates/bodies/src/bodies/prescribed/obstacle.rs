//! Obstacles: surfaces whose motion is prescribed.

use serde::{Deserialize, Serialize};

use crate::bodies::prescribed::{KeyframedMotion, Rigid, SampledMotion, Transform, Yielding};
use cloth_core::Vec3;
use cloth_core::mesh::{ObjDocument, Topology};

/// An obstacle: a surface whose motion is prescribed.
#[derive(Debug, Clone, PartialEq)]
pub struct ObstacleSetup {
    /// Its name, unique in the scene.
    pub name: String,
    /// Polygons, seams and groups that are written out.
    pub document: ObjDocument,
    /// Triangles, counter-clockwise seen from outside.
    pub faces: Vec<[u32; 3]>,
    /// Edges and adjacency of `faces`.
    pub topology: Topology,
    /// Positions of its vertices in its own coordinates, before any motion.
    pub shape: Vec<Vec3>,
    /// From its own coordinates to those of the scene (m).
    pub placement: Transform,
    /// How it moves from there. Without a motion it stays there.
    pub motion: Option<Motion>,
    /// How its skin gives way where it pinches cloth. None if it does not.
    pub yields: Option<Yielding>,
}

/// A prescribed motion.
#[derive(Debug, Clone, PartialEq)]
pub enum Motion {
    /// A rigid motion, by keyframes.
    Keyframes(KeyframedMotion),
    /// A motion of each vertex, by samples.
    Samples(SampledMotion),
}

/// Where an obstacle, or a group of pins, is on its way.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum PrescribedPose {
    /// It has moved rigidly.
    Moved(Rigid),
    /// It is where its samples have it at this time, s.
    Sampled(f64),
}

impl PrescribedPose {
    /// The rigid motion, if it is one.
    pub fn rigid(self) -> Option<Rigid> {
        match self {
            Self::Moved(rigid) => Some(rigid),
            Self::Sampled(_) => None,
        }
    }
}

impl ObstacleSetup {
    /// True if it never moves.
    pub fn is_fixed(&self) -> bool {
        self.yields.is_none() && self.is_still()
    }

    fn is_still(&self) -> bool {
        match &self.motion {
            None => true,
            Some(Motion::Keyframes(motion)) => motion.is_constant(),
            Some(Motion::Samples(motion)) => motion.cache.samples() == 1,
        }
    }

    /// Where its motion has it at `time_s` (s). None without a motion.
    pub fn pose_at(&self, time_s: f64) -> Option<PrescribedPose> {
        self.motion.as_ref().map(|motion| match motion {
            Motion::Keyframes(motion) => PrescribedPose::Moved(motion.at(time_s)),
            Motion::Samples(_) => PrescribedPose::Sampled(time_s),
        })
    }

    /// Its positions at t = 0 if it had no motion, m.
    pub fn placed(&self) -> impl Iterator<Item = Vec3> {
        self.shape.iter().map(|&local| self.placement.apply(local))
    }

    /// Writes the positions (m) in `pose` into `out`, which is as long as `shape`.
    pub fn positions_in(&self, pose: Option<&PrescribedPose>, out: &mut [Vec3]) {
        debug_assert_eq!(out.len(), self.shape.len());
        if let (Some(Motion::Samples(motion)), Some(&PrescribedPose::Sampled(time_s))) =
            (&self.motion, pose)
        {
            motion.write(time_s, out);
            out.iter_mut().for_each(|x| *x = self.placement.apply(*x));
            return;
        }
        let rigid = pose.and_then(|pose| pose.rigid());
        for (position, placed) in out.iter_mut().zip(self.placed()) {
            *position = rigid.map_or(placed, |rigid| rigid.apply(placed));
        }
    }

    /// Writes the positions (m) at `time_s` (s) into `out`, which is as long as `shape`.
    pub fn positions_at(&self, time_s: f64, out: &mut [Vec3]) {
        self.positions_in(self.pose_at(time_s).as_ref(), out);
    }
}
