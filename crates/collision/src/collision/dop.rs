//! Discrete oriented polytopes with 18 faces (18-DOPs), and the test of the bounds of an
//! elementary pair.
//!
//! The nine axes are x, y, z, x+y, x-y, x+z, x-z, y+z, y-z (Mezger, Kimmerle & Etzmuss 2003).
//! The diagonal axes are not unit vectors: a distance d becomes sqrt(2) d along them.

use std::array::from_fn;
use std::f64::consts::SQRT_2;
use std::ops::{Add, Sub};

use crate::collision::pair::Pair;
use cloth_core::{Vec3, VertexId};

/// Number of axes.
const AXES: usize = 9;

/// An 18-DOP in single precision, rounded outward. It stores the lower bounds along the nine
/// axes, then the negated upper bounds. The union of two is then one element-wise minimum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dop18(pub [f32; 2 * AXES]);

impl Dop18 {
    /// The empty polytope, the neutral element of [`Dop18::union`].
    pub const EMPTY: Self = Self([f32::INFINITY; 2 * AXES]);

    /// Bounds of a vertex that moves from `x0` to `x1` (m), grown by `distance`
    /// (m). Coordinates must be finite and below 1e37 m.
    ///
    /// *Rounding*: let s be the sum of the six coordinates' magnitudes. Rounding a
    /// coordinate, adding two and subtracting the growth each err by at most 2^-24 s,
    /// together 3 * 2^-24 s. The bounds are moved out by 8 * 2^-24 s. The rounding error of
    /// `distance` itself is below 5 * 2^-24 of it, and it is grown by 16 * 2^-24 of it. The
    /// smallest normal number covers denormal errors.
    #[inline]
    pub fn swept(x0: &Vec3, x1: &Vec3, distance: f64) -> Self {
        const OUTWARD: f32 = 1.0 / (1 << 21) as f32;
        const GROWN: f32 = 1.0 + 1.0 / (1 << 20) as f32;
        let (from, to) = (x0.map(|c| c as f32), x1.map(|c| c as f32));
        let size = from.abs().sum() + to.abs().sum();
        let straight = size * OUTWARD + distance as f32 * GROWN + f32::MIN_POSITIVE;
        let diagonal = size * OUTWARD + (distance * SQRT_2) as f32 * GROWN + f32::MIN_POSITIVE;
        let (from, to) = (project(from.into()), project(to.into()));
        let grow = |axis| if axis < 3 { straight } else { diagonal };
        let mut bounds = [0.0; 2 * AXES];
        for axis in 0..AXES {
            bounds[axis] = lower(from[axis], to[axis]) - grow(axis);
            bounds[AXES + axis] = lower(-from[axis], -to[axis]) - grow(axis);
        }
        Self(bounds)
    }

    /// The smallest 18-DOP around both.
    #[inline]
    pub fn union(&self, other: &Self) -> Self {
        Self(from_fn(|i| lower(self.0[i], other.0[i])))
    }

    /// False only if an axis separates the two.
    ///
    /// It takes four axes at a time; the last group repeats three axes of the second. One
    /// comparison of all bits follows. No gap is -0, because its maximum with +0 is +0. This
    /// form compiles to vector instructions. The sign of a sum of two floats is exact.
    #[inline(always)]
    pub fn overlaps(&self, other: &Self) -> bool {
        let mut widest = [0.0; 4];
        for first in [0, 4, 5] {
            let (above, below) = (gaps(self, other, first), gaps(other, self, first));
            for i in 0..4 {
                widest[i] = upper(upper(above[i], below[i]), widest[i]);
            }
        }
        bytemuck::cast::<[f32; 4], u128>(widest) == 0
    }

    /// The lower and the upper bound along `axis` (m).
    pub fn extent(&self, axis: usize) -> [f32; 2] {
        [self.0[axis], -self.0[AXES + axis]]
    }

    /// The sum of the extents along x, y and z (m).
    #[inline]
    pub fn size(&self) -> f32 {
        let b = &self.0;
        -(b[0] + b[AXES]) - (b[1] + b[AXES + 1]) - (b[2] + b[AXES + 2])
    }
}

