//! Screening: removes elementary pairs whose bounds overlap but whose sides stay apart.
//!
//! Bounds use nine fixed axes. Most pairs with overlapping bounds are further apart than the
//! radius, and one direction computed from the pair itself shows it.
//!
//! The test makes no assumption about the speed of a vertex: at any time it may be anywhere on
//! the straight path between its start and its end. Along a direction, the ends of the vertices'
//! paths therefore bound everything that a side sweeps. A pair that is removed stays outside the
//! radius even if contacts or the fail-safe slow down some of its vertices.

use crate::collision::narrow::closest;
use crate::collision::pair::{Pair, PairKind};
use crate::collision::sweep::Sweep;
use crate::math::Vec3;

/// Bound on the rounding error of a gap, relative to the coordinates: about 12 operations.
const ROUNDING: f64 = 1e-14;

/// False only if the volumes that the two sides of `pair` sweep are at least the radius of
/// `sweep` apart.
///
/// Tries three directions, all from the positions in the middle of the motion: the normal of
/// the face or of both edges, the line between the sides' centres, and the line between their
/// closest points. The answer depends on the four vertices alone.
pub fn may_come_near(pair: &Pair, sweep: &Sweep) -> bool {
    let paths = VertexPaths::new(pair, sweep);
    let middle: [Vec3; 4] = std::array::from_fn(|a| 0.5 * (paths.start[a] + paths.end[a]));
    let [a, b, c, d] = middle;
    let (normal, offset) = match pair.kind() {
        PairKind::VertexFace => ((c - b).cross(&(d - b)), 3.0 * a - (b + c + d)),
        PairKind::EdgeEdge => ((b - a).cross(&(d - c)), (a + b) - (c + d)),
    };
    !paths.are_apart_along(&normal)
        && !paths.are_apart_along(&offset)
        && !paths.are_apart_along(&closest(pair.kind(), middle).normal)
}

/// Both ends of the paths of a pair's vertices, relative to the last vertex's start (m).
struct VertexPaths {
    start: [Vec3; 4],
    end: [Vec3; 4],
    first_side: usize,
    /// The gap must exceed this, m.
    distance: f64,
}

impl VertexPaths {
    fn new(pair: &Pair, sweep: &Sweep) -> Self {
        let (start, end) = (pair.gather(sweep.x0), pair.gather(sweep.x1));
        let origin = start[3];
        // A sum carries a NaN on; a maximum would drop it.
        let size: f64 = start.iter().chain(&end).map(|x| x.abs().sum()).sum();
        Self {
            start: start.map(|x| x - origin),
            end: end.map(|x| x - origin),
            first_side: pair.first_side(),
            distance: sweep.radius * (1.0 + 1e-9) + ROUNDING * size,
        }
    }

    /// True if `direction`, of any length, separates the sides. False if it is zero or NaN.
    #[inline]
    fn are_apart_along(&self, direction: &Vec3) -> bool {
        let from = self.start.map(|x| direction.dot(&x));
        let to = self.end.map(|x| direction.dot(&x));
        let low: [f64; 4] = std::array::from_fn(|a| from[a].min(to[a]));
        let high: [f64; 4] = std::array::from_fn(|a| from[a].max(to[a]));
        let lowest = |of: &[f64]| of.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = |of: &[f64]| of.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let n = self.first_side;
        let gap =
            (lowest(&low[..n]) - highest(&high[n..])).max(lowest(&low[n..]) - highest(&high[..n]));
        gap > 0.0 && gap * gap > self.distance * self.distance * direction.norm_squared()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pair(edges: bool) -> Pair {
        if edges { Pair::edge_edge([0, 1], [2, 3]) } else { Pair::vertex_face(0, [1, 2, 3]) }
    }

    fn points(size: f64) -> impl Strategy<Value = Vec<Vec3>> {
        let point = [-1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(Vec3::from);
        prop::collection::vec(point.prop_map(move |x| x * size), 4)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        /// A removed pair stays outside the radius. Each vertex may be anywhere on its path.
        #[test]
        fn a_removed_pair_never_comes_near(
            (edges, x0, way) in (any::<bool>(), points(1.0), points(0.5)),
            (speed, flat) in (prop_oneof![Just(0.0), Just(1e-3), Just(1.0)], prop_oneof![Just(1.0), Just(1e-2), Just(0.0)]),
            radius in prop_oneof![Just(1e-9), 0.01..0.5],
            paces in prop::collection::vec([0.0..=1.0, 0.0..=1.0, 0.0..=1.0, 0.0..=1.0], 16),
            far in prop_oneof![Just(0.0), Just(1e3)],
        ) {
            let place = |x: &Vec3| Vec3::new(x.x + far, x.y * flat, x.z - far);
            let x0: Vec<Vec3> = x0.iter().map(place).collect();
            let x1: Vec<Vec3> = x0.iter().zip(&way).map(|(x, way)| x + way * speed).collect();
            let pair = pair(edges);
            if may_come_near(&pair, &Sweep { x0: &x0, x1: &x1, radius }) {
                return Ok(());
            }
            for pace in paces {
                let x = std::array::from_fn(|a| x0[a].lerp(&x1[a], pace[a]));
                prop_assert!(closest(pair.kind(), x).distance >= radius);
            }
        }
    }

    #[test]
    fn a_slanted_layer_is_removed_at_the_radius_and_kept_below() {
        let up = Vec3::new(1.0, 1.0, 1.0).normalize();
        let (u, v) = (Vec3::new(1.0, -1.0, 0.0), Vec3::new(0.0, 1.0, -1.0));
        for (height, kept) in [(0.0101, false), (0.0099, true)] {
            let lifted = (u + v) * 0.3 + up * height;
            let face = [lifted, Vec3::zeros(), u, v];
            let edges = [lifted - u, lifted + u, Vec3::zeros(), u + v];
            for (is_edge, x) in [(false, face), (true, edges)] {
                let sweep = Sweep { x0: &x, x1: &x, radius: 0.01 };
                assert_eq!(may_come_near(&pair(is_edge), &sweep), kept);
            }
        }
    }

    #[test]
    fn a_pair_with_nan_is_kept() {
        let x = [Vec3::repeat(f64::NAN), Vec3::zeros(), Vec3::x(), Vec3::y()];
        assert!(may_come_near(&pair(false), &Sweep { x0: &x, x1: &x, radius: 0.01 }));
    }
}
