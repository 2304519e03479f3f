//! Culling of flat regions: finds parts of a cloth that need no test against themselves.
//!
//! In a flat or gently bent cloth the bounds of neighbouring faces always overlap, although no
//! pair of primitives (vertices, edges, faces) comes near. A node of the hierarchy is skipped if
//! the rest shape shows that its primitives cannot come near each other:
//!
//! | symbol | |
//! |---|---|
//! | `u_v` | rest position of vertex `v` in the plane of the rest shape |
//! | `y_v` | any position of `v` on its straight path from `x0_v` to `x1_v` |
//! | `W` | 2x3 with orthonormal rows: projects onto a plane through the region |
//! | `A` | 2x2: the linear part of the region's affine map into that plane |
//! | `r_v = W y_v - A u_v` | residual of `v`; `D` is the diameter of a box around all residuals |
//! | `d` | least rest distance of two primitives in the region without a common vertex |
//!
//! *Claim*: if `s_min(A) d - D >= radius`, no two primitives of the region without a common
//! vertex come within `radius`. Each vertex may be anywhere on its path.
//!
//! *Proof*: let `p` and `q` be points of the two primitives and `lambda` the difference of their
//! weights. Then `W (y(p) - y(q)) = sum lambda_v W y_v = A (u(p) - u(q)) + r(p) - r(q)`. `W`
//! does not lengthen a vector. The residual of a point is a convex combination of residuals of
//! vertices. The residual of a vertex on its path lies between those of the path's ends. So all
//! residuals lie in the box, and `|y(p) - y(q)| >= s_min(A) |u(p) - u(q)| - D`.
//!
//! The claim holds for any `W` and `A`; they are fitted to a few vertices in the middle of
//! their paths. The region need not be connected or convex, and `u` need not be one to one: if
//! it is not, `d` is zero. Motion across the cloth does not weaken the bound.
//!
//! Bending alone is allowed up to about 50 degrees to either side. The method goes back to the
//! criterion of Volino & Magnenat-Thalmann (1994), which looks at normals and at the contour
//! along one direction. Contacts need a bound on the distance, so this module uses one instead.

pub mod rest_shape;

use crate::collision::sweep::Sweep;
use cloth_core::{Mat2, Mat3x2, Vec2, Vec3, VertexId};

/// Fewest faces of a node that is examined. The tests of a smaller node cost less.
const MIN_FACES: usize = 8;

/// Number of vertices to which the affine map is fitted.
const SAMPLES: usize = 12;

/// Bound on the rounding error of a residual, relative to the region's size: about 12
/// operations.
const ROUNDING: f64 = 1e-14;

/// Vertices between two checks of the residuals' box.
const CHUNK: usize = 16;

/// Distances in the rest shape of one cloth.
#[derive(Debug, Clone)]
pub struct Flatness {
    first_vertex: VertexId,
    /// Rest positions in the plane, m, by vertex of this object.
    rest: Vec<Vec2>,
    /// Largest distance of a rest position from the origin of the plane, m.
    extent: f64,
    /// `d` per node, m; at most three quarters of a mean edge.
    distances: Vec<f32>,
    /// Start of each node's vertices in `vertices`; one more than nodes.
    offsets: Vec<u32>,
    /// The vertices below each node of at least [`MIN_FACES`] faces. In their order, the first
    /// few of a node are spread over all of it, however many are taken.
    vertices: Vec<VertexId>,
}

