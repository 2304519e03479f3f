//! Bending: the curvature of each triangle from the dihedral angles of its hinges.
//!
//! A hinge is an interior edge with its two faces. Its angle theta is 0 when flat
//! and positive where the faces fold towards their front. On one triangle, a small
//! curvature `kappa = (k11, k22, 2 k12)` (material axes) makes the angles
//! `theta = T kappa`; T is exact for the three quadratics on the triangle's six
//! vertices. The triangle's energy is the least that its angles allow,
//!
//! `W = 1/2 dtheta^T M dtheta`, `M = A (T D^-1 T^T)^-1`, `dtheta = theta - theta_rest`,
//!
//! with one row of T per hinge: three rows give `M = A T^-T D T^-1`; at a boundary
//! edge the missing angle is free and transmits no moment. Where every neighbour is
//! the triangle's point reflection, `T^-1` is the shape operator of Gingold et al.
//! (2004) and Grinspun et al. (2006).

use std::f64::consts::{PI, TAU};

use crate::cloth::material::BendingStiffness;
use crate::ids::{FaceId, NONE, VertexId};
use crate::math::{Mat3, Vec2, Vec3};
use crate::mesh::Topology;

/// Three quadratics on the six vertices of a triangle do not always fix its
/// curvature. Where its stiffness (trace of the Jacobi-free M) exceeds that of its
/// point-reflected neighbourhood by this factor, the reflection is used instead.
const LARGEST_STIFFENING: f64 = 4.0;

/// An interior edge between its two faces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hinge {
    /// The edge as the first face runs through it, then the vertices opposite to it
    /// in the first and in the second face.
    pub vertices: [VertexId; 4],
    /// Its faces, the lower one first.
    pub faces: [FaceId; 2],
    /// Angle of the rest shape, rad.
    pub rest_angle: f64,
    /// A diagonal that bounds the assembled `M` from above, N m.
    pub stiffness_bound: f64,
}

impl Hinge {
    /// Angle minus rest angle in (-pi, pi], and the angle's gradient (1/m). So the
    /// angle is followed up to half a turn away from rest, without any state.
    #[inline]
    pub fn deviation_and_gradient(&self, x: [Vec3; 4]) -> (f64, [Vec3; 4]) {
        let (angle, gradient) = hinge_angle_and_gradient(x);
        (within_half_turn(angle - self.rest_angle), gradient)
    }

    fn gather(&self, of: &[Vec3]) -> [Vec3; 4] {
        self.vertices.map(|v| of[v as usize])
    }
}

fn within_half_turn(angle: f64) -> f64 {
    if angle > PI {
        angle - TAU
    } else if angle <= -PI {
        angle + TAU
    } else {
        angle
    }
}

/// Dihedral angle in (-pi, pi] and its gradient (1/m) at the edge's start and end,
/// the first and the second face's opposite vertex. Bridson, Marino & Fedkiw (2003)
/// section 4; Tamstorf & Grinspun (2013) section 3. Heights below a thousandth of
/// the longest side count as such, so that the gradient stays finite.
#[inline]
pub fn hinge_angle_and_gradient(x: [Vec3; 4]) -> (f64, [Vec3; 4]) {
    let edge = x[1] - x[0];
    let (low, high) = (x[2] - x[0], x[3] - x[0]);
    let (n_low, n_high) = (edge.cross(&low), high.cross(&edge));
    let squared_length = edge.norm_squared();
    let length = squared_length.sqrt();
    let angle = libm::atan2(length * n_high.dot(&low), n_low.dot(&n_high));

    let scale = squared_length.max(low.norm_squared()).max(high.norm_squared());
    let smallest = 1e-6 * scale + f64::MIN_POSITIVE;
    let inverse_length = 1.0 / squared_length.max(smallest);
    let flattest = smallest * scale + f64::MIN_POSITIVE;
    let at_low = n_low * (length / n_low.norm_squared().max(flattest));
    let at_high = n_high * (length / n_high.norm_squared().max(flattest));
    // Each face turns about the edge: its end points share the opposite motion.
    let at_end = -(at_low * (low.dot(&edge) * inverse_length)
        + at_high * (high.dot(&edge) * inverse_length));
    (angle, [-(at_low + at_high + at_end), at_end, at_low, at_high])
}

/// A triangle as bending sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvatureTriangle {
    /// The hinge opposite to each corner, or [`NONE`] at a boundary edge.
    pub hinges: [u32; 3],
    /// M, N m: entries 00, 01, 02, 11, 12, 22; rows of missing hinges are zero.
    pub m: [f64; 6],
}

