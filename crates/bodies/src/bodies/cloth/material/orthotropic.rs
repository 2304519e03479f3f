//! A fabric that differs along warp and weft.

use crate::bodies::cloth::material::{
    BendingStiffness, Material, MaterialKind, MembraneStiffness, check_bending, check_poisson_ratio,
};
use cloth_core::bounds::{
    AREA_DENSITY, RIGIDITY, STIFFNESS, not_negative, positive_within, within,
};
use cloth_core::error::Result;
use cloth_core::settings;
use cloth_core::settings::Check;

settings! {
    /// A fabric that differs along warp and weft.
    #[derive(Copy)]
    pub struct Orthotropic {
        /// Mass per area, kg/m^2.
        pub density_kg_per_m2: f64 => positive_within(AREA_DENSITY),
        /// Young's modulus along warp times thickness, N/m.
        pub warp_n_per_m: f64 => positive_within(STIFFNESS),
        /// Young's modulus along weft times thickness, N/m.
        pub weft_n_per_m: f64 => positive_within(STIFFNESS),
        /// Contraction along weft per stretch along warp.
        pub poisson_ratio: f64,
        /// Shear modulus times thickness, N/m.
        pub shear_n_per_m: f64 => positive_within(STIFFNESS),
        /// Flexural rigidity D11 along warp, N m.
        pub bending_warp_n_m: f64 => not_negative(RIGIDITY),
        /// Flexural rigidity D22 along weft, N m.
        pub bending_weft_n_m: f64 => not_negative(RIGIDITY),
        /// Coupling D12 of the two curvatures, N m.
        #[serde(default)]
        pub bending_coupling_n_m: f64 => within(RIGIDITY),
        /// D66 of (engineering) twist, N m.
        pub bending_twist_n_m: f64 => not_negative(RIGIDITY),
    }
}

impl MaterialKind for Orthotropic {
    fn resolve(&self, at: &str) -> Result<Material> {
        self.check(at)?;
        check_poisson_ratio(at, self.poisson_ratio, self.warp_n_per_m, self.weft_n_per_m)?;
        let membrane = MembraneStiffness::new(
            self.warp_n_per_m,
            self.weft_n_per_m,
            self.poisson_ratio,
            self.shear_n_per_m,
        );
        let bending = BendingStiffness {
            d11: self.bending_warp_n_m,
            d12: self.bending_coupling_n_m,
            d22: self.bending_weft_n_m,
            d66: self.bending_twist_n_m,
        };
        check_bending(at, &bending)?;
        Ok(Material::new(self.density_kg_per_m2, membrane, bending))
    }
}
