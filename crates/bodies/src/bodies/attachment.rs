//! A vertex of cloth that a body of few nodes carries.

use crate::bodies::body::BodyPose;
use cloth_core::{Vec3, VertexId};

/// A vertex of cloth that a body of few nodes carries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attachment {
    /// The vertex, among those of all cloths.
    pub vertex: VertexId,
    /// The number of the body.
    pub body: usize,
    /// Where it is, seen from the pose of the body, m.
    pub point: Vec3,
}

impl Attachment {
    /// Its place in space (m) if the body is in this `pose`.
    pub fn place(&self, pose: &BodyPose) -> Vec3 {
        pose.centre + pose.rotation.transform_vector(&self.point)
    }
}