impl Flatness {
    /// True if no two primitives below `node` without a common vertex come within the
    /// radius of `sweep`.
    pub fn rules_out(&self, node: u32, sweep: &Sweep) -> bool {
        let below = self.below(node);
        let Some(map) = self.fit(&below[..below.len().min(SAMPLES)], sweep) else { return false };
        let (least, largest) = map.singular_values();
        let distance = f64::from(self.distances[node as usize]);
        let allowed = least * distance - sweep.radius * (1.0 + 1e-9);
        if allowed.is_nan() || allowed <= 0.0 {
            return false;
        }
        let (mut low, mut high) = (Vec2::repeat(f64::INFINITY), Vec2::repeat(f64::NEG_INFINITY));
        let mut size = 2.0 * largest * self.extent;
        below.chunks(CHUNK).all(|chunk| {
            for &vertex in chunk {
                for x in [sweep.x0, sweep.x1] {
                    let y = x[vertex as usize] - map.origin;
                    let residual = map.residual(&y, self.rest(vertex));
                    (low, high) = (low.inf(&residual), high.sup(&residual));
                    size = size.max(y.amax());
                }
            }
            (high - low).norm() + ROUNDING * size <= allowed
        })
    }

    /// The vertices below `node`; none if it has too few faces.
    fn below(&self, node: u32) -> &[VertexId] {
        let node = node as usize;
        &self.vertices[self.offsets[node] as usize..self.offsets[node + 1] as usize]
    }

    fn rest(&self, vertex: VertexId) -> &Vec2 {
        &self.rest[(vertex - self.first_vertex) as usize]
    }

    /// Least-squares fit to the middles of the paths of `vertices`. None if they lie on one
    /// line at rest.
    fn fit(&self, vertices: &[VertexId], sweep: &Sweep) -> Option<Affine> {
        let middle = |vertex: usize| (sweep.x0[vertex] + sweep.x1[vertex]) * 0.5;
        let share = 1.0 / vertices.len() as f64;
        let rest = vertices.iter().map(|&v| self.rest(v)).sum::<Vec2>() * share;
        let origin = vertices.iter().map(|&v| middle(v as usize)).sum::<Vec3>() * share;
        let (mut moments, mut mixed) = (Mat2::zeros(), Mat3x2::zeros());
        for &vertex in vertices {
            let from_mean = (self.rest(vertex) - rest).transpose();
            moments += from_mean.transpose() * from_mean;
            mixed += (middle(vertex as usize) - origin) * from_mean;
        }
        Some(Affine::new(origin, rest, mixed * moments.try_inverse()?))
    }
}

/// `W` and `A` (upper triangular) of the table above.
struct Affine {
    origin: Vec3,
    rest: Vec2,
    rows: [Vec3; 2],
    matrix: [f64; 3],
}

impl Affine {
    /// Computed from the `gradient` of the positions by the method of Gram and Schmidt.
    fn new(origin: Vec3, rest: Vec2, gradient: Mat3x2) -> Self {
        let (g1, g2) = (gradient.column(0), gradient.column(1));
        let a = g1.norm();
        let first: Vec3 = g1 / a;
        let b = first.dot(&g2);
        let across = g2 - first * b;
        let c = across.norm();
        Self { origin, rest, rows: [first, across / c], matrix: [a, b, c] }
    }

    /// `r_v` of a vertex at `y` (relative to the origin, m) with the rest position `rest` (m).
    #[inline]
    fn residual(&self, y: &Vec3, rest: &Vec2) -> Vec2 {
        let u = rest - self.rest;
        let [a, b, c] = self.matrix;
        Vec2::new(self.rows[0].dot(y) - (a * u.x + b * u.y), self.rows[1].dot(y) - c * u.y)
    }

