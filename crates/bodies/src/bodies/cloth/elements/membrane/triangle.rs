//! The kernel of a membrane triangle (symbols as in [`super`]).

use crate::bodies::cloth::assembly::Stability;
use crate::bodies::cloth::elements::lanes::{LaneVec3, Lanes, each};
use crate::bodies::cloth::elements::membrane::polar::{LEAST_STRETCH, Polar, TINY};
use crate::bodies::cloth::material::MembraneStiffness;
use crate::bodies::cloth::setup::RestTriangle;
use cloth_core::linear::{Block, Quantum, Symmetric3};
use cloth_core::{Mat2, Vec2, Vec3, VertexId};

/// What one element adds to the system `A dv = rhs` of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepTerms {
    /// Right-hand side of each vertex, kg m/s.
    pub rhs: [Vec3; 3],
    /// The 3x3 blocks of (0,1), (0,2) and (1,2), kg. Mirrored blocks are their transposes, and the
    /// blocks of each row sum to zero.
    pub blocks: [Block; 3],
}

/// The pairs of a triangle's corners.
pub(super) const PAIRS: [[usize; 2]; 3] = [[0, 1], [0, 2], [1, 2]];

/// The terms of L elements.
pub struct LaneTerms<const L: usize> {
    rhs: [LaneVec3<L>; 3],
    /// Of each of the [`PAIRS`] the symmetric part and the axis.
    blocks: [(Symmetric<L>, LaneVec3<L>); 3],
}

impl<const L: usize> LaneTerms<L> {
    /// The terms of element `i`.
    #[inline(always)]
    pub fn of(&self, i: usize) -> StepTerms {
        // Loops: closures given to array functions are not always inlined.
        let mut terms = StepTerms { rhs: [Vec3::zeros(); 3], blocks: [Block::default(); 3] };
        for k in 0..3 {
            let (s, axis) = &self.blocks[k];
            let symmetric = [s[0].0[i], s[1].0[i], s[2].0[i], s[3].0[i], s[4].0[i], s[5].0[i]];
            terms.blocks[k] = Block { symmetric: Symmetric3::new(symmetric), axis: axis.lane(i) };
            terms.rhs[k] = self.rhs[k].lane(i);
        }
        terms
    }
}

/// What the triangles of one cloth have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fabric {
    /// Stiffness in the plane.
    pub stiffness: MembraneStiffness,
    /// Damping proportional to stiffness, s.
    pub damping_s: f64,
    /// Mass per rest area, kg/m^2.
    pub density_kg_per_m2: f64,
    /// The size of its blocks over `h^2`, N/m.
    pub size_n_per_m: f64,
}

impl Fabric {
    /// What the axes of blocks are multiples of in a step of `h` (s).
    #[inline]
    pub fn quantum(&self, h: f64) -> Quantum {
        Quantum::new(self.size_n_per_m * (h * h + h * self.damping_s))
    }
}

/// A triangle with its rest shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MembraneTriangle {
    /// Its corners.
    pub vertices: [VertexId; 3],
    /// `D_m^-1`, 1/m: rows are the shape gradients of corners 1 and 2.
    inverse_rest: Mat2,
    /// Rest area times the factor of its stiffness, m^2: so energy and forces have the factor.
    pub area: f64,
    /// The factor of its density over that of its stiffness.
    mass_ratio: f64,
}

impl MembraneTriangle {
    /// From the rest coordinates of corners 1 and 2 relative to corner 0 (m). The first axis is
    /// the warp. A triangle without area exerts no force.
    pub fn new(vertices: [VertexId; 3], x1: Vec2, x2: Vec2) -> Self {
        let inverse_rest = Mat2::from_columns(&[x1, x2]).try_inverse();
        let area = RestTriangle { x1, x2 }.area();
        let inverse_rest = inverse_rest.unwrap_or_else(Mat2::zeros);
        Self { vertices, inverse_rest, area, mass_ratio: 1.0 }
    }

    /// `stiffer` times as stiff as its fabric, and `heavier` times as heavy.
    pub fn with_factors(self, stiffer: f64, heavier: f64) -> Self {
        Self { area: self.area * stiffer, mass_ratio: heavier / stiffer, ..self }
    }

    /// The gradients of the shape functions of corners 1 and 2 in the plane at rest, 1/m.
    pub fn gradients(&self) -> [Vec2; 2] {
        [0, 1].map(|corner| self.inverse_rest.row(corner).transpose())
    }

    /// Elastic energy, J, at positions `x` (m).
    pub fn energy(&self, c: &MembraneStiffness, x: [Vec3; 3]) -> f64 {
        let [energy] = Self::energy_of([self], c, [x]);
        energy
    }