impl CurvatureTriangle {
    /// Moments (N m) `M dtheta` on its hinges; any value may stand for a missing one.
    #[inline]
    pub fn moments(&self, d: [f64; 3]) -> [f64; 3] {
        let m = &self.m;
        [
            m[0] * d[0] + m[1] * d[1] + m[2] * d[2],
            m[1] * d[0] + m[3] * d[1] + m[4] * d[2],
            m[2] * d[0] + m[4] * d[1] + m[5] * d[2],
        ]
    }
}

/// How bending enters the system matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BendingTreatment {
    /// In the right-hand side only.
    Explicit,
    /// With a diagonal of hinges: half of a bound for elasticity, all of it for
    /// damping, in Gauss-Newton form.
    DiagonalHinges,
}

impl std::fmt::Display for BendingTreatment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
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

    /// A hinge's right-hand side is minus this times `grad_a` (kg m^2/s): `moment`
    /// is the sum of elastic and damping moments (N m), `rate` the angle's rate (1/s).
    #[inline]
    pub fn impulse(self, hinge: &Hinge, moment: f64, rate: f64, h: f64) -> f64 {
        match self {
            Self::Explicit => h * moment,
            Self::DiagonalHinges => h * moment + 0.5 * h * h * hinge.stiffness_bound * rate,
        }
    }
}

/// The bending model of a cloth: constant, shared by all who assemble.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bending {
    /// One per interior edge, in the order of edges.
    pub hinges: Vec<Hinge>,
    /// One per face.
    pub triangles: Vec<CurvatureTriangle>,
}

impl Bending {
    /// From the rest shape: vertices of the faces in space (m), corners 1 and 2 of
    /// each face relative to corner 0 in its material axes (m), and each face's
    /// stiffness, positive definite or zero.
    pub fn new(
        faces: &[[VertexId; 3]],
        topology: &Topology,
        in_plane: &[[Vec2; 2]],
        rest: &[Vec3],
        stiffness: impl Fn(FaceId) -> BendingStiffness,
    ) -> Self {
        let mut bending = Self::default();
        let mut hinge_of_edge = vec![NONE; topology.edges.len()];
        for (edge, &[low, high]) in topology.edge_faces.iter().enumerate() {
            if high != NONE {
                hinge_of_edge[edge] = bending.hinges.len() as u32;
                bending.hinges.push(hinge(faces, topology, rest, edge as u32, [low, high]));
            }
        }
        for face in 0..faces.len() as FaceId {
            let m = stiffness_matrix(topology, in_plane, face, stiffness(face));
            let hinges =
                topology.face_edges[face as usize].map(|edge| hinge_of_edge[edge as usize]);
            let bound = largest_scaled_eigenvalue(&m);
            for (i, &hinge) in hinges.iter().enumerate().filter(|&(_, &hinge)| hinge != NONE) {
                bending.hinges[hinge as usize].stiffness_bound += bound * m[(i, i)];
            }
            let m = [m.m11, m.m12, m.m13, m.m22, m.m23, m.m33];
            bending.triangles.push(CurvatureTriangle { hinges, m });
        }
        bending
    }

    /// Bending energy (J) of the whole cloth at positions `x` (m).
    pub fn energy(&self, x: &[Vec3]) -> f64 {
        (0..self.triangles.len()).map(|face| self.face_energy(face as FaceId, x)).sum()
    }

    /// Bending energy (J) of one face.
    pub fn face_energy(&self, face: FaceId, x: &[Vec3]) -> f64 {
        let triangle = &self.triangles[face as usize];
        let deviation = triangle.hinges.map(|hinge| match self.hinges.get(hinge as usize) {
            Some(hinge) => hinge.deviation_and_gradient(hinge.gather(x)).0,
            None => 0.0,
        });
        let moments = triangle.moments(deviation);
        0.5 * (moments[0] * deviation[0] + moments[1] * deviation[1] + moments[2] * deviation[2])
    }

