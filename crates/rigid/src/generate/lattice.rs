//! Rows of bodies, simple cubic or in hexagonal close packing.

use cloth_core::math::Vec3;

/// Rows of bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lattice {
    /// Centre of the first body, m.
    pub origin: Vec3,
    /// Distance between neighbours, m.
    pub spacing: f64,
    /// Number of bodies along x, y, z.
    pub counts: [u32; 3],
}

impl Lattice {
    /// The places of a body along x, y, z, from 0.
    pub(super) fn place(&self, number: u64) -> [f64; 3] {
        let [x, y, _] = self.counts.map(u64::from);
        [number % x, number / x % y, number / (x * y)].map(|place| place as f64)
    }

    /// The numbers of the bodies whose box contains all centres. Rows and layers alternate, so
    /// these are the first two and the last two bodies along each axis.
    pub(super) fn outermost(&self) -> Vec<u64> {
        let [x, y, z] = self.counts.map(|count| {
            let mut ends = vec![0, 1, count.saturating_sub(2), count - 1];
            ends.retain(|&place| place < count);
            ends.sort_unstable();
            ends.dedup();
            ends
        });
        let [along_x, along_y, _] = self.counts.map(u64::from);
        let number = |x: &u32, y: &u32, z: &u32| {
            u64::from(*x) + along_x * (u64::from(*y) + along_y * u64::from(*z))
        };
        let rows = z.iter().flat_map(|z| y.iter().map(move |y| (y, z)));
        rows.flat_map(|(y, z)| x.iter().map(move |x| number(x, y, z))).collect()
    }

    /// Distances between rows along x, layers along y, rows along z, m.
    pub(super) fn hexagonal_steps(&self) -> Vec3 {
        Vec3::new(1.0, (2.0_f64 / 3.0).sqrt(), 0.75_f64.sqrt()) * self.spacing
    }

    /// The centre of a body in hexagonal close packing, m.
    pub(super) fn hexagonal(&self, number: u64) -> Vec3 {
        let [x, y, z] = self.place(number);
        let (layer, row) = (y % 2.0, z % 2.0);
        // Every second row is shifted by half a spacing: odd rows in even layers, even rows in odd
        // layers. Odd layers lie in the hollows of even layers.
        let shift = if layer == row { 0.0 } else { 0.5 };
        let place = Vec3::new(x + shift, y, z + layer / 3.0);
        self.origin + place.component_mul(&self.hexagonal_steps())
    }
}
