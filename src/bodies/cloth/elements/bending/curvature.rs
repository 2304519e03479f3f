//! The constant matrix M of a triangle, from its rest shape and those of its neighbours (derived
//! in [`super`]).

use crate::bodies::cloth::material::BendingStiffness;
use crate::ids::{FaceId, NONE};
use crate::math::{Mat3, Vec2, Vec3};
use crate::mesh::Topology;

/// Three quadratics on the six vertices of a triangle do not always fix its curvature. The fallback
/// is the M that the triangle would have among its own point reflections. It is taken if the trace
/// of M is larger by more than this factor. On a grid of 28,000 triangles, jittered by 0.2 of an
/// edge, 2 triangles take it. With a factor of 2 it would be 1.5 % of them, and the energy of a
/// cylinder would be off by 1 %.
const LARGEST_STIFFENING: f64 = 4.0;

/// The corner of `face` that lies opposite to one of its edges.
pub(super) fn corner_opposite(topology: &Topology, face: FaceId, edge: u32) -> usize {
    topology.face_edges[face as usize].iter().position(|&e| e == edge).unwrap_or(0)
}

/// M of one face.
pub(super) fn stiffness_matrix(
    topology: &Topology,
    in_plane: &[[Vec2; 2]],
    face: FaceId,
    d: BendingStiffness,
) -> Mat3 {
    if d == BendingStiffness::ZERO {
        return Mat3::zeros();
    }
    let own = [0, 1, 2].map(|corner| Apex::new(in_plane[face as usize], corner));
    let area = 0.5 * own[0].length * own[0].height;
    let mut present = [false; 3];
    let (mut exact, mut reflected) = (Mat3::zeros(), Mat3::zeros());
    for corner in 0..3 {
        let neighbour = topology.across(face, corner);
        if neighbour == NONE {
            continue;
        }
        let edge = topology.face_edges[face as usize][corner];
        let theirs = corner_opposite(topology, neighbour, edge);
        let other = Apex::new(in_plane[neighbour as usize], theirs);
        present[corner] = true;
        exact.set_row(corner, &own[corner].angle_of_curvature(&other).transpose());
        reflected.set_row(corner, &own[corner].angle_of_curvature(&own[corner]).transpose());
    }
    let fallback = least_energy(area, &reflected, present, d).unwrap_or_else(Mat3::zeros);
    match least_energy(area, &exact, present, d) {
        Some(m) if m.trace() <= LARGEST_STIFFENING * fallback.trace() => m,
        _ => fallback,
    }
}

/// `A (T D^-1 T^T)^-1` over the rows that are present, zero elsewhere.
fn least_energy(area: f64, t: &Mat3, present: [bool; 3], d: BendingStiffness) -> Option<Mat3> {
    let det = d.d11 * d.d22 - d.d12 * d.d12;
    let compliance = Mat3::new(
        d.d22 / det,
        -d.d12 / det,
        0.0, //
        -d.d12 / det,
        d.d11 / det,
        0.0, //
        0.0,
        0.0,
        1.0 / d.d66,
    );
    let mut flexibility = t * compliance * t.transpose();
    // A missing hinge is not coupled. A number of the right size on its diagonal lets one inverse
    // serve all cases. It is removed afterwards.
    let size = flexibility.trace();
    for i in (0..3).filter(|&i| !present[i]) {
        flexibility[(i, i)] = size;
    }
    let mut m = flexibility.try_inverse()? * area;
    for i in (0..3).filter(|&i| !present[i]) {
        m[(i, i)] = 0.0;
    }
    let m = (m + m.transpose()) * 0.5;
    (m.iter().all(|entry| entry.is_finite()) && m.diagonal().min() >= 0.0).then_some(m)
}

/// One corner of a triangle above the edge opposite to it.
struct Apex {
    /// Unit vector along the edge, in the direction of the face.
    along: Vec2,
    /// Unit vector from the edge towards the corner.
    across: Vec2,
    /// Length of the edge, m.
    length: f64,
    /// Height of the corner, m.
    height: f64,
    /// Foot of the corner, as a fraction of the edge from its start.
    foot: f64,
}

impl Apex {
    fn new([x1, x2]: [Vec2; 2], corner: usize) -> Self {
        let x = [Vec2::zeros(), x1, x2];
        let (start, end) = (x[(corner + 1) % 3], x[(corner + 2) % 3]);
        let length = (end - start).norm();
        let along = (end - start) / length;
        let left = Vec2::new(-along.y, along.x);
        let apex = x[corner] - start;
        // Material axes may be left-handed: texture coordinates may be mirrored.
        let across = if left.dot(&apex) < 0.0 { -left } else { left };
        Self { along, across, length, height: across.dot(&apex), foot: along.dot(&apex) / length }
    }

    /// The row of T for this edge. `other` is the neighbour's apex, seen from the neighbour in its
    /// own direction along the edge. Let the quadratic `1/2 x.H x` be interpolated on both
    /// triangles. Its slope across the edge jumps by
    /// `(h + h')/2 n.Hn + (s - s') L n.He - L^2/2 (s (1 - s)/h + s'(1 - s')/h') e.He`.
    fn angle_of_curvature(&self, other: &Self) -> Vec3 {
        let (e, n) = (self.along, self.across);
        let (s, s_other) = (self.foot, 1.0 - other.foot);
        let sag = s * (1.0 - s) / self.height + s_other * (1.0 - s_other) / other.height;
        quadratic(n, n) * (0.5 * (self.height + other.height))
            + quadratic(n, e) * ((s - s_other) * self.length)
            - quadratic(e, e) * (0.5 * self.length * self.length * sag)
    }
}

/// Coefficients of `a.Hb` in `(k11, k22, 2 k12)`.
fn quadratic(a: Vec2, b: Vec2) -> Vec3 {
    Vec3::new(a.x * b.x, a.y * b.y, 0.5 * (a.x * b.y + a.y * b.x))
}

/// The largest eigenvalue of `diag(m)^-1/2 m diag(m)^-1/2`, from above: times `diag(m)` it bounds
/// m. Newton's method on the characteristic polynomial falls monotonically from the trace to the
/// largest root.
pub(super) fn largest_scaled_eigenvalue(m: &Mat3) -> f64 {
    let scale = m.diagonal().map(|d| if d > 0.0 { 1.0 / d.sqrt() } else { 0.0 });
    let s = m.component_mul(&(scale * scale.transpose()));
    let minor = |i: usize, j: usize| s[(i, i)] * s[(j, j)] - s[(i, j)] * s[(j, i)];
    let (trace, minors, det) =
        (s.trace(), minor(0, 1) + minor(0, 2) + minor(1, 2), s.determinant());
    let mut root = trace;
    for _ in 0..60 {
        let value = ((root - trace) * root + minors) * root - det;
        let slope = (3.0 * root - 2.0 * trace) * root + minors;
        if value <= 0.0 || slope <= 0.0 {
            break;
        }
        root -= value / slope;
    }
    root
}
