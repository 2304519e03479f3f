//! The bending stiffness of one triangle in the rotations of its edges.

use crate::bodies::cloth::material::BendingStiffness;
use cloth_core::{Mat3, Vec2, Vec3};

/// Morley's stiffness of a triangle (N m): its energy is `1/2 a^T M a`, where `a_k` is the angle from
/// the triangle to the sheet's tangent plane at the middle of edge k (rad). Edge k lies opposite to
/// corner k.
///
/// | symbol | |
/// |---|---|
/// | `l_k` | length of edge k, m |
/// | `n_k` | unit normal of edge k in the material axes |
/// | `q_k` | `(n_x^2, n_y^2, 2 n_x n_y)` |
/// | `A` | area, m^2 |
///
/// The curvature is `sum_k l_k a_k q_k / A` (Grinspun, Gingold, Reisman & Zorin 2006), which is that
/// of Morley's quadratic plate (1968). So `M_ij = l_i l_j q_i^T D q_j / A`. The rotation of a free
/// edge, which transmits no moment, takes the value of least energy. Its row is zero.
pub(in crate::bodies::cloth) fn edge_stiffness(
    [x1, x2]: [Vec2; 2],
    is_free: [bool; 3],
    d: BendingStiffness,
) -> Mat3 {
    let edges = [x2 - x1, -x2, x1];
    let area = 0.5 * x1.perp(&x2).abs();
    // n_k is edge k turned by a quarter, over its length.
    let curvatures = edges.map(|edge| {
        let q = Vec3::new(edge.y * edge.y, edge.x * edge.x, -2.0 * edge.x * edge.y);
        q / edge.norm()
    });
    let moments = curvatures.map(|q| {
        Vec3::new(d.d11 * q.x + d.d12 * q.y, d.d12 * q.x + d.d22 * q.y, d.d66 * q.z) / area
    });
    let mut m = Mat3::from_fn(|i, j| curvatures[i.min(j)].dot(&moments[i.max(j)]));
    for k in (0..3).filter(|&k| is_free[k]) {
        let column: Vec3 = m.column(k).into();
        if column[k] > 0.0 {
            m -= column * column.transpose() / column[k];
        }
        m.fill_row(k, 0.0);
        m.fill_column(k, 0.0);
    }
    if m.iter().all(|entry| entry.is_finite()) { m } else { Mat3::zeros() }
}
