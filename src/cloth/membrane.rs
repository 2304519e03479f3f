//! Membrane: corotational linear triangles.
//!
//! Thomaszewski & Blochinger (2007) section 3.1, after Etzmuss, Keckeisen &
//! Strasser (2003), with the exact gradient. Symbols:
//!
//! | | |
//! |---|---|
//! | `F = [f1 f2] = R S` | deformation gradient (3x2), its rotation and stretch |
//! | `e = (S11 - 1, S22 - 1, 2 S12)` | strain in the material axes |
//! | `N = C e` | stress resultants, N/m |
//! | `g_a` | gradient of corner a's shape function, 1/m |
//! | `A` | rest area, m^2 |
//!
//! With `G = R^T dF/dt` the spin in the plane is `w = (G12 - G21) / tr S` and the
//! strain rate `dS/dt = G - w J S`, `J = [[0, 1], [-1, 0]]`: a 3x2 matrix `B_a(S)`
//! per corner takes `R^T v_a` to it. Virtual power gives the exact force
//! `f_a = -A R B_a^T N = -A R (N + b J) g_a`, `b = ((S N)_12 - (S N)_21) / tr S`;
//! for orthotropic cloth `R N g_a` alone is no gradient and exerts a torque. The
//! same `B_a` gives the Gauss-Newton stiffness `K_ab = A R B_a^T C B_b R^T`, which
//! resists no rigid rotation and so serves damping too.

use crate::cloth::material::MembraneStiffness;
use crate::ids::VertexId;
use crate::math::{Mat2, Mat3, Mat3x2, Vec2, Vec3};

/// What one element adds to the system `A dv = rhs` of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepTerms<const N: usize> {
    /// Right-hand side of each vertex, kg m/s.
    pub rhs: [Vec3; N],
    /// Upper triangle of the 3x3 blocks, kg: for three vertices
    /// (0,0), (0,1), (0,2), (1,1), (1,2), (2,2).
    pub blocks: [Mat3; 6],
}

/// A triangle with its rest shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MembraneTriangle {
    /// Its corners.
    pub vertices: [VertexId; 3],
    /// `D_m^-1`, 1/m: rows are the shape gradients of corners 1 and 2.
    inverse_rest: Mat2,
    /// Rest area, m^2.
    pub area: f64,
}

/// Rest coordinates (m) of corners 1 and 2 relative to corner 0 in the plane of a
/// triangle, first axis along the projection of `warp` (along the first side if
/// `warp` has none), second axis counter-clockwise from it.
pub fn rest_coordinates(corners: [Vec3; 3], warp: Vec3) -> [Vec2; 2] {
    let (d1, d2) = (corners[1] - corners[0], corners[2] - corners[0]);
    let normal = unit_normal(d1, d2);
    let in_plane = warp - normal * normal.dot(&warp);
    let first = if in_plane.norm() > 1e-9 * warp.norm() { in_plane } else { d1 }.normalize();
    let second = normal.cross(&first);
    [d1, d2].map(|d| Vec2::new(first.dot(&d), second.dot(&d)))
}

impl MembraneTriangle {
    /// From the rest coordinates of corners 1 and 2 relative to corner 0 (m),
    /// first axis along the warp. A triangle without area exerts no force.
    pub fn new(vertices: [VertexId; 3], x1: Vec2, x2: Vec2) -> Self {
        let rest = Mat2::from_columns(&[x1, x2]);
        let inverse_rest = rest.try_inverse().unwrap_or_else(Mat2::zeros);
        Self { vertices, inverse_rest, area: 0.5 * rest.determinant().abs() }
    }

    /// Elastic energy, J, at positions `x`.
    pub fn energy(&self, c: &MembraneStiffness, x: [Vec3; 3]) -> f64 {
        let strain = self.polar(x).strain();
        let stress = c.stress(strain);
        0.5 * self.area * (stress[0] * strain[0] + stress[1] * strain[1] + stress[2] * strain[2])
    }

