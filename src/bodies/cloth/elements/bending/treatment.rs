//! How bending enters the linear system.

use std::fmt;

use crate::bodies::cloth::elements::bending::hinge::Hinge;

/// How bending enters the system matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BendingTreatment {
    /// In the right-hand side only.
    Explicit,
    /// With a diagonal of hinges that bounds M, in Gauss-Newton form: half of it for elasticity,
    /// all of it for damping.
    DiagonalHinges,
}

impl fmt::Display for BendingTreatment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Explicit => "explicit",
            Self::DiagonalHinges => "implicit (diagonal of hinges)",
        })
    }
}

impl BendingTreatment {
    /// A hinge's blocks are this times `grad_a grad_b^T` (kg m^2).
    #[inline]
    pub fn block_scale(self, hinge: &Hinge, h: f64, beta: f64) -> f64 {
        match self {
            Self::Explicit => 0.0,
            Self::DiagonalHinges => (0.5 * h * h + h * beta) * hinge.stiffness_bound,
        }
    }

    /// A hinge's right-hand side is minus this times `grad_a` (kg m^2/s). `moment` is the sum of
    /// elastic and damping moments (N m), `rate` the angle's rate (1/s). `h` and `ahead` in s.
    #[inline]
    pub fn impulse(self, hinge: &Hinge, moment: f64, rate: f64, [h, ahead]: [f64; 2]) -> f64 {
        match self {
            Self::Explicit => h * moment,
            Self::DiagonalHinges => h * moment + 0.5 * h * ahead * hinge.stiffness_bound * rate,
        }
    }
}
