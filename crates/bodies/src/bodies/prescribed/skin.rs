//! How an obstacle yields: the law of its skin.
//!
//! | symbol | unit | |
//! |---|---|---|
//! | `d` | m | offset of a vertex from its place in the animation |
//! | `m` | kg | mass of the vertex |
//! | `w` | 1/s | angular frequency of its spring |
//! | `f` | N | force of its contacts |
//!
//! A released vertex follows `m d'' + 2 m w d' + m w^2 d = f`: a critically damped spring in the
//! frame of the animation. So skin does not lag behind a figure that walks. Implicit Euler makes it
//! `m (1 + w h)^2 d1' = m (d0' - h w^2 d0) + h f` (docs/methods.md, section 8).

use cloth_core::bounds::{AREA_DENSITY, FREQUENCY, LENGTH, positive_within};
use cloth_core::settings;

use cloth_core::Vec3;
use cloth_core::mesh::normal;

settings! {
    /// How the skin of an obstacle yields where it pinches cloth.
    #[derive(Copy)]
    pub struct Yielding {
        /// Frequency of the spring that brings it back, Hz.
        pub frequency_hz: f64 = 10.0 => positive_within(FREQUENCY),
        /// Mass of the skin that gives way, kg/m^2.
        pub mass_kg_per_m2: f64 = 1.0 => positive_within(AREA_DENSITY),
        /// Where its offset is larger, the obstacle waits, m.
        pub most_m: f64 = 0.25 => positive_within(LENGTH),
    }
}

impl Yielding {
    /// Angular frequency of the spring, 1/s.
    pub fn angular_frequency(&self) -> f64 {
        2.0 * std::f64::consts::PI * self.frequency_hz
    }

    /// The mass that a vertex of one kilogram has in a step of `h` (s), with its spring.
    pub fn mass_factor(&self, h: f64) -> f64 {
        (1.0 + self.angular_frequency() * h).powi(2)
    }

    /// The velocity of an offset (m/s) after a step of `h` (s) without contacts, from the offset
    /// `d` (m) and its velocity `u` (m/s) before.
    pub fn free_velocity(&self, d: &Vec3, u: &Vec3, h: f64) -> Vec3 {
        (u - d * (h * self.angular_frequency().powi(2))) / self.mass_factor(h)
    }

    /// The mass of each vertex of a skin with these `faces` and places `x` (m), kg. A vertex
    /// without a face touches nothing, and has 1 kg.
    pub fn masses(&self, faces: &[[u32; 3]], x: &[Vec3]) -> Vec<f64> {
        let mut masses = vec![0.0; x.len()];
        for face in faces {
            let area = 0.5 * normal(face.map(|vertex| x[vertex as usize])).norm();
            for &vertex in face {
                masses[vertex as usize] += area * self.mass_kg_per_m2 / 3.0;
            }
        }
        masses.iter_mut().filter(|mass| **mass == 0.0).for_each(|mass| *mass = 1.0);
        masses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_decays_as_that_of_a_critically_damped_spring() {
        let (law, h) = (Yielding::default(), 1e-5);
        let (mut d, mut u) = (Vec3::new(0.02, 0.0, -0.01), Vec3::zeros());
        let start = d;
        for _ in 0..3000 {
            u = law.free_velocity(&d, &u, h);
            d += u * h;
        }
        let wt = law.angular_frequency() * 0.03;
        let exact = start * ((1.0 + wt) * libm::exp(-wt));
        assert!((d - exact).norm() < 1e-3 * exact.norm(), "{d} {exact}");
        // Large steps do not overshoot.
        let u = law.free_velocity(&start, &Vec3::zeros(), 0.04);
        assert!((start + u * 0.04).dot(&start) > 0.0);
    }

    #[test]
    fn the_mass_of_a_skin_is_that_of_its_area() {
        let x = [(0.0, 0.0), (0.3, 0.0), (0.3, 0.2), (0.0, 0.2), (9.0, 9.0)];
        let x = x.map(|(x, y)| Vec3::new(x, y, 1.0));
        let law = Yielding { mass_kg_per_m2: 2.0, ..Yielding::default() };
        let masses = law.masses(&[[0, 1, 2], [0, 2, 3]], &x);
        assert!((masses[..4].iter().sum::<f64>() - 0.12).abs() < 1e-15);
        assert_eq!((masses[4], masses[0] > masses[1]), (1.0, true));
    }
}
