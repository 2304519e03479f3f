//! Screening: removes elementary pairs whose bounds overlap but whose sides stay apart.
//!
//! Bounds use nine fixed axes. Most pairs with overlapping bounds are further apart than the
//! radius, and one direction computed from the pair itself shows it.
//!
//! Where the motion is known, all vertices move at a [`Pace::Common`]. The distance of two vertices
//! along a direction is then linear in time, so a direction that separates the sides at both ends
//! separates them always.
//!
//! Where the fail-safe may stop vertices on their way, pairs are covered at [`Pace::Any`]: at any
//! time a vertex may be anywhere on the straight path between its start and its end. Along a
//! direction, the ends of the vertices' paths then bound everything that a side sweeps.
//!
//! Four pairs of one kind are screened side by side, in single precision. Coordinates are relative
//! to a vertex of the pair, so that rounding is small beside the radius; the distance that is asked
//! for grows by it. Closures are avoided here: where the compiler does not inline them, a step takes 2 %
//! longer.

use bytemuck::{Pod, Zeroable};
use smallvec::SmallVec;
use wide::f32x4;

use crate::collision::pair::{Pair, PairKind};
use crate::collision::sweep::Sweep;

/// Pairs that are screened side by side.
const LANES: usize = 4;

/// Bound on the rounding error of a gap, relative to the coordinates: about 12 operations in double
/// precision.
const ROUNDING: f64 = 1e-14;

/// The error, relative to the coordinates in single precision. A coordinate and a projection each
/// err by at most 4 * 2^-24; a gap has two projections, along a direction no longer than sqrt(3).
const ROUNDING_SINGLE: f32 = 32.0 / (1 << 24) as f32;

/// How the vertices of a pair move along their paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Each at its own pace.
    Any,
    /// All at the same pace.
    Common,
}

/// False only if the two sides of `pair` stay at least the radius of `sweep` apart at this `pace`.
/// Along a direction, a round side reaches further than its vertices by its radius.
///
/// Tries three directions, all from the positions in the middle of the motion: the normal of
/// the face or of both edges, the line between the sides' centres, and the line between their
/// closest points. The answer depends on the four vertices alone.
pub fn may_come_near(pair: &Pair, sweep: &Sweep, pace: Pace) -> bool {
    let mut near = false;
    screen(&[*pair], sweep, pace, |_| near = true);
    near
}

/// Calls `keep` with those of the `pairs` that [`may_come_near`]. The order changes.
pub fn screen(pairs: &[Pair], sweep: &Sweep, pace: Pace, mut keep: impl FnMut(Pair)) {
    let mut waiting = [(); 2].map(|()| SmallVec::<[Pair; LANES]>::new());
    let mut screen = |pairs: &mut SmallVec<[Pair; LANES]>| {
        // A group that is not full repeats its last pair.
        let lanes = std::array::from_fn(|lane| &pairs[lane.min(pairs.len() - 1)]);
        let separated = separated(lanes, sweep, pace);
        let near = pairs.iter().enumerate().filter(|(lane, _)| separated >> lane & 1 == 0);
        near.for_each(|(_, pair)| keep(*pair));
        pairs.clear();
    };
    for pair in pairs {
        let group = &mut waiting[pair.kind() as usize];
        group.push(*pair);
        if group.len() == LANES {
            screen(group);
        }
    }
    waiting.iter_mut().filter(|group| !group.is_empty()).for_each(screen);
}

/// A bit for each pair: set if a direction separates its sides.
fn separated(pairs: [&Pair; LANES], sweep: &Sweep, pace: Pace) -> u32 {
    const ALL: u32 = (1 << LANES) - 1;
    let paths = Paths::new(pairs, sweep, pace);
    let mut middle = paths.start;
    for (middle, end) in middle.iter_mut().zip(&paths.end) {
        *middle = middle.plus(end).times(f32x4::splat(0.5));
    }
    let [a, b, c, d] = &middle;
    let (normal, offset) = match pairs[0].kind() {
        PairKind::VertexFace => {
            let sum = b.plus(c).plus(d);
            (c.minus(b).cross(&d.minus(b)), a.times(f32x4::splat(3.0)).minus(&sum))
        }
        PairKind::EdgeEdge => (b.minus(a).cross(&d.minus(c)), a.plus(b).minus(&c.plus(d))),
    };
    let mut separated = paths.are_separated_along(&normal) | paths.are_separated_along(&offset);
    if separated != ALL {
        let between = match pairs[0].kind() {
            PairKind::VertexFace => from_face(&b.minus(a), &c.minus(a), &d.minus(a)),
            PairKind::EdgeEdge => between_edges(&middle),
        };
        separated |= paths.are_separated_along(&between);
    }
    separated
}

