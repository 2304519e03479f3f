//! The library of named fabrics. `docs/scene.md` gives the source of each number
//! and says which numbers are assumed.

use crate::bodies::cloth::material::{BendingStiffness, Material, MembraneStiffness};
use crate::bounds::did_you_mean;
use crate::error::{Error, Result};

/// Names and fabrics.
const FABRICS: [(&str, Material); 7] = [
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

/// The fabric of that name, without damping.
///
/// # Errors
/// A name that the library does not know. `at` is the path of the material in the scene.
pub(super) fn fabric(name: &str, at: &str) -> Result<Material> {
    let found = FABRICS.iter().find(|(known, _)| *known == name);
    found.map(|(_, material)| *material).ok_or_else(|| {
        let known: Vec<&str> = FABRICS.iter().map(|(known, _)| *known).collect();
        Error::input(at, format!("unknown fabric `{name}`"), did_you_mean(name, &known))
    })
}

/// A plate of a solid: density (kg/m^3), thickness (m), modulus (Pa).
const fn solid(density: f64, thickness: f64, modulus: f64, poisson_ratio: f64) -> Material {
    let stretch = modulus * thickness;
    let rigidity = stretch * thickness * thickness / (12.0 * (1.0 - poisson_ratio * poisson_ratio));
    Material::isotropic(density * thickness, stretch, poisson_ratio, rigidity)
}

/// From measured stretch stiffnesses c11, c12, c22, c33 (N/m) and flexural rigidities
/// along warp and weft (N m). The two curvatures are not coupled.
const fn measured(density: f64, stretch: [f64; 4], bending: [f64; 2]) -> Material {
    let [c11, c12, c22, c33] = stretch;
    let [d11, d22] = bending;
    let (warp, weft) = (c11 - c12 * c12 / c22, c22 - c12 * c12 / c11);
    let membrane = MembraneStiffness::new(warp, weft, c12 / c22, c33);
    let bending = BendingStiffness { d11, d12: 0.0, d22, d66: 0.25 * (d11 + d22) };
    Material::new(density, membrane, bending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_stretch_is_the_membrane_stiffness() {
        let c = fabric("denim", "").unwrap().membrane;
        for (value, expected) in [(c.c11, 205.4), (c.c12, 10.2), (c.c22, 1013.9), (c.c33, 53.4)] {
            assert!((value - expected).abs() < 1e-9 * expected);
        }
    }

    #[test]
    fn cotton_is_a_thin_plate() {
        let cotton = fabric("cotton", "").unwrap();
        assert!((cotton.density_kg_per_m2 - 0.15029).abs() < 1e-5);
        let (c, nu) = (cotton.membrane, 0.243);
        assert!(
            (c.c11 * (1.0 - nu * nu) - 261.08).abs() < 0.01 && (c.c12 / c.c11 - nu).abs() < 1e-12
        );
        assert!((cotton.bending.d11 - 2.338e-6).abs() < 1e-9);
    }
}
