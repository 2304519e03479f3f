//! The library of named fabrics. `docs/scene.md` gives the source of each number
//! and says which numbers are assumed.

use crate::bodies::cloth::material::{BendingStiffness, Material, MembraneStiffness};
use cloth_core::bounds::did_you_mean;
use cloth_core::{Error, Result};

/// Names and fabrics.
const FABRICS: [(&str, Material); 7] = [
    // 472.6 kg/m^3, 0.318 mm, 0.821 MPa: Penava et al. 2014, as in C-IPC (Li, Kaufman, Jiang
    // 2021); shear of denim, bending of broadcloth.
    ("cotton", woven(472.6 * 0.318e-3, 0.821e6 * 0.318e-3, 0.243, 53.4, 11.57e-6)),
    // Density, bending: Matsudaira et al. 2015; stretch assumed, shear of denim.
    ("cotton_broadcloth", woven(0.1238, 1000.0, 0.3, 53.4, 11.57e-6)),
    // Density, stretch, shear: Wang et al. 2011 (11oz-black-denim); bending assumed.
    ("denim", measured(0.324, [205.4, 10.2, 1013.9, 53.4], [30e-6, 20e-6])),
    // Density, bending: Matsudaira et al. 2015; stretch assumed, shear of white_dots.
    ("polyester_faille", woven(0.1043, 500.0, 0.3, 19.2, 1.86e-6)),
    // The isotropic sheet of `scenes/tablecloth.ron`, assumed: no weave.
    ("tablecloth", Material::isotropic(0.2, 500.0, 0.3, 1e-5)),
    // Density, stretch, shear: Wang et al. 2011 (white-dots-on-blk); bending of broadcloth.
    ("white_dots", measured(0.128, [2002.1, 0.35, 2027.5, 19.2], [11.57e-6, 11.57e-6])),
    // Density, bending: Matsudaira et al. 2015; stretch assumed; shear: Fan, Yu, Hunter 2004.
    ("wool_tropical", woven(0.1629, 500.0, 0.3, 32.3, 6.57e-6)),
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

/// A weave that is alike along warp and weft: density (kg/m^2), Young's modulus and shear modulus
/// times thickness (N/m), flexural rigidity (N m).
const fn woven(
    density: f64,
    modulus: f64,
    poisson_ratio: f64,
    shear: f64,
    rigidity: f64,
) -> Material {
    let membrane = MembraneStiffness::new(modulus, modulus, poisson_ratio, shear);
    Material::new(density, membrane, uncoupled([rigidity, rigidity]))
}

/// From measured stretch stiffnesses c11, c12, c22, c33 (N/m) and flexural rigidities
/// along warp and weft (N m).
const fn measured(density: f64, stretch: [f64; 4], bending: [f64; 2]) -> Material {
    let [c11, c12, c22, c33] = stretch;
    let (warp, weft) = (c11 - c12 * c12 / c22, c22 - c12 * c12 / c11);
    let membrane = MembraneStiffness::new(warp, weft, c12 / c22, c33);
    Material::new(density, membrane, uncoupled(bending))
}

/// Curvatures along warp and weft that are not coupled, and the twist that goes with them.
const fn uncoupled([d11, d22]: [f64; 2]) -> BendingStiffness {
    BendingStiffness { d11, d12: 0.0, d22, d66: 0.25 * (d11 + d22) }
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

    /// Threads turn at their crossings, so weaves shear easily. Measured ones have 19 to 53 N/m.
    #[test]
    fn weaves_shear_as_measured_ones_do() {
        for (name, material) in FABRICS.into_iter().filter(|(name, _)| *name != "tablecloth") {
            let c = material.membrane;
            assert!((19.0..54.0).contains(&c.c33) && c.c33 < 0.3 * c.c11, "{name}");
        }
    }

    /// Density, shear and the rigidity along warp are those of the table in `docs/scene.md`.
    #[test]
    fn the_documents_give_the_numbers_of_each_fabric() {
        let documents = include_str!("../../../../../../docs/scene.md");
        for (name, material) in FABRICS {
            let row = documents.lines().find(|line| line.starts_with(&format!("| {name} |")));
            let cells: Vec<&str> = row.expect(name).split('|').map(str::trim).collect();
            let first = |cell: &str| cell.split(' ').next().unwrap().to_owned();
            assert_eq!(cells[2], format!("{:.3}", material.density_kg_per_m2), "{name}");
            let (shear, rigidity) = (material.membrane.c33, 1e6 * material.bending.d11);
            for (cell, value) in [(cells[4], shear), (cells[5], rigidity)] {
                assert_eq!(first(cell), format!("{}", (100.0 * value).round() / 100.0), "{name}");
            }
        }
    }
}
