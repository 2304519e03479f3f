//! Directions that keep the two sides of a pair apart during a linear motion.

use crate::contact::fail_safe::GRAIN;
use cloth_collision::collision::PairKind;
use cloth_collision::collision::ccd::{swept_gap, time_of_round_impact};
use cloth_collision::collision::narrow::{closest, first_side};
use cloth_core::Vec3;

/// Gap along the vector `n` between the sides of a pair at `x` (m, in lengths of `n`): how far
/// its first `first_side` vertices lie beyond all others. Along a unit vector it never exceeds
/// the distance; along the normal of the closest points it equals the distance. If a value is
/// NaN, the gap is minus infinity.
pub(super) fn gap(n: &Vec3, x: &[Vec3; 4], first_side: usize) -> f64 {
    // Relative to one vertex, so that large coordinates do not blur the gap.
    let heights: [f64; 4] = std::array::from_fn(|a| n.dot(&(x[a] - x[3])));
    if heights.iter().any(|height| height.is_nan()) {
        return f64::NEG_INFINITY;
    }
    let (first, second) = heights.split_at(first_side);
    let lowest = first.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = second.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    lowest - highest
}

/// Unit normal of the closest points, from the second side to the first.
///
/// Between interior points it is a cross product. For nearly parallel edges its direction is
/// wrong by up to 1e-8, which over an edge of 1 cm makes up to 1e-5 of `delta`. So it is made
/// perpendicular to the edges once more.
pub(super) fn normal(kind: PairKind, x: &[Vec3; 4]) -> Vec3 {
    let at = closest(kind, *x);
    if !at.feature.is_interior() {
        return at.normal;
    }
    let edges = match kind {
        PairKind::VertexFace => [x[2] - x[1], x[3] - x[1]],
        PairKind::EdgeEdge => [x[1] - x[0], x[3] - x[2]],
    };
    let upright = edges.iter().fold(at.normal, |n, e| n - e * (n.dot(e) / e.norm_squared()));
    upright.normalize()
}

/// True if the closest points of the pair at `x` lie inside both of its sides.
pub(super) fn meets_inside(kind: PairKind, x: &[Vec3; 4]) -> bool {
    closest(kind, *x).feature.is_interior()
}

/// The gap (m) that a pair must keep along its normal `n`: `delta_m`, or its gap at the start
/// `x0` if that is less. `radius_m` (m) is the sum of the radii of its sides.
pub(super) fn keep(
    n: &Vec3,
    x0: &[Vec3; 4],
    first_side: usize,
    [radius_m, delta_m]: [f64; 2],
) -> f64 {
    (gap(n, x0, first_side) - radius_m).clamp(0.0, delta_m)
}

/// Fraction of `delta` by which rounding may seem to bring a pair nearer whose sides move
/// together.
const ROUNDING: f64 = 1e-9;

/// False if the pair keeps its distance on the way from `x0` to `x1` (m). In most cases one
/// direction shows it: a coordinate axis, the line between the sides' centres, the pair's normal
/// at the start and at the end, or the mean of both normals. The first two are cheap and settle
/// four of five pairs. For a pair that turns, perhaps no direction separates it at both ends. Then
/// the continuous test decides.
///
/// A gap of `delta` less one grain is enough. A plane holds a pair at `delta`, and slides end
/// one grain beyond it, so rounding does not open pairs that then move together.
///
/// `radius_m` (m) is the sum of the radii of both sides.
pub(super) fn is_open(
    kind: PairKind,
    x0: &[Vec3; 4],
    x1: &[Vec3; 4],
    [radius_m, delta_m]: [f64; 2],
) -> bool {
    let (side, apart_m) = (first_side(kind), radius_m + delta_m);
    if swept_gap(kind, x0, x1) >= apart_m || centres_apart(x0, x1, side, apart_m) {
        return false;
    }
    let at_start = normal(kind, x0);
    let gap = |n: &Vec3, x: &[Vec3; 4]| gap(n, x, side) - radius_m;
    let enough = (delta_m * (1.0 - GRAIN)).min(gap(&at_start, x0) - ROUNDING * delta_m);
    if gap(&at_start, x1) >= enough {
        return false;
    }
    let separates = |n: &Vec3| gap(n, x0) >= enough && gap(n, x1) >= enough;
    let at_end = normal(kind, x1);
    // If a vertex passes straight through a face, both normals cancel.
    let mean = (at_start + at_end).try_normalize(1e-3);
    !separates(&at_end)
        && !mean.is_some_and(|mean| separates(&mean))
        && time_of_round_impact(kind, x0, x1, radius_m, enough).is_some()
}

