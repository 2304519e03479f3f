//! How a node moves a point of a body.

use crate::{Mat3, Vec3};

/// The contribution `J u` of a node's velocity `u` to the velocity of a point.
///
/// A vertex of cloth has a weight, as a point is a weighted sum of vertices. A rigid body has two
/// nodes: its velocity, and its angular velocity times a length, `rho omega` (m/s). It moves a point
/// at the arm `r` from the centre of mass by `omega x r = -[r / rho]x (rho omega)`. The weight of a
/// body's point is its sign, which the arm contains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Jacobian {
    /// `J = w`.
    Weight(f64),
    /// `J = -[r]x`, with the arm `r` over a length of the body.
    Arm(Vec3),
}

impl Jacobian {
    /// `J u`.
    #[inline]
    pub fn times(&self, u: &Vec3) -> Vec3 {
        match self {
            Self::Weight(weight) => u * *weight,
            Self::Arm(arm) => u.cross(arm),
        }
    }

    /// `scale J^T f`: what the force `f` at the point does to the node.
    #[inline]
    pub fn transpose_times(&self, f: &Vec3, scale: f64) -> Vec3 {
        match self {
            Self::Weight(weight) => f * (scale * weight),
            Self::Arm(arm) => arm.cross(f) * scale,
        }
    }

    /// `scale J^T C J'`: the block that a spring of stiffness `C` puts between two nodes.
    pub fn block(&self, stiffness: &Mat3, other: &Self, scale: f64) -> Mat3 {
        match (self, other) {
            (Self::Weight(a), Self::Weight(b)) => stiffness * (scale * a * b),
            _ => self.matrix().transpose() * stiffness * other.matrix() * scale,
        }
    }

    /// `J`.
    pub fn matrix(&self) -> Mat3 {
        match self {
            Self::Weight(weight) => Mat3::from_diagonal_element(*weight),
            Self::Arm(arm) => -arm.cross_matrix(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_the_matrix() {
        let (u, f) = (Vec3::new(1.0, -2.0, 0.5), Vec3::new(0.3, 0.7, -1.1));
        let c = Mat3::new(2.0, 0.1, 0.2, 0.1, 1.0, 0.3, 0.2, 0.3, 3.0);
        let all = [Jacobian::Weight(-0.4), Jacobian::Arm(Vec3::new(0.2, 0.5, -0.3))];
        for j in all {
            assert!((j.times(&u) - j.matrix() * u).norm() < 1e-15);
            assert!((j.transpose_times(&f, 3.0) - j.matrix().transpose() * f * 3.0).norm() < 1e-15);
            for k in all {
                let expected = j.matrix().transpose() * c * k.matrix() * 0.5;
                assert!((j.block(&c, &k, 0.5) - expected).norm() < 1e-15);
            }
        }
    }
}
