//! What the terms of a step depend on.

use crate::bodies::cloth::contact_spring::ContactSpring;
use crate::ids::VertexId;
use crate::math::Vec3;

/// What the terms of a step depend on.
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
    /// Contacts that touch this rank's vertices, by rising pair key.
    pub contacts: &'a [ContactSpring],
    /// Vertices that move as told and where they are at the end of the step, by
    /// rising vertex.
    pub targets: &'a [(VertexId, Vec3)],
}

impl StepInputs<'_> {
    /// The change of velocity that takes `vertex` where it is told to be.
    pub fn told(&self, vertex: VertexId) -> Option<Vec3> {
        let place = self.targets.binary_search_by_key(&vertex, |&(told, _)| told).ok()?;
        let v = vertex as usize;
        Some((self.targets[place].1 - self.x[v]) / self.h - self.v[v])
    }
}