/// True if the bounds of the pair's two sides overlap. `vertices` holds the bounds of all
/// vertices, each [`Dop18::swept`] over its motion and grown by half a distance.
///
/// A candidate passes this test and [`may_come_near`](super::screen::may_come_near). Both read
/// the four vertices alone; the hierarchies above only cover more. The test is true for every
/// pair that comes within the distance while each vertex is anywhere on its own path, even if
/// the vertices do not move at the same pace.
pub fn near(pair: &Pair, vertices: &[Dop18]) -> bool {
    let (first, second) = pair.vertices.split_at(pair.first_side());
    let bounds = |side: &[VertexId]| {
        side.iter().fold(Dop18::EMPTY, |all, &vertex| all.union(&vertices[vertex as usize]))
    };
    bounds(first).overlaps(&bounds(second))
}

/// How far `a` lies above `b` along the four axes that begin at `first`. Negative where they
/// overlap.
#[inline(always)]
fn gaps(a: &Dop18, b: &Dop18, first: usize) -> [f32; 4] {
    let mut gaps = [0.0; 4];
    for (i, gap) in gaps.iter_mut().enumerate() {
        *gap = a.0[first + i] + b.0[AXES + first + i];
    }
    gaps
}

/// The coordinates of a point along the nine axes.
#[inline]
fn project<T: Copy + Add<Output = T> + Sub<Output = T>>([x, y, z]: [T; 3]) -> [T; AXES] {
    [x, y, z, x + y, x - y, x + z, x - z, y + z, y - z]
}

/// The smaller one, in a single instruction: `min` would also check for NaN.
#[inline]
fn lower<T: PartialOrd>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

/// The larger one.
#[inline]
fn upper<T: PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Points in a cube of 2 m whose centre is up to 1e9 m away.
    fn points(count: usize) -> impl Strategy<Value = Vec<Vec3>> {
        let place = || prop_oneof![Just(0.0), -1e3..1e3, -1e9..1e9];
        let point = [-1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(Vec3::from);
        ([place(), place(), place()], prop::collection::vec(point, count)).prop_map(
            |(centre, points)| points.iter().map(|point| point + Vec3::from(centre)).collect(),
        )
    }

    fn pair_of(edges: bool) -> Pair {
        if edges { Pair::edge_edge([0, 1], [2, 3]) } else { Pair::vertex_face(0, [1, 2, 3]) }
    }

    proptest! {
        #[test]
        fn bounds_contain_the_vertex_and_its_surroundings(
            x in points(2), distance in prop_oneof![Just(0.0), 1e-6..0.1], t in 0.0..1.0,
        ) {
            let dop = Dop18::swept(&x[0], &x[1], distance);
            let inside: Vec3 = x[0] + (x[1] - x[0]) * t;
            let inside: [f64; AXES] = project(inside.into());
            for (axis, inside) in inside.into_iter().enumerate() {
                let reach = if axis < 3 { distance } else { distance * SQRT_2 };
                prop_assert!(f64::from(dop.0[axis]) <= inside - reach);
                prop_assert!(-f64::from(dop.0[AXES + axis]) >= inside + reach);
            }
        }

        #[test]
        fn a_pair_is_near_at_its_distance_wherever_its_vertices_are(
            x in points(8), t in [0.0..1.0, 0.0..1.0, 0.0..1.0, 0.0..1.0], weights in [0.1..1.0, 0.1..1.0, 0.1..1.0, 0.1..1.0],
            edges: bool,
        ) {
            let (pair, (x0, x1)) = (pair_of(edges), x.split_at(4));
            let point = |side: std::ops::Range<usize>| {
                let total: f64 = weights[side.clone()].iter().sum();
                let at = |i: usize| x0[i] + (x1[i] - x0[i]) * t[i];
                side.map(|i| at(i) * (weights[i] / total)).sum::<Vec3>()
            };
            let split = pair.first_side();
            let rounding = 1e-14 * x[0].norm();
            let distance = (point(0..split) - point(split..4)).norm() + rounding;
            let swept = |i: usize| Dop18::swept(&x0[i], &x1[i], 0.5 * distance);
            let vertices: [Dop18; 4] = from_fn(swept);
            prop_assert!(near(&pair, &vertices));
        }
    }

    #[test]
    fn diagonal_axes_separate_where_boxes_overlap() {
        let bounds =
            |x: f64, y: f64| Dop18::swept(&Vec3::new(x, y, 0.0), &Vec3::new(x, y, 0.0), 0.0);
        let diagonal = bounds(0.0, 1.0).union(&bounds(1.0, 0.0));
        assert!(diagonal.overlaps(&bounds(0.5, 0.5)));
        assert!(!diagonal.overlaps(&bounds(0.45, 0.45)));
        assert_eq!(diagonal.union(&Dop18::EMPTY), diagonal);
    }
}
