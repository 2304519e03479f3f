//! Continuous test of an elementary pair in linear motion.
//!
//! Conservative advancement (Mirtich 1996; Tang, Kim, Manocha 2009). Along any fixed
//! direction `n`, the gap between both sides never exceeds their distance. The gap is a minimum
//! of functions that are linear in time,
//!
//! `gap(t) = min over a, b of n . (x_a(t) - x_b(t))`, `a` on the first side, `b` on the second.
//!
//! A direction therefore gives a time up to which the pair stays apart. At that time the next
//! direction is chosen: that of the closest points, along which gap and distance are equal. The
//! gap is a lower bound for every `n`, so inexact closest points of a thin face or of nearly
//! parallel edges do no harm. A span is never shorter than that of additive advancement (Li,
//! Kaufman, Jiang 2021, Codimensional Incremental Potential Contact), because no gap falls
//! faster than the fastest pair of vertices.
//!
//! # Rounding
//!
//! Let `u = 2^-53`, `X` the largest component of any `x_a(0) - x_0(0)`, and `D` the largest
//! component of any `x_a(1) - x_a(0)`. Positions are relative to the first vertex. The errors
//! are at most:
//!
//! | quantity | error |
//! |---|---|
//! | component of a position | `u (2 X + 8 D)` |
//! | gap, with three products | `sqrt(3) u (12 X + 32 D)` |
//! | gap along a direction of unit length up to `4 u` | `u (35 X + 84 D)` |
//! | rate | `42 u D` |
//! | the span's division and its sum with the time | `u (11 X + 21 D)` |
//! | the sum of separation and radii, if no more than a distance at time 0 | `u 4 X` |
//! | total | `u (50 X + 147 D) < 1.7e-14 (X + D)`: see `ROUNDING` |
//!
//! The size of the coordinates themselves does not enter.

use crate::collision::narrow::{closest, first_side};
use crate::collision::pair::PairKind;
use cloth_core::Vec3;

/// Slack of the separation: a part of the separation or of the initial distance to it,
/// whichever is smaller. A pair within the slack has arrived. Li et al. use 0.1 of the distance
/// too. Spans end at half of the slack.
const SLACK: f64 = 0.1;

/// [`time_of_impact`] reports nothing for a pair that stays further away than this many separations
/// (or 1e-7 of its size): 1 + `SLACK`, and a little more.
pub const FALSE_REPORTS: f64 = 1.11;

/// Part of the pair's size that replaces a smaller separation in the slack. It makes a test
/// with zero separation end.
const RESOLUTION: f64 = 1e-6;

/// Bound on the error of a gap during a span, per `X + D` (see above).
const ROUNDING: f64 = 2e-14;

/// After this many advances the time reached so far is reported. Measured on 900,000 random
/// pairs of unit size (displacements up to 1, 0.1, 0.03; separations 1e-4 to 1e-2): 4 needed
/// more; the mean was below 4, and below 1 for the shorter displacements.
const MAX_ADVANCES: u32 = 256;

/// A time in [0, 1) near which the pair comes within 1.1 separations, or none if it stays
/// further away than `separation_m` for all of [0, 1]. The pair moves linearly from `x0` to
/// `x1` (m, finite). It is not within `separation_m` before that time.
///
/// An impact is never missed and never reported late. This holds for the motion in exact
/// arithmetic between these very numbers and for any `separation_m >= 0`. A false report is
/// possible for a pair that only comes within 1.1 separations (or 1e-7 of its size), and for a
/// pair that would have passed when the number of advances is used up. A pair within the
/// separation at `x0` collides at 0, even if it moves apart.
pub fn time_of_impact(
    kind: PairKind,
    x0: &[Vec3; 4],
    x1: &[Vec3; 4],
    separation_m: f64,
) -> Option<f64> {
    time_of_round_impact(kind, x0, x1, 0.0, separation_m)
}