    /// Elastic forces, N: exactly minus the gradient of [`Self::energy`].
    pub fn forces(&self, c: &MembraneStiffness, x: [Vec3; 3]) -> [Vec3; 3] {
        let polar = self.polar(x);
        let (r1, r2) = (polar.r1, polar.r2);
        self.corner_sums(polar.conjugate_stress(c.stress(polar.strain())))
            .map(|s| -self.area * (r1 * s[0] + r2 * s[1]))
    }

    /// One step's terms of `A dv = rhs`, `A = M + h D + h^2 K`, without the masses:
    /// `rhs = h f(x) - (h D + h^2 K) v`, `D = beta K` by the strain rate alone,
    /// K Gauss-Newton plus the geometric term of tension,
    /// `A (g_a^T N^+ g_b) n n^T`, `N^+` the positive part of `S^-1 (N + b J)`.
    /// `h` and `beta` in s. All 9x9 blocks together are positive semidefinite.
    #[inline]
    pub fn step_terms(
        &self,
        c: &MembraneStiffness,
        x: [Vec3; 3],
        v: [Vec3; 3],
        h: f64,
        beta: f64,
    ) -> StepTerms<3> {
        let polar = self.polar(x);
        let (r1, r2, n) = (polar.r1, polar.r2, polar.normal);
        let (u1, u2) = (v[1] - v[0], v[2] - v[0]);
        let shapes = [self.strain_shape(&polar, 0), self.strain_shape(&polar, 1)];

        // C e + (beta + h) C de/dt, conjugate to the corners' motion in the plane.
        let e = polar.strain();
        let rate = strain_rate(&shapes, [r1.dot(&u1), r2.dot(&u1)], [r1.dot(&u2), r2.dot(&u2)]);
        let elastic = c.stress(e);
        let total = c.stress([
            e[0] + (beta + h) * rate[0],
            e[1] + (beta + h) * rate[1],
            e[2] + (beta + h) * rate[2],
        ]);
        let in_plane = self.corner_sums(polar.conjugate_stress(total));

        // Geometric term: out of the plane only.
        let [[g11, g12], [g21, g22]] = self.shape_gradients();
        let [t11, t12, t22] = polar.tension(elastic);
        let (ta1, ta2) = (t11 * g11 + t12 * g12, t12 * g11 + t22 * g12);
        let (tb1, tb2) = (t11 * g21 + t12 * g22, t12 * g21 + t22 * g22);
        let geometric_scale = h * h * self.area;
        let k11 = geometric_scale * (g11 * ta1 + g12 * ta2);
        let k12 = geometric_scale * (g11 * tb1 + g12 * tb2);
        let k22 = geometric_scale * (g21 * tb1 + g22 * tb2);
        let (n1, n2) = (n.dot(&u1), n.dot(&u2));
        let (out1, out2) = (k11 * n1 + k12 * n2, k12 * n1 + k22 * n2);

        let s = -h * self.area;
        let rhs1 = r1 * (s * in_plane[1][0]) + r2 * (s * in_plane[1][1]) - n * out1;
        let rhs2 = r1 * (s * in_plane[2][0]) + r2 * (s * in_plane[2][1]) - n * out2;

        let stiffness_scale = (h * h + h * beta) * self.area;
        let [weighted1, weighted2] = shapes.map(|b| weighted(c, &b, stiffness_scale));
        let axes = [r1, r2, n];
        let b11 = to_space(&axes, product(&shapes[0], &weighted1), k11);
        let b12 = to_space(&axes, product(&shapes[0], &weighted2), k12);
        let b22 = to_space(&axes, product(&shapes[1], &weighted2), k22);
        // The shape gradients sum to zero, and so do rows and columns of blocks.
        let b01 = -(b11 + b12.transpose());
        let b02 = -(b12 + b22);
        let b00 = -(b01 + b02);
        StepTerms { rhs: [-(rhs1 + rhs2), rhs1, rhs2], blocks: [b00, b01, b02, b11, b12, b22] }
    }

    /// `g_1` and `g_2`.
    #[inline]
    fn shape_gradients(&self) -> [[f64; 2]; 2] {
        let d = &self.inverse_rest;
        [[d.m11, d.m12], [d.m21, d.m22]]
    }

