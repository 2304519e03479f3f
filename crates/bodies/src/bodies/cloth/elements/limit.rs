//! The strain limit: cloth that gets stiff where it is stretched nearly to its limit.
//!
//! It acts beside the membrane, on the principal stretches of a triangle:
//!
//! | | |
//! |---|---|
//! | `F` | deformation gradient (3x2) |
//! | `s_i`, `v_i` | its singular values, the larger one first, and directions at rest |
//! | `n_i` | where it takes `v_i`; `m` is the normal |
//! | `A` | rest area times the factor of the stiffness, m^2 |
//! | `L` | the limit of `s_i - 1` |
//! | `k` | the largest stiffness of the membrane, N/m |
//! | `g_a` | gradient of corner a's shape function, 1/m |
//!
//! Its tension `t` is zero up to `s = 1 + 0.8 L`. From there to the limit let `r` go from 0 to 1 and
//! `w = 0.2 L`. Then `t = k w r^2 / (1 - r)` with the slope `k (1 / (1 - r)^2 - 1)`, which goes on as a
//! line where the slope is `STIFFEST` times `k`. The energy is `A` times the integral of `t`, the
//! force `f_a = -A sum_i t_i (v_i . g_a) n_i`.
//!
//! The matrix is the exact second derivative (its modes: Smith, De Goes & Kim 2019), with one change:
//! the slope of `t` is that of the secant to where the triangle is at the end of the step if nothing
//! brakes it. So a step that begins with soft cloth knows where it gets stiff. Source: ours.

use crate::bodies::cloth::assembly::StepInputs;
use crate::bodies::cloth::elements::Element;
use crate::bodies::cloth::elements::membrane::MembraneTriangle;
use crate::bodies::cloth::rest::{RestCloths, STIFFEST, size_n_per_m};
use crate::bodies::cloth::scatter::PatchLists;
use cloth_core::linear::{Block, BlockStructure, PairSlot, PatchEquations, Quantum};
use cloth_core::partition::Layout;
use cloth_core::{FaceId, Mat3, Vec2, Vec3, VertexId};

/// The share of the limit below which cloth does not feel it.
const ONSET: f64 = 0.8;

/// Stretches that differ by less than this are equal.
const ALIKE: f64 = 1e-9;

/// The triangles of the cloths that have a strain limit.
pub struct StrainLimit {
    triangles: Vec<(MembraneTriangle, Law)>,
    /// The face of each, rising.
    faces: Vec<FaceId>,
}

/// A triangle, its rows and the slots of its blocks of (0,1), (0,2) and (1,2).
pub struct LimitScatter {
    triangle: u32,
    rows: [u32; 3],
    slots: [PairSlot; 3],
}

/// Tension of one principal stretch.
#[derive(Debug, Clone, Copy)]
struct Law {
    limit: f64,
    /// N/m
    stiffness: f64,
    /// The size of blocks over `h^2`, N/m.
    size: f64,
}

impl Law {
    /// Tension (N/m) at the stretch `s`.
    fn tension(&self, s: f64) -> f64 {
        let (k, width) = (self.stiffness, (1.0 - ONSET) * self.limit);
        let r = (s - 1.0 - ONSET * self.limit) / width;
        let last = last();
        match r {
            ..0.0 => 0.0,
            r if r < last => k * width * r * r / (1.0 - r),
            r => k * width * (last * last / (1.0 - last) + STIFFEST * (r - last)),
        }
    }

    /// The integral (N/m) of the tension up to the stretch `s`.
    fn energy(&self, s: f64) -> f64 {
        let (k, width) = (self.stiffness, (1.0 - ONSET) * self.limit);
        let r = (s - 1.0 - ONSET * self.limit) / width;
        if r <= 0.0 {
            return 0.0;
        }
        let last = last();
        let (curved, beyond) = (r.min(last), (r - last).max(0.0));
        let of_curve = -curved - 0.5 * curved * curved - libm::log1p(-curved);
        let of_line = beyond * (last * last / (1.0 - last) + 0.5 * STIFFEST * beyond);
        k * width * width * (of_curve + of_line)
    }

    /// The slope (N/m) of the tension from the stretch `s` to `s + ds`.
    fn slope(&self, s: f64, ds: f64) -> f64 {
        // Both ends on one side of the onset, and close: a secant would be rounding.
        let ds = if ds.abs() < ALIKE { ALIKE } else { ds };
        ((self.tension(s + ds) - self.tension(s)) / ds).max(0.0)
    }
}

