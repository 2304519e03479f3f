//! Continuous test of an elementary pair in linear motion.
//!
//! Conservative advancement: from the distance at one time follows a time up to
//! which the pair cannot have come near, and so on from there. Two bounds are
//! used, whichever reaches further:
//!
//! - *additive* (Li, Kaufman, Jiang 2021, Codimensional Incremental Potential Contact): the
//!   distance falls no faster than the sum of both sides' largest speeds, after
//!   the motion that all four vertices share has been taken off;
//! - *directional* (as in Tang, Kim, Manocha 2009): the gap between both sides
//!   along one fixed direction never exceeds the distance, and it is the least of
//!   functions linear in time. It settles sliding and parting pairs at once.

use super::narrow::{Closest, closest, first_side};
use super::pair::PairKind;
use crate::math::Vec3;

/// Part of the separation, and of the way to it, within which a pair counts as
/// there (Li et al. use 0.1 of the way too). Half of it is kept from rounding.
const SLACK: f64 = 0.1;

/// Part of the pair's size below which a gap is rounding.
const ROUNDING: f64 = 1e-13;

/// Advances after which the time reached so far is reported. Of 400,000 random pairs
/// of unit size each (displacements up to 1, 0.1, 0.03; separations 1e-4 to 1e-2), 12
/// needed more at 1 and 1e-4, at most 4 otherwise; the mean was below 2.
const MAX_ADVANCES: u32 = 256;

/// A time in [0, 1) at or before which the pair, moving linearly from `x0` to
/// `x1` (m), is not yet within `separation_m`, and near which it comes within 1.1
/// separations; none if it stays further away than `separation_m` for all of [0, 1].
///
/// It never misses; it may report a pair that only comes within 1.1 separations
/// (with a separation of 0: within a tenth of the first distance), or, when its
/// number of advances is used up, one that would have passed. A pair within the
/// separation at `x0` collides at 0, whether it approaches or not.
pub fn time_of_impact(
    kind: PairKind,
    x0: &[Vec3; 4],
    x1: &[Vec3; 4],
    separation_m: f64,
) -> Option<f64> {
    if swept_gap(kind, x0, x1) > separation_m {
        return None;
    }
    let motion = Relative::new(kind, x0, x1);
    let mut now = closest(kind, motion.x);
    let to_go = now.distance - separation_m;
    let size = motion.x.iter().fold(0.0, |size: f64, x| size.max(x.amax()));
    if to_go <= ROUNDING * size {
        return Some(0.0);
    }
    let slack = SLACK * if separation_m > 0.0 { to_go.min(separation_m) } else { to_go };
    let target = separation_m + 0.5 * slack;
    let mut time = 0.0;
    for _ in 0..MAX_ADVANCES {
        time += motion.safe_advance(time, &now, target);
        if time >= 1.0 {
            return None;
        }
        now = closest(kind, motion.at(time));
        if now.distance <= separation_m + slack {
            break;
        }
    }
    Some(time)
}

/// The largest gap along a coordinate axis between the boxes that both sides
/// sweep from `x0` to `x1` (m); negative if the boxes overlap. No distance during
/// the motion is smaller.
pub(super) fn swept_gap(kind: PairKind, x0: &[Vec3; 4], x1: &[Vec3; 4]) -> f64 {
    let low: [Vec3; 4] = std::array::from_fn(|a| x0[a].inf(&x1[a]));
    let high: [Vec3; 4] = std::array::from_fn(|a| x0[a].sup(&x1[a]));
    let n = first_side(kind);
    let lowest = |of: &[Vec3]| of[1..].iter().fold(of[0], |low, x| low.inf(x));
    let highest = |of: &[Vec3]| of[1..].iter().fold(of[0], |high, x| high.sup(x));
    let above = lowest(&low[..n]) - highest(&high[n..]);
    let below = lowest(&low[n..]) - highest(&high[..n]);
    above.sup(&below).max()
}

/// A pair's motion, seen from its first vertex's start and without the
/// displacement that its vertices share.
struct Relative {
    first_side: usize,
    /// Positions at time 0 (m).
    x: [Vec3; 4],
    /// Displacements over the unit of time (m).
    p: [Vec3; 4],
    /// Bound on the rate at which the distance changes (m).
    speed: f64,
}

impl Relative {
    fn new(kind: PairKind, x0: &[Vec3; 4], x1: &[Vec3; 4]) -> Self {
        let total: [Vec3; 4] = std::array::from_fn(|a| x1[a] - x0[a]);
        let shared = (total[0] + total[1] + total[2] + total[3]) / 4.0;
        let p = total.map(|displacement| displacement - shared);
        let first_side = first_side(kind);
        let (first, second) = p.split_at(first_side);
        let fastest = |side: &[Vec3]| side.iter().fold(0.0, |most: f64, p| most.max(p.norm()));
        let speed = fastest(first) + fastest(second);
        Self { first_side, x: x0.map(|x| x - x0[0]), p, speed }
    }

    fn at(&self, time: f64) -> [Vec3; 4] {
        std::array::from_fn(|a| self.x[a] + time * self.p[a])
    }

    /// A span after `time` during which the distance stays at least `target`.
    fn safe_advance(&self, time: f64, now: &Closest, target: f64) -> f64 {
        let additive = (now.distance - target) / self.speed;
        additive.max(self.directional_advance(time, now, target))
    }

    fn directional_advance(&self, time: f64, now: &Closest, target: f64) -> f64 {
        let x = self.at(time);
        let mut span = f64::INFINITY;
        for a in 0..self.first_side {
            for b in self.first_side..4 {
                let gap = now.normal.dot(&(x[a] - x[b]));
                let rate = now.normal.dot(&(self.p[a] - self.p[b]));
                if gap < target {
                    return 0.0;
                }
                if rate < 0.0 {
                    span = span.min((target - gap) / rate);
                }
            }
        }
        span
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
            // Flat: everything in one plane, where sides meet edge on.
            let flatten = |v: Vec3| if flat { Vec3::new(v.x, v.y, 0.0) } else { v };
            let x = placed(kind, x.map(flatten), separation);
            let [x0, x1] = through(&x, &p.map(|p| flatten(p) * speed), time);
            let found = time_of_impact(kind, &x0, &x1, separation);
            prop_assert!(found.is_some());
            prop_assert!(found.unwrap_or(1.0) <= time + 1e-9);
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
    fn what_moves_together_or_apart_never_collides() {
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