/// A vector from the origin to the nearest point on the boundary of a face.
fn from_face(a: &Lanes3, b: &Lanes3, c: &Lanes3) -> Lanes3 {
    let on_edge = |from: &Lanes3, to: &Lanes3| {
        let way = to.minus(from);
        let along = f32x4::ZERO - from.dot(&way);
        from.plus(&way.times(unit_interval(along / way.dot(&way))))
    };
    let nearer = |one: Lanes3, other: Lanes3| {
        let is_nearer = other.dot(&other).simd_lt(one.dot(&one));
        Lanes3(std::array::from_fn(|i| is_nearer.select(other.0[i], one.0[i])))
    };
    nearer(nearer(on_edge(a, b), on_edge(a, c)), on_edge(b, c))
}

/// A vector between the nearest points of two edges.
fn between_edges([a, b, c, d]: &[Lanes3; 4]) -> Lanes3 {
    let (first, second, between) = (b.minus(a), d.minus(c), a.minus(c));
    let (squared1, squared2) = (first.dot(&first), second.dot(&second));
    let (along1, along2) = (first.dot(&between), second.dot(&between));
    let both = first.dot(&second);
    let s = (both * along2 - along1 * squared2) / (squared1 * squared2 - both * both);
    let t = unit_interval((both * unit_interval(s) + along2) / squared2);
    let s = unit_interval((both * t - along1) / squared1);
    between.plus(&first.times(s)).minus(&second.times(t))
}

/// The value, no less than 0 and no more than 1. 0 for NaN.
fn unit_interval(value: f32x4) -> f32x4 {
    value.fast_max(f32x4::ZERO).fast_min(f32x4::ONE)
}

/// Both ends of the paths of the vertices of each pair, relative to the start of the pair's last
/// vertex (m).
struct Paths {
    start: [Lanes3; 4],
    end: [Lanes3; 4],
    first_side: usize,
    pace: Pace,
    /// The gap must exceed this times the length of the direction, m, ...
    distance: f32x4,
    /// ... and this, for a direction whose largest component is 1, m.
    rounding: f32x4,
}

impl Paths {
    fn new(pairs: [&Pair; LANES], sweep: &Sweep, pace: Pace) -> Self {
        let mut at = [[[[0.0_f32; LANES]; 3]; 4]; 2];
        let mut rounding = [0.0; LANES];
        for (lane, pair) in pairs.into_iter().enumerate() {
            let ends = [pair.gather(sweep.x0), pair.gather(sweep.x1)];
            let origin = ends[0][3];
            // A sum carries a NaN on; a maximum would drop it.
            let (mut size, mut reach) = (0.0, 0.0_f32);
            for (at, ends) in at.iter_mut().zip(&ends) {
                for (at, x) in at.iter_mut().zip(ends) {
                    let from_origin = (x - origin).map(|c| c as f32);
                    size += x.abs().sum();
                    reach += from_origin.abs().sum();
                    (0..3).for_each(|axis| at[axis][lane] = from_origin[axis]);
                }
            }
            rounding[lane] = (2.0 * ROUNDING * size) as f32 + reach * ROUNDING_SINGLE;
        }
        let [start, end] = bytemuck::cast(at);
        let above = |distance_m: f64| distance_m as f32 * (1.0 + 1e-5);
        let distance = match sweep.radii.is_empty() {
            true => f32x4::splat(above(sweep.radius)),
            false => f32x4::new(pairs.map(|pair| above(sweep.radius + sweep.radii.of_pair(pair)))),
        };
        Self {
            start,
            end,
            first_side: pairs[0].first_side(),
            pace,
            distance,
            rounding: f32x4::new(rounding),
        }
    }