/// [`time_of_impact`] for sides of which one or both are round: `radius_m` (m) is the sum of their
/// radii. Along any direction the gap of round sides is less than that of their vertices by this
/// sum. So all of the above holds for the gap that is left.
pub fn time_of_round_impact(
    kind: PairKind,
    x0: &[Vec3; 4],
    x1: &[Vec3; 4],
    radius_m: f64,
    separation_m: f64,
) -> Option<f64> {
    let apart_m = radius_m + separation_m;
    if swept_gap(kind, x0, x1) > apart_m {
        return None;
    }
    let motion = Relative::new(kind, x0, x1);
    let mut along = motion.along_closest(0.0);
    let to_go = along.gap() - apart_m;
    let least_slack = 2.0 * motion.rounding();
    // A gap that is NaN is not clear.
    let clear = to_go > least_slack;
    if !clear {
        return Some(0.0);
    }
    let near = separation_m.max(RESOLUTION * motion.size);
    let slack = (SLACK * to_go.min(near)).max(least_slack);
    let mut time = 0.0;
    for _ in 0..MAX_ADVANCES {
        time += along.span_above(apart_m + 0.5 * slack);
        if time >= 1.0 {
            return None;
        }
        along = motion.along_closest(time);
        let clear = along.gap() > apart_m + slack;
        if !clear {
            break;
        }
    }
    Some(time)
}

/// The largest gap along a coordinate axis between the boxes that both sides sweep from `x0`
/// to `x1` (m); negative if the boxes overlap. No distance during the motion is smaller. This
/// holds for rounded distances too: a gap is one subtraction, and rounding keeps the order.
pub fn swept_gap(kind: PairKind, x0: &[Vec3; 4], x1: &[Vec3; 4]) -> f64 {
    let low: [Vec3; 4] = std::array::from_fn(|a| x0[a].inf(&x1[a]));
    let high: [Vec3; 4] = std::array::from_fn(|a| x0[a].sup(&x1[a]));
    let n = first_side(kind);
    let lowest = |of: &[Vec3]| of[1..].iter().fold(of[0], |low, x| low.inf(x));
    let highest = |of: &[Vec3]| of[1..].iter().fold(of[0], |high, x| high.sup(x));
    let above = lowest(&low[..n]) - highest(&high[n..]);
    let below = lowest(&low[n..]) - highest(&high[..n]);
    above.sup(&below).max()
}

/// A pair's motion relative to its first vertex.
struct Relative {
    kind: PairKind,
    /// Positions at time 0 (m).
    x: [Vec3; 4],
    /// Displacements over the unit of time (m).
    p: [Vec3; 4],
    /// Largest component of a position at time 0, relative to the first vertex (m).
    size: f64,
    /// Largest component of an absolute displacement (m).
    travel: f64,
}

impl Relative {
    fn new(kind: PairKind, x0: &[Vec3; 4], x1: &[Vec3; 4]) -> Self {
        let x = x0.map(|x| x - x0[0]);
        let total: [Vec3; 4] = std::array::from_fn(|a| x1[a] - x0[a]);
        let p = total.map(|displacement| displacement - total[0]);
        let largest = |of: &[Vec3; 4]| of.iter().fold(0.0, |most: f64, v| most.max(v.amax()));
        Self { kind, x, p, size: largest(&x), travel: largest(&total) }
    }

    /// Bound on the error of a gap at any time of a span (m). The last term covers denormal
    /// numbers.
    fn rounding(&self) -> f64 {
        ROUNDING * (self.size + self.travel) + f64::MIN_POSITIVE
    }

    fn at(&self, time: f64) -> [Vec3; 4] {
        std::array::from_fn(|a| self.x[a] + time * self.p[a])
    }

    /// The motion from `time` on, along the direction between the closest points.
    fn along_closest(&self, time: f64) -> Along {
        let x = self.at(time);
        let direction = closest(self.kind, x).normal;
        Along {
            first_side: first_side(self.kind),
            height: x.map(|x| direction.dot(&x)),
            rate: self.p.map(|p| direction.dot(&p)),
        }
    }
}

