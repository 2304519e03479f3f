//! Obstacles: surfaces whose motion is prescribed.

use crate::bodies::prescribed::{KeyframedMotion, Rigid, Transform};
use crate::math::Vec3;
use crate::mesh::{ObjDocument, Topology};

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
    /// Positions of its vertices in its own coordinates.
    pub shape: Vec<Vec3>,
    /// From its own coordinates to those of the scene (m).
    pub placement: Transform,
    /// How it moves from there. Without a motion it stays there.
    pub motion: Option<KeyframedMotion>,
}

impl ObstacleSetup {
    /// True if it never moves.
    pub fn is_fixed(&self) -> bool {
        self.motion.as_ref().is_none_or(KeyframedMotion::is_constant)
    }

    /// Its motion from its placement at `time_s` (s). None without a motion.
    pub fn pose_at(&self, time_s: f64) -> Option<Rigid> {
        self.motion.as_ref().map(|motion| motion.at(time_s))
    }

    /// Its positions at t = 0 if it had no motion, m.
    pub fn placed(&self) -> impl Iterator<Item = Vec3> {
        self.shape.iter().map(|&local| self.placement.apply(local))
    }

    /// Writes the positions (m) after `pose` into `out`, which is as long as `shape`.
    pub fn positions_after(&self, pose: Option<&Rigid>, out: &mut [Vec3]) {
        debug_assert_eq!(out.len(), self.shape.len());
        for (position, placed) in out.iter_mut().zip(self.placed()) {
            *position = pose.map_or(placed, |pose| pose.apply(placed));
        }
    }

    /// Writes the positions (m) at `time_s` (s) into `out`, which is as long as `shape`.
    pub fn positions_at(&self, time_s: f64, out: &mut [Vec3]) {
        self.positions_after(self.pose_at(time_s).as_ref(), out);
    }
}
