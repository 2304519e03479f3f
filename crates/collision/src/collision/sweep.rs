//! The motion along which pairs are sought.

use crate::collision::radii::Radii;
use cloth_core::Vec3;

/// The motion of all vertices over a step.
#[derive(Debug, Clone, Copy)]
pub struct Sweep<'a> {
    /// Positions at its start, m.
    pub x0: &'a [Vec3],
    /// Positions at its end, m.
    pub x1: &'a [Vec3],
    /// Distance within which pairs are wanted, m.
    pub radius: f64,
    /// Radii of round surfaces.
    pub radii: Radii<'a>,
}
