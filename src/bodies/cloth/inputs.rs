//! What the forces on cloth depend on in a step.

use crate::ids::VertexId;
use crate::math::Vec3;

/// A prescribed vertex, and where it is at the end of the step (m).
pub type Target = (VertexId, Vec3);

/// What the forces on cloth depend on in a step.
///
/// The first solve of a step linearises the forces where it starts: `x = x0`, `v = v0`, and the
/// end of the step is `x + h v` if no velocity changes. A repair linearises them at the end of the
/// step that the solve before it found, so `x = x0 + h v` is already that end.
#[derive(Clone, Copy)]
pub struct StepInputs<'a> {
    /// Positions of all cloth vertices at the start of the step, m.
    pub x0: &'a [Vec3],
    /// Velocities of all nodes at the start of the step, m/s.
    pub v0: &'a [Vec3],
    /// Changes of the velocities of all nodes if they accelerate as in the last step, m/s. The
    /// first solve of a step starts from them.
    pub last_changes: &'a [Vec3],
    /// Positions of all cloth vertices about which forces are linearised, m.
    pub x: &'a [Vec3],
    /// Velocities of all nodes about which forces are linearised, m/s.
    pub v: &'a [Vec3],
    /// How far the end of the step is ahead of `x` at `v`, s: `h`, or zero if `x` is that end.
    pub ahead_s: f64,
    /// Size of the step, s.
    pub h: f64,
    /// Gravity, m/s^2.
    pub gravity: Vec3,
    /// The loads on all cloth vertices, N; empty if there are none.
    pub loads: &'a [Vec3],
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
        Some((self.targets[place].1 - self.x0[v]) / self.h - self.v[v])
    }
}
