//! Stiffnesses of thin sheets, as resultants: per length, not per area.

/// Orthotropic plane stress, N/m: stress resultants `(N11, N22, N12)` from
/// strains `(e11, e22, 2 e12)` in the material axes, warp first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MembraneStiffness {
    /// Warp, N/m.
    pub c11: f64,
    /// Coupling of warp and weft, N/m.
    pub c12: f64,
    /// Weft, N/m.
    pub c22: f64,
    /// Shear, N/m.
    pub c33: f64,
}

impl MembraneStiffness {
    /// From moduli times thickness, N/m. `poisson_ratio` is the contraction along weft
    /// per strain along warp, when only the warp is under tension.
    pub const fn new(
        warp_n_per_m: f64,
        weft_n_per_m: f64,
        poisson_ratio: f64,
        shear_n_per_m: f64,
    ) -> Self {
        let reciprocal_ratio = poisson_ratio * weft_n_per_m / warp_n_per_m;
        let scale = 1.0 / (1.0 - poisson_ratio * reciprocal_ratio);
        Self {
            c11: scale * warp_n_per_m,
            c12: scale * poisson_ratio * weft_n_per_m,
            c22: scale * weft_n_per_m,
            c33: shear_n_per_m,
        }
    }

    /// The same in all directions: Young's modulus times thickness (N/m) and Poisson's ratio.
    pub const fn isotropic(modulus_n_per_m: f64, poisson_ratio: f64) -> Self {
        let shear = modulus_n_per_m / (2.0 * (1.0 + poisson_ratio));
        Self::new(modulus_n_per_m, modulus_n_per_m, poisson_ratio, shear)
    }

    /// `factor` times as stiff.
    pub fn times(&self, factor: f64) -> Self {
        let Self { c11, c12, c22, c33 } = *self;
        Self { c11: c11 * factor, c12: c12 * factor, c22: c22 * factor, c33: c33 * factor }
    }

    /// The largest entry, N/m.
    pub fn largest(&self) -> f64 {
        self.c11.max(self.c22).max(self.c33)
    }

    /// Stress resultants `(N11, N22, N12)`, N/m, of `(e11, e22, 2 e12)`.
    #[inline]
    pub fn stress(&self, strain: [f64; 3]) -> [f64; 3] {
        [
            self.c11 * strain[0] + self.c12 * strain[1],
            self.c12 * strain[0] + self.c22 * strain[1],
            self.c33 * strain[2],
        ]
    }
}

/// Orthotropic flexural rigidity D, N m: moments from curvatures
/// `(k11, k22, 2 k12)` in the material axes, warp first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BendingStiffness {
    /// Warp, N m.
    pub d11: f64,
    /// Coupling of warp and weft, N m.
    pub d12: f64,
    /// Weft, N m.
    pub d22: f64,
    /// Twist, N m.
    pub d66: f64,
}

impl BendingStiffness {
    /// Cloth without any resistance to bending.
    pub const ZERO: Self = Self { d11: 0.0, d12: 0.0, d22: 0.0, d66: 0.0 };

    /// `factor` times as stiff.
    pub fn times(&self, factor: f64) -> Self {
        let Self { d11, d12, d22, d66 } = *self;
        Self { d11: d11 * factor, d12: d12 * factor, d22: d22 * factor, d66: d66 * factor }
    }

    /// The largest entry, N m.
    pub fn largest(&self) -> f64 {
        self.d11.max(self.d22).max(self.d66)
    }

    /// The same in all directions: flexural rigidity `D = E t^3 / (12 (1 - nu^2))`, N m.
    pub const fn isotropic(rigidity_n_m: f64, poisson_ratio: f64) -> Self {
        Self {
            d11: rigidity_n_m,
            d12: poisson_ratio * rigidity_n_m,
            d22: rigidity_n_m,
            d66: 0.5 * (1.0 - poisson_ratio) * rigidity_n_m,
        }
    }

    /// True if every curvature costs energy; false for NaN. A fabric's bending must be positive
    /// definite or [`Self::ZERO`].
    pub fn is_positive_definite(&self) -> bool {
        self.d11 > 0.0 && self.d66 > 0.0 && self.d11 * self.d22 > self.d12 * self.d12
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isotropic_membrane_is_plane_stress() {
        let c = MembraneStiffness::isotropic(500.0, 0.3);
        let e = 500.0 / (1.0 - 0.09);
        for (value, expected) in [(c.c11, e), (c.c12, 0.3 * e), (c.c22, e), (c.c33, 0.35 * e)] {
            assert!((value - expected).abs() < 1e-10);
        }
    }
}