/// True if the direction between the centres of both sides at the start separates them.
fn centres_apart(x0: &[Vec3; 4], x1: &[Vec3; 4], side: usize, delta_m: f64) -> bool {
    let sum = |of: &[Vec3]| of.iter().fold(Vec3::zeros(), |sum, x| sum + x);
    let centre = |of: &[Vec3]| sum(of) / of.len() as f64;
    let n = centre(&x0[..side]) - centre(&x0[side..]);
    let least = gap(&n, x0, side).min(gap(&n, x1, side));
    least > 0.0 && least * least >= delta_m * delta_m * n.norm_squared()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn point() -> impl Strategy<Value = Vec3> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0f64].prop_map(Vec3::from)
    }

    fn points() -> impl Strategy<Value = [Vec3; 4]> {
        [point(), point(), point(), point()]
    }

    fn kind() -> impl Strategy<Value = PairKind> {
        prop_oneof![Just(PairKind::VertexFace), Just(PairKind::EdgeEdge)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn the_gap_along_the_normal_is_the_distance(kind in kind(), x in points()) {
            let n = normal(kind, &x);
            prop_assert!((gap(&n, &x, first_side(kind)) - closest(kind, x).distance).abs() < 1e-13);
        }

        #[test]
        fn nearly_parallel_edges_have_an_exact_normal_too(
            angle in prop_oneof![Just(1e-3), Just(1e-6), Just(3e-8), Just(1e-9)],
            at in 0.1..0.9f64,
            turn in point(),
        ) {
            // Edges of 1 cm that cross at `at`, 1e-5 m apart, anywhere in space.
            let along = turn.normalize();
            let across = along.cross(&Vec3::ith(along.iamin(), 1.0)).normalize();
            let up = across.cross(&along);
            let second = |t: f64| (t - at) * 0.01 * (along + angle * across) - 1e-5 * up;
            let x = [-at * 0.01 * along, (1.0 - at) * 0.01 * along, second(0.0), second(1.0)];
            let n = normal(PairKind::EdgeEdge, &x);
            prop_assert!((gap(&n, &x, 2) - 1e-5).abs() < 1e-13, "{}", gap(&n, &x, 2));
        }

        #[test]
        fn a_pair_that_is_not_open_stays_apart(kind in kind(), x0 in points(), x1 in points()) {
            let at = |t: f64| closest(kind, std::array::from_fn(|a| x0[a].lerp(&x1[a], t))).distance;
            let delta_m = 0.05_f64;
            if !is_open(kind, &x0, &x1, [0.0, delta_m]) {
                let least = (0..=100).map(|i| at(f64::from(i) / 100.0)).fold(f64::INFINITY, f64::min);
                prop_assert!(least >= (delta_m * (1.0 - GRAIN)).min(at(0.0)) - 1e-10);
            }
        }
    }

    #[test]
    fn a_near_pair_that_rests_or_moves_together_is_never_open() {
        let x0 = [Vec3::new(0.2, 1e-6, 0.2), Vec3::zeros(), Vec3::x(), Vec3::z()];
        let moved = x0.map(|x| x + Vec3::new(3.0, 2.0, 1.0));
        assert!(!is_open(PairKind::VertexFace, &x0, &x0, [0.0, 1e-3]));
        let mut nearer = moved;
        nearer[0].y -= 5e-7;
        assert!(is_open(PairKind::VertexFace, &x0, &nearer, [0.0, 1e-3]));
        assert!(!is_open(PairKind::VertexFace, &x0, &moved.map(|x| x - x0[1]), [0.0, 1e-7]));
    }

    #[test]
    fn a_pair_that_passes_straight_through_is_open() {
        let face =
            [Vec3::new(-0.5, 0.0, -0.5), Vec3::new(-0.5, 0.0, 1.0), Vec3::new(1.0, 0.0, -0.5)];
        let at = |y: f64| [Vec3::new(0.01, y, 0.02), face[0], face[1], face[2]];
        assert!(is_open(PairKind::VertexFace, &at(3e-4), &at(-8e-5), [0.0, 1e-5]));
        let edge =
            |y: f64| [Vec3::new(-1.0, y, 0.0), Vec3::new(1.0, y, 0.0), -Vec3::z(), Vec3::z()];
        assert!(is_open(PairKind::EdgeEdge, &edge(3e-4), &edge(-8e-5), [0.0, 1e-5]));
    }

    #[test]
    fn nan_has_no_gap() {
        let x = [Vec3::new(0.2, 0.5, 0.2), Vec3::zeros(), Vec3::x(), Vec3::z()];
        assert_eq!(gap(&Vec3::y(), &x, 1), 0.5);
        assert_eq!(gap(&Vec3::repeat(f64::NAN), &x, 1), f64::NEG_INFINITY);
        for lost in 0..4 {
            let mut x = x;
            x[lost].y = f64::NAN;
            assert_eq!(gap(&Vec3::y(), &x, 1), f64::NEG_INFINITY);
        }
    }
}
