//! Contacts as the linear system sees them.

use crate::ids::VertexId;
use crate::math::{Mat3, Vec3};

/// An implicit spring between two points, each a weighted sum of vertices.
///
/// With the relative velocity `u = sum_a w_a v_a` of the two points it exerts
/// `push - h C (u1 - u0)` on its first side at the end of the step, and the
/// opposite on its second; `C = stiffness`, N/m. Vertices that are not cloth
/// (ids from the vertex count on) move as they were told and take no force.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactSpring {
    /// The vertices of both sides.
    pub vertices: [VertexId; 4],
    /// Their signed weights: the first side's sum to 1, the second's to -1.
    pub weights: [f64; 4],
    /// Stiffness between the two points, N/m, symmetric positive semidefinite.
    pub stiffness: Mat3,
    /// Force at the end of the step if the relative velocity stayed as it is, N.
    pub push: Vec3,
}

impl ContactSpring {
    /// The part of the right-hand side on vertex `a`, N s.
    pub fn rhs(&self, a: usize, h: f64) -> Vec3 {
        self.push * (h * self.weights[a])
    }

    /// The block that couples vertices `a` and `b`, kg.
    pub fn block(&self, a: usize, b: usize, h: f64) -> Mat3 {
        self.stiffness * (h * h * self.weights[a] * self.weights[b])
    }
}