    /// A bit for each pair: set if its `direction`, of any length, separates the sides. Not set if
    /// it is zero or NaN.
    #[inline(always)]
    fn are_separated_along(&self, direction: &Lanes3) -> u32 {
        let [x, y, z] = direction.0;
        let largest = x.abs().fast_max(y.abs()).fast_max(z.abs());
        let direction = direction.times(f32x4::ONE / largest);
        let from = self.bounds(&self.start, &direction);
        let to = self.bounds(&self.end, &direction);
        let (first, second) = match self.pace {
            Pace::Any => {
                let ([low1, high1], [low2, high2]) = (both(from[0], to[0]), both(from[1], to[1]));
                (low1 - high2, low2 - high1)
            }
            Pace::Common => {
                let gaps =
                    |[first, second]: [[f32x4; 2]; 2]| (first[0] - second[1], second[0] - first[1]);
                let ((above0, below0), (above1, below1)) = (gaps(from), gaps(to));
                (above0.fast_min(above1), below0.fast_min(below1))
            }
        };
        let gap = first.fast_max(second);
        let asked = self.distance * direction.dot(&direction).sqrt() + self.rounding;
        gap.simd_gt(asked).to_bitmask()
    }

    /// The lowest and the highest vertex of each side along a direction, at one end of the paths.
    #[inline(always)]
    fn bounds(&self, x: &[Lanes3; 4], direction: &Lanes3) -> [[f32x4; 2]; 2] {
        let a = [direction.dot(&x[0]); 2];
        let b = [direction.dot(&x[1]); 2];
        let c = [direction.dot(&x[2]); 2];
        let d = [direction.dot(&x[3]); 2];
        match self.first_side {
            1 => [a, both(both(b, c), d)],
            _ => [both(a, b), both(c, d)],
        }
    }
}

/// The smaller lower and the larger upper bound.
#[inline(always)]
fn both([low1, high1]: [f32x4; 2], [low2, high2]: [f32x4; 2]) -> [f32x4; 2] {
    [low1.fast_min(low2), high1.fast_max(high2)]
}

/// A vector of each of [`LANES`] pairs, by component.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
struct Lanes3([f32x4; 3]);

impl Lanes3 {
    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + other.0[i]))
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] - other.0[i]))
    }

    #[inline(always)]
    fn times(&self, factor: f32x4) -> Self {
        Self(self.0.map(|component| component * factor))
    }

    #[inline(always)]
    fn dot(&self, other: &Self) -> f32x4 {
        self.0[0] * other.0[0] + self.0[1] * other.0[1] + self.0[2] * other.0[2]
    }

    #[inline(always)]
    fn cross(&self, other: &Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Self([b * f - c * e, c * d - a * f, a * e - b * d])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::collision::narrow::closest;
    use cloth_core::Vec3;

    fn pair(edges: bool) -> Pair {
        if edges { Pair::edge_edge([0, 1], [2, 3]) } else { Pair::vertex_face(0, [1, 2, 3]) }
    }

    fn points(size: f64) -> impl Strategy<Value = Vec<Vec3>> {
        let point = [-1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(Vec3::from);
        prop::collection::vec(point.prop_map(move |x| x * size), 4)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        /// A removed pair stays outside the radius, wherever its vertices are at this pace.
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
            let sweep = Sweep { x0: &x0, x1: &x1, radius, radii: Default::default() };
            let removed = |pace| {
                let mut kept = false;
                screen(&[pair], &sweep, pace, |_| kept = true);
                !kept
            };
            let (at_any, at_common) = (removed(Pace::Any), removed(Pace::Common));
            prop_assert!(at_common || !at_any);
            let distance = |pace: [f64; 4]| {
                let x = std::array::from_fn(|a| x0[a].lerp(&x1[a], pace[a]));
                closest(pair.kind(), x).distance
            };
            for pace in paces {
                prop_assert!(!at_any || distance(pace) >= radius);
                prop_assert!(!at_common || distance([pace[0]; 4]) >= radius);
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
                let sweep = Sweep { x0: &x, x1: &x, radius: 0.01, radii: Default::default() };
                for pace in [Pace::Any, Pace::Common] {
                    assert_eq!(may_come_near(&pair(is_edge), &sweep, pace), kept);
                }
            }
        }
    }

    #[test]
    fn a_pair_with_nan_is_kept() {
        let x = [Vec3::repeat(f64::NAN), Vec3::zeros(), Vec3::x(), Vec3::y()];
        let sweep = Sweep { x0: &x, x1: &x, radius: 0.01, radii: Default::default() };
        assert!(may_come_near(&pair(false), &sweep, Pace::Common));
    }
}
