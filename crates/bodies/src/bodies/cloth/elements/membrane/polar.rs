//! Rotation, stretch and stress of triangles (symbols as in [`super`]).

use crate::bodies::cloth::elements::lanes::{LaneVec3, Lanes};
use crate::bodies::cloth::material::MembraneStiffness;
use cloth_core::Vec3;

/// `F = R S` in closed form, without an inverse of S: with `C = F^T F`,
/// `q = sqrt(det C)`, `t = tr S = sqrt(tr C + 2 q)`,
/// `S = (C + q I) / t` and `R = (F + [f2 x n, n x f1]) / t`.
pub(super) struct Polar<const L: usize> {
    pub r1: LaneVec3<L>,
    pub r2: LaneVec3<L>,
    pub normal: LaneVec3<L>,
    pub s11: Lanes<L>,
    pub s12: Lanes<L>,
    pub s22: Lanes<L>,
    /// `1/q = 1/det S`, with a floor under q.
    inverse_area_ratio: Lanes<L>,
    pub inverse_trace: Lanes<L>,
}

impl<const L: usize> Polar<L> {
    #[inline(always)]
    pub fn new(f1: LaneVec3<L>, f2: LaneVec3<L>) -> Self {
        let cross = f1.cross(f2);
        let area_ratio = cross.dot(cross).sqrt();
        let (c11, c12, c22) = (f1.dot(f1), f1.dot(f2), f2.dot(f2));
        let trace_c = c11 + c22;
        let floor = trace_c * DEGENERATE;
        let inverse_area_ratio = area_ratio.max(floor).max(Lanes::all(TINY)).recip();
        let mut normal = cross * inverse_area_ratio;
        for i in (0..L).filter(|&i| area_ratio.0[i] <= floor.0[i]) {
            normal.set_lane(i, unit_normal(f1.lane(i), f2.lane(i)));
        }
        // A triangle collapsed to a point has F = 0, so R = S = 0 and no force.
        let trace = (trace_c + area_ratio * 2.0).sqrt();
        let inverse_trace = trace.max(Lanes::all(TINY)).recip();
        Self {
            r1: (f1 + f2.cross(normal)) * inverse_trace,
            r2: (f2 + normal.cross(f1)) * inverse_trace,
            normal,
            s11: (c11 + area_ratio) * inverse_trace,
            s12: c12 * inverse_trace,
            s22: (c22 + area_ratio) * inverse_trace,
            inverse_area_ratio,
            inverse_trace,
        }
    }

    #[inline(always)]
    pub fn strain(&self) -> [Lanes<L>; 3] {
        let one = Lanes::all(1.0);
        [self.s11 - one, self.s22 - one, self.s12 * 2.0]
    }

    /// `N + b J`, by rows, of a stress `(N11, N22, N12)`.
    #[inline(always)]
    pub fn conjugate_stress(&self, [n11, n22, n12]: [Lanes<L>; 3]) -> [[Lanes<L>; 2]; 2] {
        let b = (self.s12 * (n22 - n11) + n12 * (self.s11 - self.s22)) * self.inverse_trace;
        [[n11, n12 + b], [n12 - b, n22]]
    }

    /// The stiffness against spin in the plane, N/m, that the stress `n` of a fabric `c` needs.
    /// Gauss-Newton has none. With `P = N + b J` and `c = (-P21, P12, (P11 - P22) / 2)`, which
    /// couples spin and strain, it is `max(N:S, k, 0)` with `k = s (N:S + c C^-1 c s / (1 - s))`:
    /// then the matrix says at least the share `s` of the stiffness of any motion in the plane.
    /// Where `k` is at most `by_mass` (N/m), the masses keep the step stable alone, and it is zero:
    /// it brakes spin.
    #[inline(always)]
    pub fn spin_stiffness(
        &self,
        c: &MembraneStiffness,
        n: [Lanes<L>; 3],
        by_mass: Lanes<L>,
        least_share: f64,
    ) -> Lanes<L> {
        let [[p11, p12], [p21, p22]] = self.conjugate_stress(n);
        let true_stiffness = n[0] * self.s11 + n[1] * self.s22 + n[2] * self.s12 * 2.0;
        let (warp, weft, shear) = (-p21, p12, (p11 - p22) * 0.5);
        let of_stretch = warp * warp * c.c22 - warp * weft * (2.0 * c.c12) + weft * weft * c.c11;
        let coupled =
            of_stretch * (1.0 / (c.c11 * c.c22 - c.c12 * c.c12)) + shear * shear * (1.0 / c.c33);
        let coupled = coupled * (least_share / (1.0 - least_share));
        let needed = (true_stiffness + coupled) * least_share;
        let whole = true_stiffness.max(needed).max(Lanes::all(0.0));
        Lanes::gather(|i| if needed.0[i] > by_mass.0[i] { whole.0[i] } else { 0.0 })
    }

    /// Positive part `(11, 12, 22)` of the second Piola-Kirchhoff stress `S^-1 (N + b J)`. The
    /// term b makes it symmetric.
    #[inline(always)]
    pub fn tension(&self, stress: [Lanes<L>; 3]) -> [Lanes<L>; 3] {
        let [[p11, p12], [p21, p22]] = self.conjugate_stress(stress);
        let t11 = (self.s22 * p11 - self.s12 * p21) * self.inverse_area_ratio;
        let t12 = (self.s22 * p12 - self.s12 * p22) * self.inverse_area_ratio;
        let t22 = (self.s11 * p22 - self.s12 * p12) * self.inverse_area_ratio;

        // The eigenvalues are mean +- radius. A function of a 2x2 matrix T is linear in T.
        let (mean, half) = ((t11 + t22) * 0.5, (t11 - t22) * 0.5);
        let radius = (half * half + t12 * t12).sqrt();
        let most = (stress[0].abs() + stress[1].abs()) * (1.0 / LEAST_STRETCH);
        let tensile = |value: Lanes<L>| value.max(Lanes::all(0.0)).min(most);
        let (high, low) = (tensile(mean + radius), tensile(mean - radius));
        let centre = (high + low) * 0.5;
        let slope = (high - low) * 0.5 * radius.max(Lanes::all(TINY)).recip();
        [centre + slope * half, slope * t12, centre - slope * half]
    }
}

/// The least stretch in the geometric terms. Without it a triangle that is squeezed to a line, and
/// under tension across that line, would dominate the matrix.
pub(super) const LEAST_STRETCH: f64 = 0.01;

/// A triangle counts as a line if its area is below this fraction of its squared sides. Its normal
/// is noise then.
const DEGENERATE: f64 = 1e-12;

/// Takes the place of a zero divisor. Its square is still a normal number.
pub(super) const TINY: f64 = 1e-100;

/// Unit normal of the plane of `a` and `b`. If they lie on a line, it is a unit vector at right
/// angles to the longer one. If both are zero, it is any unit vector.
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