    /// The singular values of `A`, the smaller one first.
    fn singular_values(&self) -> (f64, f64) {
        let [a, b, c] = self.matrix;
        let (trace, determinant) = (a * a + b * b + c * c, a * c);
        let difference = (trace * trace - 4.0 * determinant * determinant).max(0.0).sqrt();
        let largest = (0.5 * (trace + difference)).sqrt();
        (determinant / largest, largest)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::collision::ccd::time_of_impact;
    use crate::collision::flatness::rest_shape::with_culling;
    use crate::collision::narrow::closest;
    use crate::collision::pair::Pair;
    use crate::collision::search::CandidateFinder;
    use crate::collision::surface::{Moves, Surface, Surfaces};
    use cloth_core::Threads;
    use cloth_core::math::rotation;
    use cloth_core::mesh::Topology;

    /// Vertices along a side of the sheet, 0.1 m apart.
    const SIDE: u32 = 11;

    /// A sheet with slanted cells, cut into four patches; with a hole it is a frame.
    fn sheet(hole: bool, slant: f64, culling: bool) -> (Surfaces, Vec<Vec3>) {
        let at = |v: u32| [f64::from(v % SIDE), f64::from(v / SIDE)];
        let rest: Vec<Vec3> = (0..SIDE * SIDE)
            .map(at)
            .map(|[i, j]| Vec3::new(i + slant * j, 0.0, j + slant * (2.0 * i).sin()) * 0.1)
            .collect();
        let inside = |v: u32| at(v).iter().all(|i| (3.0..7.0).contains(i));
        let corners = (0..SIDE * (SIDE - 1)).filter(|v| v % SIDE + 1 < SIDE);
        let corners = corners.filter(|&v| !(hole && inside(v)));
        let faces = corners.flat_map(|v| [[v, v + SIDE, v + 1], [v + 1, v + SIDE, v + SIDE + 1]]);
        let faces: Vec<[u32; 3]> = faces.collect();
        let patch_of: Vec<u32> =
            (0..SIDE * SIDE).map(|v| v % SIDE / 6 + 2 * (v / SIDE / 6)).collect();
        let topology = Topology::new(&faces).unwrap();
        let surface =
            Surface::new(0, &faces, &topology, &rest, Some((&patch_of, 4)), Moves::Deforms);
        let surface = if culling { with_culling(surface, &rest) } else { surface };
        (Surfaces::new(vec![surface]), rest)
    }

    /// The sheet rolled up along x. Each third has its own curvature (1/m).
    fn rolled(rest: &[Vec3], curvatures: [f64; 3]) -> Vec<Vec3> {
        const STEPS: usize = 600;
        let (mut angle, mut at, mut curve) = (0.0_f64, Vec3::zeros(), Vec::new());
        let step = 2.0 / STEPS as f64;
        for i in 0..=STEPS {
            curve.push(at);
            at += Vec3::new(angle.cos(), angle.sin(), 0.0) * step;
            angle += curvatures[(i * 5 / STEPS).min(2)] * step;
        }
        let place = |x: &Vec3| curve[(x.x / step) as usize] + Vec3::z() * x.z;
        rest.iter().map(place).collect()
    }

    fn candidates(surfaces: &Surfaces, sweep: &Sweep) -> (u64, Vec<Pair>) {
        let mut finder = CandidateFinder::new(surfaces);
        finder.refit(&Threads::INLINE, surfaces, sweep);
        let (counters, pairs) = finder.share(surfaces, sweep, &[0, 1, 2, 3]);
        (counters.tests, pairs)
    }

    fn vector() -> impl Strategy<Value = Vec3> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(Vec3::from)
    }