/// A pair's vertices along one direction, which points to the first side.
struct Along {
    first_side: usize,
    /// Positions of the vertices along the direction (m).
    height: [f64; 4],
    /// Their displacements over the unit of time (m).
    rate: [f64; 4],
}

impl Along {
    /// The gap between both sides (m); negative if they overlap.
    fn gap(&self) -> f64 {
        let (first, second) = self.height.split_at(self.first_side);
        let lowest = first[1..].iter().fold(first[0], |low, h| low.min(*h));
        lowest - second[1..].iter().fold(second[0], |high, h| high.max(*h))
    }

    /// How long the gap, now above `target` (m), stays above it.
    fn span_above(&self, target: f64) -> f64 {
        let mut span = f64::INFINITY;
        for a in 0..self.first_side {
            for b in self.first_side..4 {
                let rate = self.rate[a] - self.rate[b];
                if rate < 0.0 {
                    span = span.min((target - (self.height[a] - self.height[b])) / rate);
                }
            }
        }
        span
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn point(size: f64) -> impl Strategy<Value = Vec3> {
        let range = -size..size;
        [range.clone(), range.clone(), range].prop_map(Vec3::from)
    }

    fn points(size: f64) -> impl Strategy<Value = [Vec3; 4]> {
        [point(size), point(size), point(size), point(size)]
    }

    fn kind() -> impl Strategy<Value = PairKind> {
        prop_oneof![Just(PairKind::VertexFace), Just(PairKind::EdgeEdge)]
    }

    /// Moves the first side so that the offset at the closest points of `x` is
    /// `distance` along their normal.
    fn placed(kind: PairKind, mut x: [Vec3; 4], distance: f64) -> [Vec3; 4] {
        let found = closest(kind, x);
        let shift = (distance - found.distance) * found.normal;
        x[..first_side(kind)].iter_mut().for_each(|x| *x += shift);
        x
    }

    /// Ends of a linear motion that passes `x` at `time` with displacement `p`.
    fn through(x: &[Vec3; 4], p: &[Vec3; 4], time: f64) -> [[Vec3; 4]; 2] {
        let at = |t: f64| std::array::from_fn(|a| x[a] + (t - time) * p[a]);
        [at(0.0), at(1.0)]
    }

    /// Least distance at `n` + 1 times.
    fn sampled(kind: PairKind, x0: &[Vec3; 4], x1: &[Vec3; 4], n: u32) -> f64 {
        let motion = Relative::new(kind, x0, x1);
        let at = |i| closest(kind, motion.at(f64::from(i) / f64::from(n))).distance;
        (0..=n).map(at).fold(f64::INFINITY, f64::min)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn an_impact_is_never_missed_and_never_late(
            kind in kind(),
            x in points(1.0),
            p in points(1.0),
            time in 0.0..1.0f64,
            separation in prop_oneof![Just(0.0), Just(1e-5), Just(1e-3), Just(0.1)],
            speed in prop_oneof![Just(1e-3), Just(1.0), Just(1e3)],
            flat: bool,
        ) {
            // Flat: all points in one plane, so that the sides meet edge on.
            let flatten = |v: Vec3| if flat { Vec3::new(v.x, v.y, 0.0) } else { v };
            let x = placed(kind, x.map(flatten), separation);
            let [x0, x1] = through(&x, &p.map(|p| flatten(p) * speed), time);
            let found = time_of_impact(kind, &x0, &x1, separation);
            prop_assert!(found.is_some());
            prop_assert!(found.unwrap_or(1.0) <= time + 1e-9);
        }

        /// Balls and capsules: a vertex, an edge, and their degenerate faces, with a radius.
        #[test]
        fn an_impact_of_round_sides_is_never_missed_and_never_late(
            kind in kind(),
            x0 in points(1.0),
            x1 in points(1.0),
            radius in prop_oneof![Just(1e-3), 0.01..0.5],
            separation in prop_oneof![Just(1e-5), Just(1e-3), Just(0.02)],
            corners in prop_oneof![Just([0, 1, 2, 3]), Just([0, 1, 2, 2]), Just([0, 1, 1, 1])],
        ) {
            let [x0, x1] = [x0, x1].map(|x| corners.map(|corner| x[corner]));
            let motion = Relative::new(kind, &x0, &x1);
            let gap = |i: u32| closest(kind, motion.at(f64::from(i) / 2000.0)).distance - radius;
            let found = time_of_round_impact(kind, &x0, &x1, radius, separation);
            let first = (0..=2000).find(|&i| gap(i) <= separation);
            if let Some(first) = first {
                prop_assert!(found.is_some_and(|time| time <= f64::from(first) / 2000.0));
            } else if (0..=2000).all(|i| gap(i) > 1.1 * separation + 0.01) {
                prop_assert_eq!(found, None);
            }
        }

        #[test]
        fn a_grazing_touch_is_never_missed(
            kind in kind(),
            x in points(1.0),
            slide in point(1.0),
            time in 0.0..1.0f64,
        ) {
            // The first side slides past at right angles to the normal.
            let separation = 1e-3;
            let x = placed(kind, x, separation);
            let normal = closest(kind, x).normal;
            let slide = slide - slide.dot(&normal) * normal;
            let p = std::array::from_fn(|a| if a < first_side(kind) { slide } else { Vec3::zeros() });
            let [x0, x1] = through(&x, &p, time);
            prop_assert!(time_of_impact(kind, &x0, &x1, separation).is_some());
        }

        #[test]
        fn a_clear_miss_is_no_impact(
            kind in kind(),
            x0 in points(1.0),
            x1 in points(1.0),
            separation in prop_oneof![Just(1e-5), Just(1e-3), Just(0.02)],
        ) {
            let least = sampled(kind, &x0, &x1, 400);
            let found = time_of_impact(kind, &x0, &x1, separation);
            if least > 1.1 * separation + 0.01 {
                prop_assert_eq!(found, None);
            }
            if least <= separation {
                prop_assert!(found.is_some());
            }
        }

        #[test]
        fn collapsed_pairs_are_tested_like_all_others(
            kind in kind(),
            x in points(1.0),
            p in point(2.0),
            time in 0.0..1.0f64,
        ) {
            // The second side has no extent and runs into the first.
            let meeting = closest(kind, x);
            let n = first_side(kind);
            let on_first: Vec3 = (0..n).map(|a| meeting.weights[a] * x[a]).sum();
            let x = std::array::from_fn(|a| if a < n { x[a] } else { on_first });
            let p = std::array::from_fn(|a| if a < n { Vec3::zeros() } else { p });
            let [x0, x1] = through(&x, &p, time);
            prop_assert!(time_of_impact(kind, &x0, &x1, 1e-4).is_some());
        }
    }

    #[test]
    fn pairs_that_move_together_or_apart_never_collide() {
        let x0 = [Vec3::new(0.2, 0.2, 0.01), Vec3::zeros(), Vec3::x(), Vec3::y()];
        let together = x0.map(|x| x + Vec3::new(5.0, -3.0, -2.0));
        assert_eq!(time_of_impact(PairKind::VertexFace, &x0, &together, 0.005), None);
        let mut apart = x0;
        apart[0] += Vec3::new(0.5, 0.1, 0.3);
        assert_eq!(time_of_impact(PairKind::VertexFace, &x0, &apart, 0.005), None);
        assert_eq!(time_of_impact(PairKind::VertexFace, &x0, &x0, 0.005), None);
        assert_eq!(time_of_impact(PairKind::VertexFace, &x0, &x0, 0.01), Some(0.0));
    }

    #[test]
    fn a_head_on_impact_is_timed_to_the_slack() {
        let face = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let at = |z| [Vec3::new(0.2, 0.2, z), face[0], face[1], face[2]];
        let time = time_of_impact(PairKind::VertexFace, &at(1.0), &at(-1.0), 0.1);
        assert!(time.is_some_and(|t| (0.444..=0.45).contains(&t)), "{time:?}");
    }
}
