//! The time scheme: linearly implicit Euler. No other file of `step` knows how the size of a step
//! enters (docs/methods.md, section 4).
//!
//! | symbol | unit | |
//! |---|---|---|
//! | `h` | s | size of the step |
//! | `x0`, `v0` | m, m/s | at its start |
//! | `x1`, `v1` | m, m/s | at its end |
//!
//! Forces act at the end of the step and are linearised about a base point: `x0`, `v0` in the first
//! solve of a step, and the solution that it repairs in a further one. Positions follow the new
//! velocities: `x1 = x0 + h v1`. The scheme has no memory, so the first step of a run is like any
//! other.

use crate::bodies::Body;
use crate::math::Vec3;

/// The scheme in a step of some size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scheme {
    /// Size of the step, s.
    h: f64,
}

impl Scheme {
    /// In a step of `h` (s).
    pub fn new(h: f64) -> Self {
        Self { h }
    }

    /// The effective step, s: in the linear system stiffness has its square as a factor, damping
    /// and impulses have it once.
    pub fn effective_s(self) -> f64 {
        self.h
    }

    /// How far the end of the step is ahead of the base point, s: not at all if a solve `repairs`
    /// the solution of another.
    pub fn ahead_s(self, repairs: bool) -> f64 {
        if repairs { 0.0 } else { self.h }
    }

    /// Where a vertex ends that starts at `x0` (m) and has the velocity `v1` (m/s) at the end, m.
    pub fn end(self, x0: &Vec3, v1: &Vec3) -> Vec3 {
        x0 + v1 * self.h
    }

    /// The velocity at the end of a vertex that goes from `x0` to `x1` (m), m/s.
    pub fn velocity(self, x0: &Vec3, x1: &Vec3) -> Vec3 {
        (x1 - x0) / self.h
    }

    /// The speed at the end of a vertex that goes this far (m), m/s.
    pub fn speed(self, way_m: f64) -> f64 {
        way_m / self.h
    }

    /// The change of velocity by an acceleration (m/s^2), m/s.
    pub fn change(self, acceleration: &Vec3) -> Vec3 {
        acceleration * self.h
    }

    /// The acceleration that changes a velocity from `v0` to `v1` (m/s), m/s^2.
    pub fn acceleration(self, v0: &Vec3, v1: &Vec3) -> Vec3 {
        (v1 - v0) / self.h
    }

    /// The coordinates at the end of a body that starts at `at` and has the velocities `v1` (m/s or
    /// rad/s) of its nodes at the end.
    pub fn moved(self, body: &dyn Body, at: &[f64], v1: &[Vec3]) -> Vec<f64> {
        body.moved(at, v1, self.h)
    }
}
