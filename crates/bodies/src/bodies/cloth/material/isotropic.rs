//! A fabric that is the same in all directions.

use crate::bodies::cloth::material::{Material, MaterialKind, check_bending, check_poisson_ratio};
use cloth_core::bounds::{AREA_DENSITY, RIGIDITY, STIFFNESS, not_negative, positive_within};
use cloth_core::error::Result;
use cloth_core::settings;
use cloth_core::settings::Check;

settings! {
    /// A fabric that is the same in all directions.
    #[derive(Copy)]
    pub struct Isotropic {
        /// Mass per area, kg/m^2.
        pub density_kg_per_m2: f64 => positive_within(AREA_DENSITY),
        /// Young's modulus times thickness, N/m.
        pub modulus_n_per_m: f64 => positive_within(STIFFNESS),
        /// Poisson's ratio, in the plane and in bending.
        pub poisson_ratio: f64,
        /// Flexural rigidity, N m.
        pub rigidity_n_m: f64 => not_negative(RIGIDITY),
    }
}

impl MaterialKind for Isotropic {
    fn resolve(&self, at: &str) -> Result<Material> {
        let Self { density_kg_per_m2, modulus_n_per_m, poisson_ratio, rigidity_n_m } = *self;
        self.check(at)?;
        check_poisson_ratio(at, poisson_ratio, modulus_n_per_m, modulus_n_per_m)?;
        let material =
            Material::isotropic(density_kg_per_m2, modulus_n_per_m, poisson_ratio, rigidity_n_m);
        check_bending(at, &material.bending)?;
        Ok(material)
    }
}
