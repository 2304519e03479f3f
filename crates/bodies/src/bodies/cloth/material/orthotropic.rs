//! A fabric that differs along warp and weft.

use serde::{Deserialize, Serialize};

use crate::bodies::cloth::material::{
    BendingStiffness, Material, MaterialKind, MembraneStiffness, check_bending, check_poisson_ratio,
};
use cloth_core::Result;
use cloth_core::bounds::{
    AREA_DENSITY, RIGIDITY, STIFFNESS, not_negative, positive_within, within,
};

/// A fabric that differs along warp and weft.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Orthotropic {
    /// Mass per area, kg/m^2.
    pub density_kg_per_m2: f64,
    /// Young's modulus along warp times thickness, N/m.
    pub warp_n_per_m: f64,
    /// Young's modulus along weft times thickness, N/m.
    pub weft_n_per_m: f64,
    /// Contraction along weft per stretch along warp.
    pub poisson_ratio: f64,
    /// Shear modulus times thickness, N/m.
    pub shear_n_per_m: f64,
    /// Flexural rigidity D11 along warp, N m.
    pub bending_warp_n_m: f64,
    /// Flexural rigidity D22 along weft, N m.
    pub bending_weft_n_m: f64,
    /// Coupling D12 of the two curvatures, N m.
    #[serde(default)]
    pub bending_coupling_n_m: f64,
    /// D66 of (engineering) twist, N m.
    pub bending_twist_n_m: f64,
}

impl Orthotropic {
    fn check(&self, at: &str) -> Result<()> {
        for (field, value) in [
            ("warp_n_per_m", self.warp_n_per_m),
            ("weft_n_per_m", self.weft_n_per_m),
            ("shear_n_per_m", self.shear_n_per_m),
        ] {
            positive_within(&format!("{at}.{field}"), value, STIFFNESS)?;
        }
        for (field, value) in [
            ("bending_warp_n_m", self.bending_warp_n_m),
            ("bending_weft_n_m", self.bending_weft_n_m),
            ("bending_twist_n_m", self.bending_twist_n_m),
        ] {
            not_negative(&format!("{at}.{field}"), value, RIGIDITY)?;
        }
        within(&format!("{at}.bending_coupling_n_m"), self.bending_coupling_n_m, RIGIDITY)?;
        let density = self.density_kg_per_m2;
        positive_within(&format!("{at}.density_kg_per_m2"), density, AREA_DENSITY)?;
        check_poisson_ratio(at, self.poisson_ratio, self.warp_n_per_m, self.weft_n_per_m)
    }
}

impl MaterialKind for Orthotropic {
    fn resolve(&self, at: &str) -> Result<Material> {
        self.check(at)?;
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
