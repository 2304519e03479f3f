//! The numbers of a pass of conjugate gradients.

use crate::linear::system::End;

/// What a solve must reach.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    /// Largest norm of the residual, N s.
    pub residual: f64,
    /// Largest `(r, M^-1 r)`, J.
    pub energy: f64,
}

/// How a pass in single precision went.
pub(super) struct Pass {
    pub end: End,
    pub iterations: usize,
    /// Whether the recurrence has reached the goal, and not only fallen as far as its digits go.
    pub reaches_goal: bool,
}

/// The numbers of an iteration that the next one needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recurrence {
    pub alpha: f64,
    pub gamma: f64,
}

impl Default for Recurrence {
    /// No iteration yet.
    fn default() -> Self {
        Self { alpha: f64::INFINITY, gamma: f64::INFINITY }
    }
}