    /// The same bits as [`Self::energy`], for L triangles of one material.
    #[inline]
    pub fn energy_of<const L: usize>(
        triangles: [&Self; L],
        c: &MembraneStiffness,
        x: [[Vec3; 3]; L],
    ) -> [f64; L] {
        let strain = PresentShape::new(triangles, x).polar.strain();
        let stress = stress(c, strain);
        let half_area = Lanes::gather(|i| 0.5 * triangles[i].area);
        let work = stress[0] * strain[0] + stress[1] * strain[1] + stress[2] * strain[2];
        (half_area * work).0
    }

    /// Elastic forces, N, at positions `x` (m): exactly minus the gradient of [`Self::energy`].
    pub fn forces(&self, c: &MembraneStiffness, x: [Vec3; 3]) -> [Vec3; 3] {
        let shape = PresentShape::new([self], [x]);
        let [f1, f2] = shape.corner_forces(stress(c, shape.polar.strain()));
        [f1 + f2, -f1, -f2].map(|f| f.lane(0) * self.area)
    }

    /// One step's terms of `A dv = rhs`, with `A = M + h D + h^2 K` and
    /// `rhs = h f(x) - (h D + h a K) v`, without the masses. `h` and `a` in s: the end of the step
    /// without `dv` is `x + a v` (see [`StepInputs`](crate::bodies::cloth::assembly::StepInputs)).
    ///
    /// K is Gauss-Newton plus two geometric terms: that of tension out of the plane,
    /// `A (g_a^T N^+ g_b) n n^T`, where `N^+` is the positive part of `S^-1 (N + b J)`, and that of
    /// spin in the plane, `A k w_a w_b^T` with `w_a = (g_a1 r2 - g_a2 r1) / tr S` (see
    /// `Polar::spin_stiffness`). D is the damping times the Gauss-Newton part. The 9x9 matrix of
    /// all blocks is positive semidefinite, and with the masses M of the triangle the derivative of
    /// [`Self::forces`] is at most `K / s + m M / h^2`, with the least share `s` and the limit `m`
    /// of `stability`, so that the step is stable.
    pub fn step_terms(
        &self,
        fabric: &Fabric,
        x: [Vec3; 3],
        v: [Vec3; 3],
        times: [f64; 2],
        stability: Stability,
    ) -> StepTerms {
        Self::step_terms_of([self], fabric, [x], [v], times, stability).of(0)
    }

    /// The same bits as [`Self::step_terms`], for L triangles of one material. It is faster than
    /// one by one, because two at a time fill the registers.
    #[inline]
    pub fn step_terms_of<const L: usize>(
        triangles: [&Self; L],
        fabric: &Fabric,
        x: [[Vec3; 3]; L],
        v: [[Vec3; 3]; L],
        [h, ahead]: [f64; 2],
        stability: Stability,
    ) -> LaneTerms<L> {
        let Fabric { stiffness: c, damping_s: beta, density_kg_per_m2: density, .. } = fabric;
        let shape = PresentShape::new(triangles, x);
        let Polar { r1, r2, normal: n, .. } = shape.polar;
        let u1 = LaneVec3::gather(|i| v[i][1] - v[i][0]);
        let u2 = LaneVec3::gather(|i| v[i][2] - v[i][0]);
        let area = Lanes::gather(|i| triangles[i].area);
        let [b1, b2] = [shape.motion_shape(0), shape.motion_shape(1)];

        // C e + (beta + a) C de/dt in the plane.
        let e = shape.polar.strain();
        let rates1 = rates(&b1, r1.dot(u1), r2.dot(u1));
        let rates2 = rates(&b2, r1.dot(u2), r2.dot(u2));
        let total = each(|k| e[k] + (rates1[k] + rates2[k]) * (beta + ahead));
        let [f1, f2] = shape.corner_forces(stress(c, total));

        // Geometric term of tension, out of the plane.
        let [g1, g2] = shape.gradients;
        let tension = shape.polar.tension(stress(c, e));
        let (t1, t2) = (symmetric_times(&tension, g1), symmetric_times(&tension, g2));
        let scale = area * (h * h);
        let k11 = (g1[0] * t1[0] + g1[1] * t1[1]) * scale;
        let k12 = (g1[0] * t2[0] + g1[1] * t2[1]) * scale;
        let k22 = (g2[0] * t2[0] + g2[1] * t2[1]) * scale;
        let ahead = ahead / h;
        let (n1, n2) = (n.dot(u1) * ahead, n.dot(u2) * ahead);
        // Geometric term of spin, in the plane.
        let mass = density * (0.25 * stability.by_mass) / (h * h);
        let mass_ratio = Lanes::gather(|i| triangles[i].mass_ratio);
        let by_mass = shape.stable_spin_stiffness(mass) * mass_ratio;
        let least_share = stability.least_share;
        let spin = shape.polar.spin_stiffness(c, stress(c, e), by_mass, least_share);
        let spin_stiffness = spin * scale;
        let braked = spin_stiffness * (rates1[SPIN] + rates2[SPIN]) * ahead;
        let along = |b: &MotionShape<L>| (r1 * b[SPIN][0] + r2 * b[SPIN][1]) * braked;
        let impulse = area * -h;
        let rhs1 = f1 * impulse - n * (k11 * n1 + k12 * n2) - along(&b1);
        let rhs2 = f2 * impulse - n * (k12 * n1 + k22 * n2) - along(&b2);

        let scale = area * (h * h + h * beta);
        let (w1, w2) =
            (weighted(c, &b1, scale, spin_stiffness), weighted(c, &b2, scale, spin_stiffness));
        let frame = FrameProducts::new(r1, r2, n);
        let h12 = product(&b1, &w2);
        let s11 = frame.symmetric(product(&b1, &w1), k11);
        let s12 = frame.symmetric(h12, k12);
        let s22 = frame.symmetric(product(&b2, &w2), k22);
        let skew = n * ((h12[1][0] - h12[0][1]) * 0.5);
        // The shape gradients sum to zero, and so do rows and columns of blocks.
        let s01: Symmetric<L> = each(|k| -(s11[k] + s12[k]));
        let s02: Symmetric<L> = each(|k| -(s22[k] + s12[k]));
        let quantum = fabric.quantum(h);
        let axis = LaneVec3::gather(|i| quantum.round(skew.lane(i)));
        LaneTerms {
            rhs: [-(rhs1 + rhs2), rhs1, rhs2],
            blocks: [(s01, axis), (s02, -axis), (s12, axis)],
        }
    }
}