    #[inline]
    fn polar(&self, x: [Vec3; 3]) -> Polar {
        let (d1, d2) = (x[1] - x[0], x[2] - x[0]);
        let [[g11, g12], [g21, g22]] = self.shape_gradients();
        Polar::new(&Mat3x2::from_columns(&[d1 * g11 + d2 * g21, d1 * g12 + d2 * g22]))
    }

    /// `B_a` of corner 1 or 2 (`a` 0 or 1): rows `dS11, dS22, 2 dS12`, columns the
    /// corner's motion along `r1` and `r2`.
    #[inline]
    fn strain_shape(&self, polar: &Polar, a: usize) -> StrainShape {
        let [g1, g2] = self.shape_gradients()[a];
        let shear = polar.s12 * polar.inverse_trace;
        let stretch = (polar.s22 - polar.s11) * polar.inverse_trace;
        [
            [g1 - g2 * shear, g1 * shear],
            [g2 * shear, g2 - g1 * shear],
            [g2 - g2 * stretch, g1 + g1 * stretch],
        ]
    }

    /// `P g_a` of all corners for a 2x2 matrix P in rows.
    #[inline]
    fn corner_sums(&self, p: [[f64; 2]; 2]) -> [[f64; 2]; 3] {
        let [[g11, g12], [g21, g22]] = self.shape_gradients();
        let one = [p[0][0] * g11 + p[0][1] * g12, p[1][0] * g11 + p[1][1] * g12];
        let two = [p[0][0] * g21 + p[0][1] * g22, p[1][0] * g21 + p[1][1] * g22];
        [[-(one[0] + two[0]), -(one[1] + two[1])], one, two]
    }
}

type StrainShape = [[f64; 2]; 3];

/// Strain rate of corner velocities `u1`, `u2` in the plane, relative to corner 0.
#[inline]
fn strain_rate(shapes: &[StrainShape; 2], u1: [f64; 2], u2: [f64; 2]) -> [f64; 3] {
    let [b1, b2] = shapes;
    let row = |k: usize| b1[k][0] * u1[0] + b1[k][1] * u1[1] + b2[k][0] * u2[0] + b2[k][1] * u2[1];
    [row(0), row(1), row(2)]
}

/// `scale C B`.
#[inline]
fn weighted(c: &MembraneStiffness, b: &StrainShape, scale: f64) -> StrainShape {
    let column = |j: usize| c.stress([scale * b[0][j], scale * b[1][j], scale * b[2][j]]);
    let (left, right) = (column(0), column(1));
    [[left[0], right[0]], [left[1], right[1]], [left[2], right[2]]]
}

/// `B^T W`, by rows.
#[inline]
fn product(b: &StrainShape, w: &StrainShape) -> [[f64; 2]; 2] {
    let entry = |i: usize, j: usize| b[0][i] * w[0][j] + b[1][i] * w[1][j] + b[2][i] * w[2][j];
    [[entry(0, 0), entry(0, 1)], [entry(1, 0), entry(1, 1)]]
}

/// `[r1 r2] H [r1 r2]^T + k n n^T`.
#[inline]
fn to_space([r1, r2, n]: &[Vec3; 3], h: [[f64; 2]; 2], k: f64) -> Mat3 {
    let column = |j: usize| {
        let along1 = h[0][0] * r1[j] + h[0][1] * r2[j];
        let along2 = h[1][0] * r1[j] + h[1][1] * r2[j];
        r1 * along1 + r2 * along2 + n * (k * n[j])
    };
    Mat3::from_columns(&[column(0), column(1), column(2)])
}

/// `F = R S` in closed form, without an inverse of S: with `C = F^T F`,
/// `q = sqrt(det C)`, `t = tr S = sqrt(tr C + 2 q)`,
/// `S = (C + q I) / t` and `R = (F + [f2 x n, n x f1]) / t`.
struct Polar {
    r1: Vec3,
    r2: Vec3,
    normal: Vec3,
    s11: f64,
    s12: f64,
    s22: f64,
    /// `q = det S`: area over rest area.
    area_ratio: f64,
    inverse_trace: f64,
}

