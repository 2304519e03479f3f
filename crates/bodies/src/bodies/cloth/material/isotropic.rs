//! A fabric that is the same in all directions.

use serde::{Deserialize, Serialize};

use crate::bodies::cloth::material::{Material, MaterialKind, check_bending, check_poisson_ratio};
use cloth_core::Result;
use cloth_core::bounds::{AREA_DENSITY, RIGIDITY, STIFFNESS, not_negative, positive_within};

/// A fabric that is the same in all directions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Isotropic {
    /// Mass per area, kg/m^2.
    pub density_kg_per_m2: f64,
    /// Young's modulus times thickness, N/m.
    pub modulus_n_per_m: f64,
    /// Poisson's ratio, in the plane and in bending.
    pub poisson_ratio: f64,
    /// Flexural rigidity, N m.
    pub rigidity_n_m: f64,
}

impl MaterialKind for Isotropic {
    fn resolve(&self, at: &str) -> Result<Material> {
        let Self { density_kg_per_m2, modulus_n_per_m, poisson_ratio, rigidity_n_m } = *self;
        positive_within(&format!("{at}.modulus_n_per_m"), modulus_n_per_m, STIFFNESS)?;
        not_negative(&format!("{at}.rigidity_n_m"), rigidity_n_m, RIGIDITY)?;
        positive_within(&format!("{at}.density_kg_per_m2"), density_kg_per_m2, AREA_DENSITY)?;
        check_poisson_ratio(at, poisson_ratio, modulus_n_per_m, modulus_n_per_m)?;
        let material =
            Material::isotropic(density_kg_per_m2, modulus_n_per_m, poisson_ratio, rigidity_n_m);
        check_bending(at, &material.bending)?;
        Ok(material)
    }
}