    /// Elastic forces (N) on all vertices, minus the gradient of [`Self::energy`]:
    /// the reference that the patch-wise assembly is compared with.
    pub fn forces(&self, x: &[Vec3]) -> Vec<Vec3> {
        let angles: Vec<_> =
            self.hinges.iter().map(|hinge| hinge.deviation_and_gradient(hinge.gather(x))).collect();
        let mut moments = vec![0.0; self.hinges.len()];
        for triangle in &self.triangles {
            let deviation =
                triangle.hinges.map(|hinge| angles.get(hinge as usize).map_or(0.0, |a| a.0));
            for (hinge, moment) in triangle.hinges.into_iter().zip(triangle.moments(deviation)) {
                if hinge != NONE {
                    moments[hinge as usize] += moment;
                }
            }
        }
        let mut forces = vec![Vec3::zeros(); x.len()];
        for ((hinge, (_, gradient)), moment) in self.hinges.iter().zip(&angles).zip(&moments) {
            for (&vertex, gradient) in hinge.vertices.iter().zip(gradient) {
                forces[vertex as usize] -= gradient * *moment;
            }
        }
        forces
    }

    /// Bound on `(h^2 + 2 h beta) w^2 / 4` over all bending modes w (1/s) at
    /// positions `x`: explicit bending is stable up to 1. Grows as
    /// `D h^2 / (rho L^4)`. `masses` in kg (infinite where fixed).
    ///
    /// With `K <= sum_h d_h g_h g_h^T` it is the largest row sum of the absolute
    /// values of `M^-1/2 K M^-1/2` (Gershgorin).
    pub fn explicit_ratio(&self, x: &[Vec3], masses: &[f64], h: f64, beta: f64) -> f64 {
        let mut row_sums = vec![0.0; x.len()];
        for hinge in &self.hinges {
            let (_, gradient) = hinge_angle_and_gradient(hinge.gather(x));
            let mut scaled = [0.0; 4];
            for (scaled, (gradient, &vertex)) in
                scaled.iter_mut().zip(gradient.iter().zip(&hinge.vertices))
            {
                *scaled = gradient.norm() / masses[vertex as usize].sqrt();
            }
            let sum: f64 = scaled.iter().sum();
            for (scaled, &vertex) in scaled.iter().zip(&hinge.vertices) {
                row_sums[vertex as usize] += hinge.stiffness_bound * sum * scaled;
            }
        }
        0.25 * (h * h + 2.0 * h * beta) * row_sums.into_iter().fold(0.0, f64::max)
    }

    /// The treatment that is stable for steps of `h` (s) and stiffness-proportional
    /// damping `beta` (s). Half of the bound is left for triangles that deform.
    pub fn treatment(&self, rest: &[Vec3], masses: &[f64], h: f64, beta: f64) -> BendingTreatment {
        if self.explicit_ratio(rest, masses, h, beta) <= 0.5 {
            BendingTreatment::Explicit
        } else {
            BendingTreatment::DiagonalHinges
        }
    }
}

fn hinge(
    faces: &[[VertexId; 3]],
    topology: &Topology,
    rest: &[Vec3],
    edge: u32,
    sides: [FaceId; 2],
) -> Hinge {
    let [low, high] = sides;
    let corners = faces[low as usize];
    let opposite = corner_opposite(topology, low, edge);
    let vertices = [
        corners[(opposite + 1) % 3],
        corners[(opposite + 2) % 3],
        corners[opposite],
        faces[high as usize][corner_opposite(topology, high, edge)],
    ];
    let (rest_angle, _) = hinge_angle_and_gradient(vertices.map(|v| rest[v as usize]));
    Hinge { vertices, faces: sides, rest_angle, stiffness_bound: 0.0 }
}

fn corner_opposite(topology: &Topology, face: FaceId, edge: u32) -> usize {
    topology.face_edges[face as usize].iter().position(|&e| e == edge).unwrap_or(0)
}

/// M of one face.
fn stiffness_matrix(
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
    // A missing hinge is uncoupled: a number of the right size on the diagonal
    // lets one inverse serve all cases, and is taken out again.
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
    /// Unit vector along the edge, in the direction the face runs through it.
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
        // Material axes may be left-handed, in mirrored texture coordinates.
        let across = if left.dot(&apex) < 0.0 { -left } else { left };
        Self { along, across, length, height: across.dot(&apex), foot: along.dot(&apex) / length }
    }

    /// The row of T of this edge, with `other` the neighbour's apex seen from the
    /// neighbour, in its own direction along the edge: the slope across the edge of
    /// the quadratic `1/2 x.H x`, interpolated on both triangles, jumps by
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

/// Largest eigenvalue of `diag(m)^-1/2 m diag(m)^-1/2` from above, so that it times
/// `diag(m)` bounds m: Newton on the characteristic polynomial, which falls
/// monotonically from the trace to its largest root.
fn largest_scaled_eigenvalue(m: &Mat3) -> f64 {
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
