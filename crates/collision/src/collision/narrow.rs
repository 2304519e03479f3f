//! Closest points of an elementary pair.
//!
//! Both cases minimise a convex quadratic over a convex set. The minimum is the interior
//! solution if that is feasible, else the best point on the boundary: three edges for a face,
//! four (end, edge) pairs for two edges. Degenerate and parallel input has no interior solution
//! and needs no case of its own. A tie goes to the candidate that comes first in the order of
//! the vertices.

use crate::collision::pair::PairKind;
use cloth_core::Vec3;

/// Two directions with a squared sine below this count as parallel: the direction of their
/// cross product is wrong by more than 1e-8.
const PARALLEL: f64 = 1e-16;

/// Below this distance, in longest edges, the offset has no usable direction.
const TOUCHING: f64 = 1e-12;

/// The closest points of the two sides of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// Their distance (m).
    pub distance: f64,
    /// `sum w_a x_a` leads from the second side's point to the first's; the first
    /// side's weights sum to 1, the second's to -1.
    pub weights: [f64; 4],
    /// Unit vector from the second side to the first. If they touch, it is the face's normal
    /// or the edges' cross product, and the order of the vertices gives its sign.
    pub normal: Vec3,
    /// The vertices that the points depend on.
    pub feature: Feature,
}

/// The set of a pair's vertices that carry weight in its closest points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Feature(u8);

impl Feature {
    /// The vertices whose weight is not zero.
    pub fn of(weights: &[f64; 4]) -> Self {
        Self((0..4).filter(|&a| weights[a] != 0.0).map(|a| 1 << a).sum())
    }

    /// True if vertex `a` (0 to 3) of the pair carries weight.
    pub fn contains(self, a: usize) -> bool {
        self.0 >> a & 1 == 1
    }

    /// True if the points are interior to both sides.
    pub fn is_interior(self) -> bool {
        self.0 == 0b1111
    }

    /// The corner of the face at which the closest point lies, if it lies at one (an index
    /// into the pair, 1 to 3). For vertex-face pairs.
    pub fn corner(self) -> Option<usize> {
        let face = self.0 & 0b1110;
        (face.count_ones() == 1).then_some(face.trailing_zeros() as usize)
    }
}

/// Number of vertices on the first side.
pub fn first_side(kind: PairKind) -> usize {
    match kind {
        PairKind::VertexFace => 1,
        PairKind::EdgeEdge => 2,
    }
}

/// Closest points of the pair whose vertices, in the pair's order, are at `x` (m).
pub fn closest(kind: PairKind, x: [Vec3; 4]) -> Closest {
    match kind {
        PairKind::VertexFace => vertex_face(x),
        PairKind::EdgeEdge => edge_edge(x),
    }
}

