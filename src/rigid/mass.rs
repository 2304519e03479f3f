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

impl MassProperties {
    /// Those of a body that is `factor` times as large, of the same density.
    pub fn scaled(&self, factor: f64) -> Self {
        let volume = factor * factor * factor;
        let inertia = self.inertia * (volume * factor * factor);
        Self { mass: self.mass * volume, inertia }
    }
}