/// L triangles in their present shape.
struct PresentShape<const L: usize> {
    /// `g_1` and `g_2`.
    gradients: [[Lanes<L>; 2]; 2],
    polar: Polar<L>,
}

impl<const L: usize> PresentShape<L> {
    #[inline(always)]
    fn new(triangles: [&MembraneTriangle; L], x: [[Vec3; 3]; L]) -> Self {
        let entry = |a, k| Lanes::gather(|i| triangles[i].inverse_rest[(a, k)]);
        let gradients = [[entry(0, 0), entry(0, 1)], [entry(1, 0), entry(1, 1)]];
        let [g1, g2] = gradients;
        let d1 = LaneVec3::gather(|i| x[i][1] - x[i][0]);
        let d2 = LaneVec3::gather(|i| x[i][2] - x[i][0]);
        let polar = Polar::new(d1 * g1[0] + d2 * g2[0], d1 * g1[1] + d2 * g2[1]);
        Self { gradients, polar }
    }

    /// `B_a` of corner 1 or 2 (`a` 0 or 1), and `w_a`.
    #[inline(always)]
    fn motion_shape(&self, a: usize) -> MotionShape<L> {
        let [g1, g2] = self.gradients[a];
        let Polar { s11, s12, s22, inverse_trace, .. } = self.polar;
        let shear = s12 * inverse_trace;
        let stretch = (s22 - s11) * inverse_trace;
        // A triangle that is squeezed to a point spins at any speed.
        let of_spin = inverse_trace.min(Lanes::all(1.0 / LEAST_STRETCH));
        [
            [g1 - g2 * shear, g1 * shear],
            [g2 * shear, g2 - g1 * shear],
            [g2 - g2 * stretch, g1 + g1 * stretch],
            [-g2 * of_spin, g1 * of_spin],
        ]
    }

    /// The stiffness against spin that masses of `rho / h^2` (kg/(m s)^2) keep stable without help,
    /// N/m: `rho (tr S)^2 / (3 h^2 sum_a |g_a|^2)`. It is half of the limit. Bending may use the
    /// other half.
    #[inline(always)]
    fn stable_spin_stiffness(&self, density: f64) -> Lanes<L> {
        let [g1, g2] = self.gradients;
        let square = |[a, b]: [Lanes<L>; 2]| a * a + b * b;
        let squares = square(g1) + square(g2) + square([g1[0] + g2[0], g1[1] + g2[1]]);
        let trace = self.polar.s11 + self.polar.s22;
        trace * trace * (density / 3.0) * squares.max(Lanes::all(TINY)).recip()
    }