/// Where the slope is `STIFFEST`.
fn last() -> f64 {
    1.0 - 1.0 / (STIFFEST + 1.0).sqrt()
}

impl StrainLimit {
    /// Whether any cloth has a limit.
    pub fn acts(&self) -> bool {
        !self.triangles.is_empty()
    }
}

impl Element for StrainLimit {
    type Share = PatchLists<LimitScatter>;
    /// The places of the triangles.
    type Meter = Vec<u32>;

    fn new(rest: &RestCloths) -> Self {
        let laws = rest.by_cloth(|cloth| {
            let stiffness = cloth.material.membrane.largest();
            let size = size_n_per_m(cloth);
            cloth.material.strain_limit.map(|limit| Law { limit, stiffness, size })
        });
        let stiffer = rest.factors(|factors| &factors.stiffness);
        let all = (0..).zip(rest.faces.iter().zip(rest.planes()).zip(stiffer));
        let limited = all.filter_map(|(face, ((&vertices, plane), stiffer))| {
            let triangle = MembraneTriangle::new(vertices, plane.x1, plane.x2);
            Some((face, (triangle.with_factors(stiffer, 1.0), (*laws.of(face))?)))
        });
        let (faces, triangles) = limited.unzip();
        Self { triangles, faces }
    }

    /// Those of the membrane.
    fn couplings(&self) -> impl Iterator<Item = &[VertexId]> + Clone {
        std::iter::empty()
    }

    fn share(&self, layout: &Layout, structure: &BlockStructure) -> Self::Share {
        let vertices = Vec::from_iter(self.triangles.iter().map(|(it, _)| it.vertices));
        PatchLists::of_elements(layout, &vertices, |triangle, patch| {
            let vertices = &vertices[triangle as usize];
            let pairs = &[[0, 1], [0, 2], [1, 2]];
            LimitScatter {
                triangle,
                rows: patch.of(layout, vertices),
                slots: patch.slots(layout, structure, vertices, pairs),
            }
        })
    }

    fn meter(&self, _share: &Self::Share, faces: &[FaceId]) -> Self::Meter {
        let place = |face: &FaceId| self.faces.binary_search(face).ok().map(|it| it as u32);
        faces.iter().filter_map(place).collect()
    }

    fn energy(&self, _share: &Self::Share, meter: &Self::Meter, x: &[Vec3]) -> f64 {
        let energy = |&triangle: &u32| {
            let (triangle, law) = &self.triangles[triangle as usize];
            let corners = triangle.vertices.map(|vertex| x[vertex as usize]);
            let stretches = Stretches::new(triangle, corners).s;
            triangle.area * stretches.map(|s| law.energy(s)).iter().sum::<f64>()
        };
        meter.iter().map(energy).sum()
    }

    fn add(
        &self,
        share: &Self::Share,
        patch: usize,
        inputs: &StepInputs,
        rows: &mut PatchEquations,
    ) {
        for item in share.of(patch) {
            let (triangle, law) = &self.triangles[item.triangle as usize];
            let [x, v] =
                [inputs.x, inputs.v].map(|of| triangle.vertices.map(|vertex| of[vertex as usize]));
            let times = [inputs.h, inputs.ahead_s];
            let Some((rhs, blocks)) = terms(triangle, law, x, v, times) else { continue };
            rows.add_forces(&item.rows, &rhs);
            for (&slot, block) in item.slots.iter().zip(&blocks) {
                rows.add_pair(slot, &block.narrow());
            }
        }
    }
}

/// The principal stretches of a triangle.
struct Stretches {
    s: [f64; 2],
    /// `n_1`, `n_2` and the normal.
    n: [Vec3; 3],
    /// `v_i . g_a` of the corners 1 and 2.
    along: [[f64; 2]; 2],
}

