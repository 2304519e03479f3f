//! What BDF2 adds to the motion of a step (symbols as in [`super::scheme`]).

use crate::scheme::History;
use cloth_core::math::Vec3;

/// Positions and velocities about which a solve linearises the forces.
#[derive(Clone, Copy)]
pub(super) struct Base<'a> {
    /// Positions of all vertices, m.
    pub x: &'a [Vec3],
    /// Mean velocities of all nodes in the step, m/s.
    pub u: &'a [Vec3],
    /// Velocities of all nodes in forces, m/s.
    pub v: &'a [Vec3],
}

/// The vectors of BDF2 in a step.
#[derive(Default)]
pub(super) struct Bdf2 {
    /// The base point of the first solve: an estimate of the end.
    pub x: Vec<Vec3>,
    pub u: Vec<Vec3>,
    /// Velocities in forces at the base point of the next solve.
    pub v: Vec<Vec3>,
    /// Velocities in forces at the end of the step if no force acts, m/s.
    pub inertial: Vec<Vec3>,
    /// What impacts change in the velocities of cloth, m/s.
    pub impacts: Vec<Vec3>,
    /// What the next step knows of this one.
    pub end: History,
}
