//! Rows of bodies, simple cubic or in hexagonal close packing.

use crate::math::Vec3;

/// Rows of bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lattice {
    /// Centre of the first body, m.
    pub origin: Vec3,
    /// Distance of neighbours, m.
    pub spacing: f64,
    /// Number of bodies along x, y, z.
    pub counts: [u32; 3],
}

impl Lattice {
    /// Places along x, y, z.
    pub(super) fn place(&self, number: u64) -> [f64; 3] {
        let [x, y, _] = self.counts.map(u64::from);
        [number % x, number / x % y, number / (x * y)].map(|place| place as f64)
    }

    /// Distances between rows along x, layers along y, rows along z, m.
    pub(super) fn hexagonal_steps(&self) -> Vec3 {
        Vec3::new(1.0, (2.0_f64 / 3.0).sqrt(), 0.75_f64.sqrt()) * self.spacing
    }

    /// The centre of a body in hexagonal close packing, m.
    pub(super) fn hexagonal(&self, number: u64) -> Vec3 {
        let [x, y, z] = self.place(number);
        let (layer, row) = (y % 2.0, z % 2.0);
        // Odd rows are half a spacing further; odd layers lie in the hollows of even ones.
        let shift = if layer == row { 0.0 } else { 0.5 };
        let place = Vec3::new(x + shift, y, z + layer / 3.0);
        self.origin + place.component_mul(&self.hexagonal_steps())
    }
}