/// Vertex `x[0]` and face `x[1..4]`.
fn vertex_face(x: [Vec3; 4]) -> Closest {
    // Relative to the vertex.
    let [a, b, c] = [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
    let edges = [b - a, c - a, c - b];
    let longest = longest(&edges);
    let normal = edges[0].cross(&edges[1]);
    let flat = normal.norm_squared() <= PARALLEL * longest.norm_squared().powi(2);
    if !flat {
        let areas = [normal.dot(&b.cross(&c)), normal.dot(&c.cross(&a)), normal.dot(&a.cross(&b))];
        if areas.iter().all(|&area| area > 0.0) {
            let [u, v, w] = areas.map(|area| -area / (areas[0] + areas[1] + areas[2]));
            return along(normal, -normal.dot(&a), [1.0, u, v, w]);
        }
    }
    let on_edge = |a: Vec3, b: Vec3| on_segment(Vec3::zeros(), a, b);
    let (edge, best) = nearest([on_edge(a, b), on_edge(a, c), on_edge(b, c)]);
    let [s, t] = best.parts;
    let weights = match edge {
        0 => [1.0, -s, -t, 0.0],
        1 => [1.0, -s, 0.0, -t],
        _ => [1.0, 0.0, -s, -t],
    };
    best.closest(weights, longest, if flat { perpendicular(longest) } else { normal })
}

/// Edges `x[0..2]` and `x[2..4]`.
fn edge_edge(x: [Vec3; 4]) -> Closest {
    let (first, second) = (x[1] - x[0], x[3] - x[2]);
    let between = x[0] - x[2];
    let longest = longest(&[first, second]);
    let normal = first.cross(&second);
    let squared = normal.norm_squared();
    let parallel = squared <= PARALLEL * first.norm_squared() * second.norm_squared();
    if !parallel {
        let s = -normal.dot(&between.cross(&second)) / squared;
        let t = -normal.dot(&between.cross(&first)) / squared;
        if 0.0 < s && s < 1.0 && 0.0 < t && t < 1.0 {
            return along(normal, normal.dot(&between), [1.0 - s, s, t - 1.0, -t]);
        }
    }
    // Relative to x[2], so that large coordinates do not blur the distances.
    let [a, b, c, d] = [between, x[1] - x[2], Vec3::zeros(), second];
    let (end, best) = nearest([
        on_segment(a, c, d),
        on_segment(b, c, d),
        on_segment(c, a, b).flipped(),
        on_segment(d, a, b).flipped(),
    ]);
    let [s, t] = best.parts;
    let weights = match end {
        0 => [1.0, 0.0, -s, -t],
        1 => [0.0, 1.0, -s, -t],
        2 => [s, t, -1.0, 0.0],
        _ => [s, t, 0.0, -1.0],
    };
    best.closest(weights, longest, if parallel { perpendicular(longest) } else { normal })
}

/// Interior closest points. Their offset is parallel to `normal`, and `height` gives its sign
/// (0 counts as positive).
fn along(normal: Vec3, height: f64, weights: [f64; 4]) -> Closest {
    let unit = normal / normal.norm();
    Closest {
        distance: height.abs() / normal.norm(),
        weights,
        normal: if height < 0.0 { -unit } else { unit },
        feature: Feature::of(&weights),
    }
}

/// A candidate on the boundary: a point and the nearest point of a segment.
#[derive(Clone, Copy)]
struct Boundary {
    /// The weights of the ends of the segment. They sum to 1.
    parts: [f64; 2],
    /// From the point of the second side to that of the first, m.
    offset: Vec3,
}

/// Closest point of segment `a`, `b` to `point`, which is on the first side.
fn on_segment(point: Vec3, a: Vec3, b: Vec3) -> Boundary {
    let edge = b - a;
    let squared = edge.norm_squared();
    let t = if squared > 0.0 { ((point - a).dot(&edge) / squared).clamp(0.0, 1.0) } else { 0.0 };
    Boundary { parts: [1.0 - t, t], offset: point - (a * (1.0 - t) + b * t) }
}

impl Boundary {
    /// The boundary if the point is on the second side.
    fn flipped(self) -> Self {
        Self { offset: -self.offset, ..self }
    }

    /// The pair's closest points with these weights. If they touch, `instead` gives the direction.
    fn closest(self, weights: [f64; 4], longest: Vec3, instead: Vec3) -> Closest {
        let distance = self.offset.norm();
        let normal = if distance > TOUCHING * longest.norm() {
            self.offset / distance
        } else {
            instead.normalize() * if instead.dot(&self.offset) < 0.0 { -1.0 } else { 1.0 }
        };
        // Adding zero turns a weight of -0 into 0.
        let weights = weights.map(|w| w + 0.0);
        Closest { distance, weights, normal, feature: Feature::of(&weights) }
    }
}

/// The first of the nearest candidates, and its place.
fn nearest<const N: usize>(candidates: [Boundary; N]) -> (usize, Boundary) {
    let (mut place, mut least) = (0, f64::INFINITY);
    for (at, candidate) in candidates.iter().enumerate() {
        let squared = candidate.offset.norm_squared();
        if squared < least {
            (place, least) = (at, squared);
        }
    }
    (place, candidates[place])
}

/// The first of the longest edges.
fn longest(edges: &[Vec3]) -> Vec3 {
    edges.iter().fold(Vec3::zeros(), |best, edge| {
        if edge.norm_squared() > best.norm_squared() { *edge } else { best }
    })
}

/// Some vector perpendicular to `edge`: its cross product with the axis along which it is
/// shortest. For an edge without length, y.
fn perpendicular(edge: Vec3) -> Vec3 {
    if edge == Vec3::zeros() {
        return Vec3::y();
    }
    edge.cross(&Vec3::ith(edge.iamin(), 1.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn point() -> impl Strategy<Value = Vec3> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0f64].prop_map(Vec3::from)
    }

    /// Points whose coordinates are small integers: coplanar, parallel and
    /// collapsed pairs are common.
    fn lattice() -> impl Strategy<Value = Vec3> {
        [0..3, 0..3, 0..3i32].prop_map(|p| Vec3::from(p.map(f64::from)))
    }

    fn pair() -> impl Strategy<Value = [Vec3; 4]> {
        prop_oneof![
            [point(), point(), point(), point()],
            [lattice(), lattice(), lattice(), lattice()]
        ]
    }

    fn offset(weights: &[f64; 4], x: &[Vec3; 4]) -> Vec3 {
        (0..4).map(|a| weights[a] * x[a]).sum()
    }

    /// Least distance over a grid of `n` steps on each parameter.
    fn sampled(kind: PairKind, x: &[Vec3; 4], n: u32) -> f64 {
        let mut least = f64::INFINITY;
        for i in 0..=n {
            for j in 0..=n {
                let (s, t) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
                let weights = match kind {
                    PairKind::VertexFace => [1.0, -s * (1.0 - t), -s * t, s - 1.0],
                    PairKind::EdgeEdge => [1.0 - s, s, t - 1.0, -t],
                };
                least = offset(&weights, x).norm().min(least);
            }
        }
        least
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn no_sampled_points_are_closer_and_some_are_as_close(x in pair(), edges: bool) {
            let kind = if edges { PairKind::EdgeEdge } else { PairKind::VertexFace };
            let found = closest(kind, x);
            let sampled = sampled(kind, &x, 40);
            prop_assert!(found.distance <= sampled + 1e-12);
            prop_assert!(found.distance >= sampled - 0.15);

            let (first, second) = found.weights.split_at(first_side(kind));
            prop_assert!((first.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            prop_assert!((second.iter().sum::<f64>() + 1.0).abs() < 1e-14);
            prop_assert!(first.iter().all(|&w| w >= 0.0) && second.iter().all(|&w| w <= 0.0));
            prop_assert!((found.normal.norm() - 1.0).abs() < 1e-14);
            let expected = found.distance * found.normal;
            prop_assert!((offset(&found.weights, &x) - expected).norm() < 1e-11);
        }

        #[test]
        fn a_pair_has_the_same_answer_far_from_the_origin(x in [lattice(), lattice(), lattice(), lattice()], edges: bool) {
            let kind = if edges { PairKind::EdgeEdge } else { PairKind::VertexFace };
            let moved = x.map(|p| p + Vec3::new(64.0, -1024.0, 4096.0));
            prop_assert_eq!(closest(kind, x), closest(kind, moved));
        }
    }

    #[test]
    fn each_feature_of_a_face_is_named() {
        let [b, c, d] = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let at = |x, y| closest(PairKind::VertexFace, [Vec3::new(x, y, 0.5), b, c, d]);
        assert!(at(0.2, 0.3).feature.is_interior());
        assert!(
            (Vec3::from_column_slice(&at(0.2, 0.3).weights[1..]) + Vec3::new(0.5, 0.2, 0.3)).norm()
                < 1e-15
        );
        assert_eq!(at(0.5, -1.0).weights, [1.0, -0.5, -0.5, 0.0]);
        assert_eq!(at(0.5, -1.0).feature.corner(), None);
        assert_eq!(at(3.0, 0.0).feature.corner(), Some(2));
        assert_eq!(at(-1.0, -1.0).feature.corner(), Some(1));
    }

    #[test]
    fn touching_pairs_have_a_normal_by_rule() {
        let face = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        for touch in [Vec3::new(0.2, 0.2, 0.0), Vec3::new(0.5, 0.0, 0.0), Vec3::x()] {
            let found = closest(PairKind::VertexFace, [touch, face[0], face[1], face[2]]);
            assert_eq!((found.distance, found.normal), (0.0, Vec3::z()));
        }
        let crossing = closest(PairKind::EdgeEdge, [-Vec3::x(), Vec3::x(), -Vec3::y(), Vec3::y()]);
        assert_eq!((crossing.distance, crossing.normal), (0.0, Vec3::z()));
        let collapsed = closest(PairKind::EdgeEdge, [Vec3::x(); 4]);
        assert_eq!((collapsed.distance, collapsed.normal), (0.0, Vec3::y()));
    }

    #[test]
    fn parallel_edges_meet_at_an_end() {
        let above = Vec3::new(0.5, 0.1, 0.0);
        let x = [above, above + Vec3::x(), Vec3::zeros(), Vec3::x()];
        let found = closest(PairKind::EdgeEdge, x);
        assert!(!found.feature.is_interior());
        assert!((found.distance - 0.1).abs() < 1e-15);
        assert!((found.normal - Vec3::y()).norm() < 1e-15);
    }
}
