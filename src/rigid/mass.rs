//! The mass of a body.

use crate::math::Vec3;

/// Mass and principal moments of inertia of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// Mass, kg.
    pub mass: f64,
    /// Principal moments of inertia, kg m^2.
    pub inertia: Vec3,
}
