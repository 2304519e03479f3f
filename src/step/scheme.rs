//! The time scheme: linearly implicit Euler. No other file of `step` knows how the size of a step
//! enters (docs/methods.md, section 4).
//!
//! | symbol | unit | |
//! |---|---|---|
//! | `h` | s | size of the step |
//! | `x0`, `v0` | m, m/s | at its start |
//! | `x1`, `v1` | m, m/s | at its end |
//!
//! Forces act at the end of the step and are linearised about a base point. In the first solve of
//! a step it is `x0`, `v0`. In a repair it is the solution to be repaired. Positions follow the
//! new velocities: `x1 = x0 + h v1`. The scheme has no memory, so the first step of a run is like
//! any other.

use crate::bodies::Body;
use crate::math::Vec3;

/// The scheme in a step of some size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scheme {
    /// Size of the step, s.
    h: f64,
}

impl Scheme {
    /// The scheme for a step of size `h` (s).
    pub fn new(h: f64) -> Self {
        Self { h }
    }

    /// The effective step `h`, s. In the linear system stiffness has the factor `h^2`; damping and
    /// forces have the factor `h`.
    pub fn effective_s(self) -> f64 {
        self.h
    }

    /// Time from the base point to the end of the step, s. Zero if the solve `repairs` a solution.
    pub fn ahead_s(self, repairs: bool) -> f64 {
        if repairs { 0.0 } else { self.h }
    }

    /// The end position of a vertex that starts at `x0` (m) and has the velocity `v1` (m/s) at the
    /// end, m.
    pub fn end(self, x0: &Vec3, v1: &Vec3) -> Vec3 {
        x0 + v1 * self.h
    }

    /// The end velocity of a vertex that goes from `x0` to `x1` (m), m/s.
    pub fn velocity(self, x0: &Vec3, x1: &Vec3) -> Vec3 {
        (x1 - x0) / self.h
    }

    /// The end speed of a vertex that goes a distance of `way_m` (m), m/s.
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

    /// The end coordinates of a body that starts at `at` and whose nodes end with the velocities
    /// `v1` (m/s or rad/s).
    pub fn moved(self, body: &dyn Body, at: &[f64], v1: &[Vec3]) -> Vec<f64> {
        body.moved(at, v1, self.h)
    }
}
