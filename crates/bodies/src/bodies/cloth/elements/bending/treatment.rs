//! How bending enters the linear system.

use crate::bodies::cloth::elements::bending::hinge::Hinge;

/// How a hinge enters the linear system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BendingTreatment {
    /// In the right-hand side only.
    Explicit,
    /// Its entry of a diagonal that bounds M is in the matrix, in Gauss-Newton form: the least
    /// share of it for elasticity, all of it for damping.
    Implicit,
}

impl BendingTreatment {
    /// A hinge's blocks are this times `grad_a grad_b^T` (kg m^2), with a `share` for elasticity.
    #[inline]
    pub fn block_scale(self, hinge: &Hinge, share: f64, h: f64, beta: f64) -> f64 {
        match self {
            Self::Explicit => 0.0,
            Self::Implicit => (share * h * h + h * beta) * hinge.stiffness_bound,
        }
    }

    /// A hinge's right-hand side is minus this times `grad_a` (kg m^2/s). `moment` is the sum of
    /// elastic and damping moments (N m), `rate` the angle's rate (1/s). `h` and `ahead` in s.
    #[inline]
    pub fn impulse(
        self,
        hinge: &Hinge,
        share: f64,
        [moment, rate]: [f64; 2],
        [h, ahead]: [f64; 2],
    ) -> f64 {
        match self {
            Self::Explicit => h * moment,
            Self::Implicit => h * moment + share * h * ahead * hinge.stiffness_bound * rate,
        }
    }
}