impl Polar {
    #[inline]
    fn new(f: &Mat3x2) -> Self {
        let (f1, f2) = (f.column(0).into_owned(), f.column(1).into_owned());
        let cross = f1.cross(&f2);
        let area_ratio = cross.norm();
        let (c11, c12, c22) = (f1.dot(&f1), f1.dot(&f2), f2.dot(&f2));
        let trace_c = c11 + c22;
        let normal = if area_ratio > DEGENERATE * trace_c {
            cross * (1.0 / area_ratio)
        } else {
            unit_normal(f1, f2)
        };
        // A triangle collapsed to a point has F = 0, so R = S = 0 and no force.
        let inverse_trace = 1.0 / (trace_c + 2.0 * area_ratio).sqrt().max(TINY);
        Self {
            r1: (f1 + f2.cross(&normal)) * inverse_trace,
            r2: (f2 + normal.cross(&f1)) * inverse_trace,
            normal,
            s11: (c11 + area_ratio) * inverse_trace,
            s12: c12 * inverse_trace,
            s22: (c22 + area_ratio) * inverse_trace,
            area_ratio,
            inverse_trace,
        }
    }

    #[inline]
    fn strain(&self) -> [f64; 3] {
        [self.s11 - 1.0, self.s22 - 1.0, 2.0 * self.s12]
    }

    /// `b` of a stress `(N11, N22, N12)`.
    #[inline]
    fn skew(&self, [n11, n22, n12]: [f64; 3]) -> f64 {
        (self.s12 * (n22 - n11) + n12 * (self.s11 - self.s22)) * self.inverse_trace
    }

    /// `N + b J`, by rows.
    #[inline]
    fn conjugate_stress(&self, stress: [f64; 3]) -> [[f64; 2]; 2] {
        let b = self.skew(stress);
        [[stress[0], stress[2] + b], [stress[2] - b, stress[1]]]
    }

    /// Positive part `(11, 12, 22)` of `S^-1 (N + b J)`, the second
    /// Piola-Kirchhoff stress, which b makes symmetric.
    #[inline]
    fn tension(&self, stress: [f64; 3]) -> [f64; 3] {
        let [[p11, p12], [p21, p22]] = self.conjugate_stress(stress);
        let floor = DEGENERATE * (self.s11 + self.s22) * (self.s11 + self.s22);
        let inverse = 1.0 / self.area_ratio.max(floor).max(TINY);
        let t11 = (self.s22 * p11 - self.s12 * p21) * inverse;
        let t12 = (self.s22 * p12 - self.s12 * p22) * inverse;
        let t22 = (self.s11 * p22 - self.s12 * p12) * inverse;

        // Eigenvalues mean +- radius; a function of T is linear in T.
        let (mean, half) = (0.5 * (t11 + t22), 0.5 * (t11 - t22));
        let radius = (half * half + t12 * t12).sqrt();
        let most = (stress[0].abs() + stress[1].abs()) / LEAST_STRETCH;
        let (high, low) = (tensile(mean + radius, most), tensile(mean - radius, most));
        let centre = 0.5 * (high + low);
        let slope = 0.5 * (high - low) / radius.max(TINY);
        [centre + slope * half, slope * t12, centre - slope * half]
    }
}

fn tensile(value: f64, most: f64) -> f64 {
    value.max(0.0).min(most)
}

/// The geometric term counts a smaller stretch as this one, lest a triangle that is
/// squeezed to a line while under tension across it dominate the matrix.
const LEAST_STRETCH: f64 = 0.01;

/// Below this ratio of its area to its squared sides a triangle counts as a line:
/// its normal is noise.
const DEGENERATE: f64 = 1e-12;

/// Stands in for a zero divisor; its square is still a normal number.
const TINY: f64 = 1e-100;

/// Unit normal of the plane of `a` and `b`; of a line any unit vector normal to
/// the longer one; of a point any unit vector.
fn unit_normal(a: Vec3, b: Vec3) -> Vec3 {
    let cross = a.cross(&b);
    let length = cross.norm();
    if length > DEGENERATE * (a.norm_squared() + b.norm_squared()) {
        return cross / length;
    }
    let longer = if a.norm_squared() >= b.norm_squared() { a } else { b };
    let axis = Vec3::ith(longer.iamin(), 1.0);
    longer.cross(&axis).try_normalize(0.0).unwrap_or(axis)
}