    /// `R (N + b J) g_a` of corners 1 and 2: minus their forces per area.
    #[inline(always)]
    fn corner_forces(&self, stress: [Lanes<L>; 3]) -> [LaneVec3<L>; 2] {
        let [[p11, p12], [p21, p22]] = self.polar.conjugate_stress(stress);
        let Polar { r1, r2, .. } = self.polar;
        let force =
            |[g1, g2]: [Lanes<L>; 2]| r1 * (p11 * g1 + p12 * g2) + r2 * (p21 * g1 + p22 * g2);
        [force(self.gradients[0]), force(self.gradients[1])]
    }
}

/// Rows `dS11, dS22, 2 dS12` and the spin, columns a corner's motion along `r1` and `r2`.
type MotionShape<const L: usize> = [[Lanes<L>; 2]; 4];

/// The row of the spin.
const SPIN: usize = 3;

/// Rates of strain and spin by a corner's motion.
#[inline(always)]
fn rates<const L: usize>(b: &MotionShape<L>, along1: Lanes<L>, along2: Lanes<L>) -> [Lanes<L>; 4] {
    each(|k| b[k][0] * along1 + b[k][1] * along2)
}

/// `C e`.
#[inline(always)]
fn stress<const L: usize>(c: &MembraneStiffness, e: [Lanes<L>; 3]) -> [Lanes<L>; 3] {
    [e[0] * c.c11 + e[1] * c.c12, e[0] * c.c12 + e[1] * c.c22, e[2] * c.c33]
}

/// `scale C B`, and the row of the spin by its stiffness.
#[inline(always)]
fn weighted<const L: usize>(
    c: &MembraneStiffness,
    b: &MotionShape<L>,
    scale: Lanes<L>,
    spin_stiffness: Lanes<L>,
) -> MotionShape<L> {
    let (c11, c12, c22, c33) = (scale * c.c11, scale * c.c12, scale * c.c22, scale * c.c33);
    [
        each(|j| b[0][j] * c11 + b[1][j] * c12),
        each(|j| b[0][j] * c12 + b[1][j] * c22),
        each(|j| b[2][j] * c33),
        each(|j| b[SPIN][j] * spin_stiffness),
    ]
}

/// `B^T W`, by rows.
#[inline(always)]
fn product<const L: usize>(b: &MotionShape<L>, w: &MotionShape<L>) -> [[Lanes<L>; 2]; 2] {
    let entry = |i: usize, j: usize| {
        b[0][i] * w[0][j] + b[1][i] * w[1][j] + b[2][i] * w[2][j] + b[SPIN][i] * w[SPIN][j]
    };
    [[entry(0, 0), entry(0, 1)], [entry(1, 0), entry(1, 1)]]
}

#[inline(always)]
fn symmetric_times<const L: usize>(t: &[Lanes<L>; 3], g: [Lanes<L>; 2]) -> [Lanes<L>; 2] {
    [t[0] * g[0] + t[1] * g[1], t[1] * g[0] + t[2] * g[1]]
}

/// A symmetric 3x3 matrix: entries xx, xy, xz, yy, yz, zz.
type Symmetric<const L: usize> = [Lanes<L>; 6];

/// Outer products of the frame.
struct FrameProducts<const L: usize> {
    r11: Symmetric<L>,
    /// `(r1 r2^T + r2 r1^T) / 2`
    r12: Symmetric<L>,
    r22: Symmetric<L>,
    nn: Symmetric<L>,
}

impl<const L: usize> FrameProducts<L> {
    #[inline(always)]
    fn new(r1: LaneVec3<L>, r2: LaneVec3<L>, n: LaneVec3<L>) -> Self {
        let ([ax, ay, az], [bx, by, bz]) = (r1.0, r2.0);
        let r12 = [
            ax * bx,
            (ax * by + ay * bx) * 0.5,
            (ax * bz + az * bx) * 0.5,
            ay * by,
            (ay * bz + az * by) * 0.5,
            az * bz,
        ];
        Self { r11: squares(r1), r12, r22: squares(r2), nn: squares(n) }
    }

    /// Symmetric part of `[r1 r2] H [r1 r2]^T + k n n^T`. The skew part is `(H21 - H12)/2` times
    /// the cross-product matrix of n.
    #[inline(always)]
    fn symmetric(&self, h: [[Lanes<L>; 2]; 2], k: Lanes<L>) -> Symmetric<L> {
        let h12 = h[0][1] + h[1][0];
        each(|i| self.r11[i] * h[0][0] + self.r12[i] * h12 + self.r22[i] * h[1][1] + self.nn[i] * k)
    }
}

/// `a a^T`.
#[inline(always)]
fn squares<const L: usize>(a: LaneVec3<L>) -> Symmetric<L> {
    let [x, y, z] = a.0;
    [x * x, x * y, x * z, y * y, y * z, z * z]
}