impl Stretches {
    /// Those of `triangle` with corners at `x` (m).
    fn new(triangle: &MembraneTriangle, x: [Vec3; 3]) -> Self {
        let [g1, g2] = triangle.gradients();
        let (d1, d2) = (x[1] - x[0], x[2] - x[0]);
        let [f1, f2] = [d1 * g1.x + d2 * g2.x, d1 * g1.y + d2 * g2.y];
        let (c11, c12, c22) = (f1.dot(&f1), f1.dot(&f2), f2.dot(&f2));
        let (mean, half) = (0.5 * (c11 + c22), 0.5 * (c11 - c22));
        let radius = (half * half + c12 * c12).sqrt();
        // The direction of the larger stretch, without cancellation.
        let v1 = match half >= 0.0 {
            true => Vec2::new(half + radius, c12),
            false => Vec2::new(c12, radius - half),
        };
        let v1 = v1.try_normalize(0.0).unwrap_or(Vec2::x());
        let v2 = Vec2::new(-v1.y, v1.x);
        let s1 = (mean + radius).max(0.0).sqrt();
        let images = [v1, v2].map(|v| f1 * v.x + f2 * v.y);
        let n1 = images[0].try_normalize(0.0).unwrap_or(Vec3::x());
        let across = images[1] - n1 * n1.dot(&images[1]);
        let any = || n1.cross(&Vec3::ith(n1.iamin(), 1.0)).normalize();
        let n2 = across.try_normalize(ALIKE).unwrap_or_else(any);
        Self {
            s: [s1, images[1].norm()],
            n: [n1, n2, n1.cross(&n2)],
            along: [v1, v2].map(|v| [v.dot(&g1), v.dot(&g2)]),
        }
    }
}

/// What the limit adds to the system of a step: the right-hand side of each corner (kg m/s), and the
/// blocks of (0,1), (0,2) and (1,2) (kg). None if the triangle feels no limit now nor at the end.
fn terms(
    triangle: &MembraneTriangle,
    law: &Law,
    x: [Vec3; 3],
    v: [Vec3; 3],
    [h, ahead]: [f64; 2],
) -> Option<([Vec3; 3], [Block; 3])> {
    let Stretches { s, n, along } = Stretches::new(triangle, x);
    let u = [v[1] - v[0], v[2] - v[0]];
    let moved = [0, 1].map(|i| (u[0] * along[i][0] + u[1] * along[i][1]) * ahead);
    let grown = [0, 1].map(|i| n[i].dot(&moved[i]));
    let felt = |i: usize| 1.0 + ONSET * law.limit < s[i].max(s[i] + grown[i]);
    if !felt(0) && !felt(1) {
        return None;
    }
    let t = s.map(|s| law.tension(s));
    let slope = [0, 1].map(|i| law.slope(s[i], grown[i]));
    let k = Hessian::new(s, t, slope, n).blocks(&along);
    let area = triangle.area;
    let quantum = Quantum::new(law.size * (h * h));
    let [k11, k12, k22] = k.map(|k| k * (area * h * h));
    let axis = quantum.round(Block::of(&k12).axis);
    // The blocks of a row sum to zero.
    let blocks = [
        Block { axis, ..Block::of(&-(k11 + k12)) },
        Block { axis: -axis, ..Block::of(&-(k22 + k12)) },
        Block { axis, ..Block::of(&k12) },
    ];
    let force = |a: usize| -(n[0] * (t[0] * along[0][a]) + n[1] * (t[1] * along[1][a])) * area;
    let braked = [k[0] * u[0] + k[1] * u[1], k[1].transpose() * u[0] + k[2] * u[1]];
    let [rhs1, rhs2] = [0, 1].map(|a| force(a) * h - braked[a] * (area * h * ahead));
    Some(([-(rhs1 + rhs2), rhs1, rhs2], blocks))
}

/// The second derivative of the energy per area by F.
struct Hessian {
    /// By changes of stretch 1 and 2 along `n_1` and `n_2`.
    stretch: [Mat3; 2],
    /// Of the part along `v_2` and of that along `v_1`, out of plane and across.
    across: [Mat3; 2],
    /// Of both parts together.
    mixed: Mat3,
}

impl Hessian {
    fn new(s: [f64; 2], t: [f64; 2], slope: [f64; 2], n: [Vec3; 3]) -> Self {
        let [n1, n2, m] = n;
        let apart = s[0] - s[1];
        let flip = if apart > ALIKE { (t[0] - t[1]) / apart } else { slope[0] };
        let twist = (t[0] + t[1]) / (s[0] + s[1]).max(ALIKE);
        let own = 0.5 * (flip + twist);
        let square = |n: Vec3| n * n.transpose();
        let bulge = [0, 1].map(|i| square(m) * (t[i] / s[i].max(ALIKE)));
        Self {
            stretch: [square(n1) * slope[0] + bulge[0], square(n2) * slope[1] + bulge[1]],
            across: [square(n2) * own, square(n1) * own],
            mixed: n2 * n1.transpose() * (0.5 * (flip - twist)),
        }
    }

