//! What the forces on cloth depend on in a step.

use crate::bodies::cloth::pins::Draw;
use cloth_core::{Vec3, VertexId};

/// A prescribed vertex, and where it is at the end of the step (m).
pub type Target = (VertexId, Vec3);

/// What the matrix must hold so that a step is stable. The matrix may leave out the rest, because
/// forces are exact at the point about which they are linearised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stability {
    /// The least share of a stiffness that must be in the matrix.
    pub least_share: f64,
    /// The largest stiffness that may be left out, in units of mass over `h^2`.
    pub by_mass: f64,
}

impl Stability {
    /// For linearly implicit Euler, linearised at the start: a mode is stable if its stiffness is
    /// at most twice what the matrix says and `4 m / h^2` more.
    pub const EULER: Self = Self { least_share: 0.5, by_mass: 4.0 };
}

/// What the forces on cloth depend on in a step.
///
/// With Euler, the first solve of a step linearises the forces where it starts: `x = x0`, `v = v0`,
/// and the end of the step is `x + h v` if no velocity changes. With BDF2, and in a repair, it
/// linearises them at an estimate of the end.
#[derive(Clone, Copy)]
pub struct StepInputs<'a> {
    /// Positions of all cloth vertices at the start of the step, m.
    pub x0: &'a [Vec3],
    /// Velocities of all nodes at the end of the step if no force acts, m/s.
    pub v0: &'a [Vec3],
    /// Positions of all cloth vertices about which forces are linearised, m.
    pub x: &'a [Vec3],
    /// Velocities of all nodes in forces, about which these are linearised, m/s.
    pub v: &'a [Vec3],
    /// How far the end of the step is ahead of `x` at `v`, s: `h`, or zero if `x` is that end.
    pub ahead_s: f64,
    /// Effective step of the forces, s.
    pub h: f64,
    /// What the matrix must hold.
    pub stability: Stability,
    /// Gravity, m/s^2.
    pub gravity: Vec3,
    /// The loads on all cloth vertices, N; empty if there are none.
    pub loads: &'a [Vec3],
    /// What the springs of pins do to all cloth vertices; empty if there are none.
    pub draws: &'a [Draw],
    /// Velocity of the air, m/s.
    pub wind: Vec3,
    /// The number of the faces that are held ([`Clamps`](crate::bodies::cloth::clamps::Clamps)).
    pub clamps: usize,
}