    /// Curvatures from flat to a tight roll: hairpins, spirals, waves.
    fn curvatures() -> impl Strategy<Value = [f64; 3]> {
        let curvature = || prop_oneof![Just(0.0), -3.0..3.0, -30.0..30.0];
        [curvature(), curvature(), curvature()]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        /// No pair that culling skips comes near. Each vertex may be anywhere on its path. The set
        /// of collisions is the same.
        #[test]
        fn a_skipped_pair_is_never_near(
            (hole, slant) in (any::<bool>(), prop_oneof![Just(0.0), -0.4..0.4]),
            (from, to) in (curvatures(), curvatures()),
            unrolls: bool,
            (turn, moved, stretch) in (vector(), vector(), 0.3..1.5),
            speed in prop_oneof![Just(0.0), Just(0.03), Just(0.5)],
            (noise, roughness) in (
                prop::collection::vec((vector(), vector()), (SIDE * SIDE) as usize),
                prop_oneof![Just(0.0), Just(0.01), Just(0.05)],
            ),
            radius in prop_oneof![Just(1e-4), 0.001..0.05],
            places in prop::collection::vec([0.0..=1.0, 0.0..=1.0, 0.0..=1.0, 0.0..=1.0], 8),
        ) {
            let (plain, rest) = sheet(hole, slant, false);
            let (culled, _) = sheet(hole, slant, true);
            let turned = rotation(turn, 180.0 * turn.norm()) * stretch;
            let to = if unrolls { to } else { from };
            let rough = |x: Vec<Vec3>, side: fn(&(Vec3, Vec3)) -> Vec3| -> Vec<Vec3> {
                x.iter().zip(&noise).map(|(x, noise)| turned * x + side(noise) * roughness).collect()
            };
            let x0 = rough(rolled(&rest, from), |noise| noise.0);
            let mut x1 = rough(rolled(&rest, to), |noise| noise.1);
            x1.iter_mut().for_each(|x| *x += moved * speed);
            let sweep = Sweep { x0: &x0, x1: &x1, radius, radii: Default::default() };

            let ((tests, all), (fewer, kept)) = (candidates(&plain, &sweep), candidates(&culled, &sweep));
            prop_assert!(fewer <= tests);
            let skipped: Vec<Pair> =
                all.iter().filter(|pair| kept.binary_search(pair).is_err()).copied().collect();
            prop_assert_eq!(kept.len() + skipped.len(), all.len());
            for pair in &skipped {
                let (start, end) = (pair.gather(&x0), pair.gather(&x1));
                for at in &places {
                    let x = std::array::from_fn(|a| start[a].lerp(&end[a], at[a]));
                    prop_assert!(closest(pair.kind(), x).distance >= radius, "{pair:?}");
                }
                let distance = 0.99 * radius;
                prop_assert!(time_of_impact(pair.kind(), &start, &end, 0.25 * distance).is_none());
                prop_assert!(closest(pair.kind(), start).distance >= distance);
            }
        }
    }

    #[test]
    fn a_sheet_that_falls_flat_or_bent_costs_one_test() {
        let (surfaces, rest) = sheet(false, 0.0, true);
        let nodes = surfaces.list[0].hierarchy.nodes().len() as u64;
        for (curvature, tests) in [(0.0, 1..2), (0.3, 1..2), (30.0, nodes..u64::MAX)] {
            let x0 = rolled(&rest, [curvature; 3]);
            let x1: Vec<Vec3> = x0.iter().map(|x| x - Vec3::y() * 0.4).collect();
            let found = candidates(
                &surfaces,
                &Sweep { x0: &x0, x1: &x1, radius: 0.01, radii: Default::default() },
            );
            assert!(tests.contains(&found.0), "{curvature}: {} tests", found.0);
        }
    }

    #[test]
    fn rest_distances_are_those_of_all_pairs() {
        let (surfaces, rest) = sheet(true, 0.3, true);
        let flatness = surfaces.list[0].flatness.as_ref().unwrap();
        let faces = &surfaces.list[0].faces;
        let vertex_face = (0..SIDE * SIDE)
            .filter(|v| faces.iter().flatten().any(|w| w == v))
            .flat_map(|vertex| faces.iter().map(move |&face| Pair::vertex_face(vertex, face)));
        let edges = || faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let edge_edge =
            edges().flat_map(|edge| edges().map(move |other| Pair::edge_edge(edge, other)));
        let apart = vertex_face.chain(edge_edge).filter(|pair| !pair.shares_a_vertex());
        let distance = |pair: Pair| closest(pair.kind(), pair.gather(&rest)).distance;
        let least = apart.map(distance).fold(f64::INFINITY, f64::min);
        let found = f64::from(flatness.distances[0]);
        assert!(found <= least && found > 0.999 * least, "{found} {least}");
    }
}