    /// The blocks of the corners (1,1), (1,2) and (2,2).
    fn blocks(&self, along: &[[f64; 2]; 2]) -> [Mat3; 3] {
        let one = [0, 1].map(|i| self.stretch[i] + self.across[i]);
        [[0, 0], [0, 1], [1, 1]].map(|[a, b]| {
            let product = |i: usize, j: usize| along[i][a] * along[j][b];
            one[0] * product(0, 0)
                + one[1] * product(1, 1)
                + self.mixed * product(0, 1)
                + self.mixed.transpose() * product(1, 0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_core::Mat2;

    const LAW: Law = Law { limit: 0.05, stiffness: 500.0, size: 8000.0 };

    fn triangle() -> MembraneTriangle {
        MembraneTriangle::new([0, 1, 2], Vec2::new(0.03, 0.004), Vec2::new(-0.006, 0.02))
    }

    fn energy(x: [Vec3; 3]) -> f64 {
        let stretches = Stretches::new(&triangle(), x).s;
        triangle().area * stretches.map(|s| LAW.energy(s)).iter().sum::<f64>()
    }

    /// Corners of the triangle that is stretched by `s` along two directions, turned in space.
    fn stretched(s: [f64; 2], angle: f64) -> [Vec3; 3] {
        let turn = nalgebra::Rotation2::new(angle);
        let stretch = turn * Mat2::new(s[0], 0.0, 0.0, s[1]) * turn.inverse();
        let space = nalgebra::Rotation3::from_euler_angles(0.4, -0.9, 2.1);
        [Vec2::zeros(), Vec2::new(0.03, 0.004), Vec2::new(-0.006, 0.02)].map(|corner| {
            let p = stretch * corner;
            space * Vec3::new(p.x, p.y, 0.0)
        })
    }

    fn moved(x: [Vec3; 3], vertex: usize, axis: usize, off: f64) -> [Vec3; 3] {
        let mut x = x;
        x[vertex][axis] += off;
        x
    }

    #[test]
    fn tension_and_slope_follow_from_the_energy() {
        for s in [0.9, 1.03, 1.0405, 1.045, 1.049, 1.0499, 1.06] {
            let step = 1e-7;
            let rate = (LAW.energy(s + step) - LAW.energy(s - step)) / (2.0 * step);
            assert!((rate - LAW.tension(s)).abs() < 1e-5 * (1.0 + rate.abs()), "{s}: {rate}");
        }
        // The tension at the limit is 13 times that of the membrane alone, and rises steeply.
        let at_limit = LAW.tension(1.05) / (LAW.stiffness * LAW.limit);
        assert!((12.0..14.0).contains(&at_limit), "{at_limit}");
    }

    /// With the slope of the tension itself (nothing moves), the blocks are the second derivative and
    /// the right-hand side is the force.
    #[test]
    fn terms_are_derivatives_of_the_energy() {
        let still = [Vec3::zeros(); 3];
        for (s, angle) in [
            ([1.047, 1.0], 0.3),
            ([1.049, 1.0455], 1.1),
            ([1.06, 0.2], -0.7),
            ([1.045, 1.045], 0.0),
        ] {
            let x = stretched(s, angle);
            let (rhs, blocks) = terms(&triangle(), &LAW, x, still, [1.0, 0.0]).unwrap();
            let gradient = |x: [Vec3; 3], vertex: usize| {
                let rate = |axis: usize| {
                    let off = 1e-8;
                    let [more, less] = [off, -off].map(|it| energy(moved(x, vertex, axis, it)));
                    (more - less) / (2.0 * off)
                };
                Vec3::new(rate(0), rate(1), rate(2))
            };
            for (vertex, rhs) in rhs.iter().enumerate() {
                let exact = gradient(x, vertex);
                assert!((rhs + exact).norm() < 1e-5 * exact.norm().max(1e-3), "{s:?}");
            }
            let force = |x: [Vec3; 3]| {
                terms(&triangle(), &LAW, x, still, [1.0, 0.0]).map_or(still, |it| it.0)
            };
            for (block, [a, b]) in blocks.iter().zip([[0, 1], [0, 2], [1, 2]]) {
                let size = block.matrix().norm();
                for axis in 0..3 {
                    let off = 1e-9;
                    let [more, less] = [off, -off].map(|it| force(moved(x, b, axis, it))[a]);
                    let exact = -(more - less) / (2.0 * off);
                    let column = block.matrix().column(axis).into_owned();
                    assert!((column - exact).norm() < 2e-3 * size, "{s:?}: {column} {exact}");
                }
            }
        }
    }

    #[test]
    fn a_triangle_below_the_onset_feels_nothing() {
        let still = [Vec3::zeros(); 3];
        assert!(terms(&triangle(), &LAW, stretched([1.039, 0.5], 0.2), still, [1.0; 2]).is_none());
    }
}
