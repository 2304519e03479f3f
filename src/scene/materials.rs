//! The library of named fabrics. `docs/scene.md` tells the source of each number
//! and what is assumed.

use crate::bodies::cloth::setup::{Bending, Material};

/// Names and fabrics.
pub const FABRICS: [(&str, Material); 7] = [
    // Cotton, isotropic: Li, Kaufman, Jiang 2021 (C-IPC): 472.6 kg/m^3, 0.318 mm, 0.821 MPa.
    ("cotton", solid(472.6, 0.318e-3, 0.821e6, 0.243)),
    // Bending of Matsudaira 2015; density, stretch and Poisson's ratio assumed.
    ("cotton_broadcloth", Material::isotropic(0.120, 1000.0, 0.3, 11.57e-6)),
    // Stretch of Wang et al. 2011 at zero strain (11oz-black-denim); bending assumed.
    ("denim", measured(0.324, [205.4, 10.2, 1013.9, 53.4], [30e-6, 20e-6])),
    // Bending of Matsudaira 2015; density, stretch and Poisson's ratio assumed.
    ("polyester_faille", Material::isotropic(0.110, 500.0, 0.3, 1.86e-6)),
    // The cloth of the tablecloth scene, assumed.
    ("tablecloth", Material::isotropic(0.2, 500.0, 0.3, 1e-5)),
    // Stretch of Wang et al. 2011 at zero strain (white-dots-on-blk); bending as broadcloth.
    ("white_dots", measured(0.128, [2002.1, 0.35, 2027.5, 19.2], [11.57e-6, 11.57e-6])),
    // Bending of Matsudaira 2015; density, stretch and Poisson's ratio assumed.
    ("wool_tropical", Material::isotropic(0.190, 500.0, 0.3, 6.57e-6)),
];

/// The fabric of that name.
pub fn fabric(name: &str) -> Option<Material> {
    FABRICS.iter().find(|(known, _)| *known == name).map(|(_, material)| *material)
}

/// A plate of one solid: density (kg/m^3), thickness (m), modulus (Pa).
const fn solid(density: f64, thickness: f64, modulus: f64, poisson_ratio: f64) -> Material {
    let stretch = modulus * thickness;
    let rigidity = stretch * thickness * thickness / (12.0 * (1.0 - poisson_ratio * poisson_ratio));
    Material::isotropic(density * thickness, stretch, poisson_ratio, rigidity)
}

/// From measured stretch stiffnesses c11, c12, c22, c33 (N/m) and rigidities
/// along warp and weft (N m), without coupling between both curvatures.
const fn measured(density: f64, stretch: [f64; 4], bending: [f64; 2]) -> Material {
    let [c11, c12, c22, c33] = stretch;
    let [warp_n_m, weft_n_m] = bending;
    Material {
        density_kg_per_m2: density,
        warp_n_per_m: c11 - c12 * c12 / c22,
        weft_n_per_m: c22 - c12 * c12 / c11,
        poisson_ratio: c12 / c22,
        shear_n_per_m: c33,
        bending: Bending {
            warp_n_m,
            weft_n_m,
            coupling_n_m: 0.0,
            twist_n_m: 0.25 * (warp_n_m + weft_n_m),
        },
        mass_damping_per_s: 0.0,
        stiffness_damping_s: 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_stretch_is_the_membrane_stiffness() {
        let c = fabric("denim").unwrap().membrane();
        for (value, expected) in [(c.m11, 205.4), (c.m12, 10.2), (c.m22, 1013.9), (c.m33, 53.4)] {
            assert!((value - expected).abs() < 1e-9 * expected);
        }
    }

    #[test]
    fn cotton_is_a_thin_plate() {
        let cotton = fabric("cotton").unwrap();
        assert!((cotton.density_kg_per_m2 - 0.15029).abs() < 1e-5);
        assert!((cotton.warp_n_per_m - 261.08).abs() < 0.01);
        assert!((cotton.bending.warp_n_m - 2.338e-6).abs() < 1e-9);
    }
}
