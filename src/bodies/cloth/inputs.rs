//! What the forces on cloth depend on in a step.

use crate::ids::VertexId;
use crate::math::Vec3;

/// A prescribed vertex, and where it is at the end of the step (m).
pub type Target = (VertexId, Vec3);

/// What the forces on cloth depend on in a step.
#[derive(Clone, Copy)]
pub struct StepInputs<'a> {
    /// Positions of all cloth vertices at the start of the step, m.
    pub x: &'a [Vec3],
    /// Velocities of all cloth vertices at the start of the step, m/s.
    pub v: &'a [Vec3],
    /// Size of the step, s.
    pub h: f64,
    /// Gravity, m/s^2.
    pub gravity: Vec3,
    /// Velocity of the air, m/s.
    pub wind: Vec3,
    /// Prescribed vertices and their positions at the end of the step, by rising vertex.
    pub targets: &'a [Target],
}

impl StepInputs<'_> {
    /// The change of velocity (m/s) that takes `vertex` to its target. None if it is free.
    pub fn prescribed(&self, vertex: VertexId) -> Option<Vec3> {
        let place = self.targets.binary_search_by_key(&vertex, |&(target, _)| target).ok()?;
        let v = vertex as usize;
        Some((self.targets[place].1 - self.x[v]) / self.h - self.v[v])
    }
}
