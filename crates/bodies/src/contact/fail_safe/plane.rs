//! The plane that keeps the sides of an open pair apart.
//!
//! The plane's normal `n` points from the second side (below) to the first (above). Positions
//! along it are relative to the pair's last vertex:
//!
//! | symbol (m) | |
//! |---|---|
//! | `keep` | gap that the pair keeps: `delta`, or its gap at the start if that is less |
//! | height | of a vertex along `n`; of a round side, that of the surface beyond its vertex |
//! | `c0`, `c1` | the plane at the start and the end; every vertex ends `keep / 2` beyond `c1` |
//! | `room` | how far a vertex may move against its normal; if negative, it must move along it |
//!
//! Between free vertices the plane lies in the middle of the gap, at the start and at the end: it
//! moves with its pair, and takes away only the motion of the sides against each other. A plane
//! that stays where it starts takes more, but together such planes always leave room. A side whose
//! vertices are all prescribed carries the plane with it, `keep / 2` away. This leaves the other
//! side the most room, and pushes it only if the prescribed side sweeps over its start. If some
//! vertices of a side are prescribed (a face with a pinned corner), the plane moves only as far
//! as these vertices need.
//!
//! At a body the plane moves by the mean of the motions of both sides, weighted by their masses, as
//! both would after an inelastic impact. So it hardly holds back a heavy body, and a pair gains no
//! energy. A body shares its mass among its pairs.

use crate::contact::fail_safe::Paths;
use crate::contact::fail_safe::separation::{gap, keep, normal};
use cloth_collision::collision::Pair;
use cloth_core::{Vec3, VertexId};

/// A plane between the sides of a pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeparatingPlane {
    pub pair: Pair,
    /// Unit normal of the pair's closest points at the start, towards its first side.
    pub normal: Vec3,
    /// Gap that the pair keeps (m).
    pub keep_m: f64,
    /// Its position at the start and the end (m).
    c: [f64; 2],
}

/// A plane's bound on a free vertex: its displacement `d` must have `normal . d >= -room_m`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bound {
    pub vertex: VertexId,
    pub pair: Pair,
    /// Unit normal of the plane, towards the vertex's side.
    pub normal: Vec3,
    /// How far the vertex may move against the normal, m. Negative only if the plane moves over the
    /// vertex's start.
    pub room_m: f64,
    /// How far the plane moves along the normal, m.
    pub advance_m: f64,
}

impl Bound {
    /// How far a displacement ends beyond the bound (m); negative if it violates it.
    pub fn slack(&self, displacement: &Vec3) -> f64 {
        self.room_m + self.normal.dot(displacement)
    }
}

impl SeparatingPlane {
    /// The plane of `pair`. Between free vertices it moves with the pair if it knows the numbers of
    /// `pairs` of the bodies, else it stays. None if its prescribed vertices leave no room for it, or
    /// if all four are prescribed.
    pub fn new(pair: Pair, paths: &Paths, x1: &[Vec3], pairs: Option<&[u32]>) -> Option<Self> {
        let (start, end) = (pair.gather(paths.x0), pair.gather(x1));
        let side = pair.first_side();
        let normal = normal(pair.kind(), &start);
        let [above, below] = paths.offsets(&pair);
        let keep_m = keep(&normal, &start, side, [above - below, paths.delta_m]);
        let half = 0.5 * keep_m;
        let height = |a: usize, x: &[Vec3; 4]| {
            normal.dot(&(x[a] - start[3])) - if a < side { above } else { below }
        };
        let prescribed = pair.vertices.map(|vertex| paths.is_prescribed(vertex));
        let lowest_above = |x: &[Vec3; 4], all: bool| {
            let of = (0..side).filter(|&a| all || prescribed[a]);
            of.map(|a| height(a, x)).fold(f64::INFINITY, f64::min)
        };
        let highest_below = |x: &[Vec3; 4], all: bool| {
            let of = (side..4).filter(|&a| all || prescribed[a]);
            of.map(|a| height(a, x)).fold(f64::NEG_INFINITY, f64::max)
        };
        // Where the plane may end.
        let (low, high) = (highest_below(&end, false) + half, lowest_above(&end, false) - half);
        let c = match ((0..side).all(|a| prescribed[a]), (side..4).all(|a| prescribed[a])) {
            (true, true) => return None,
            (false, true) => [highest_below(&start, false) + half, low],
            (true, false) => [lowest_above(&start, false) - half, high],
            (false, false) => {
                let middle = |x: &[Vec3; 4]| {
                    highest_below(x, true) + 0.5 * (gap(&normal, x, side) - (above - below))
                };
                let way = |height: &dyn Fn(&[Vec3; 4], bool) -> f64| {
                    height(&end, true) - height(&start, true)
                };
                let share = pairs.map(|pairs| paths.share_of_first(&pair, &normal, pairs));
                let at_end = match share {
                    None => middle(&start),
                    Some(None) => middle(&end),
                    Some(Some(share)) => {
                        let ways = [way(&lowest_above), way(&highest_below)];
                        middle(&start) + share * ways[0] + (1.0 - share) * ways[1]
                    }
                };
                [middle(&start), at_end.max(low).min(high)]
            }
        };
        (low <= high).then_some(Self { pair, normal, keep_m, c })
    }

    /// Its bounds on the pair's free vertices.
    pub fn bounds(&self, paths: &Paths) -> impl Iterator<Item = Bound> {
        let start = self.pair.gather(paths.x0);
        let ([c0, c1], offsets) = (self.c, paths.offsets(&self.pair));
        let free = (0..4).filter(|&a| !paths.is_prescribed(self.pair.vertices[a]));
        free.map(move |a| {
            let is_first = a < self.pair.first_side();
            let (sign, offset) = if is_first { (1.0, offsets[0]) } else { (-1.0, offsets[1]) };
            let advance_m = sign * (c1 - c0);
            let height = self.normal.dot(&(start[a] - start[3])) - offset;
            let room_m = sign * (height - c1) - 0.5 * self.keep_m;
            Bound {
                vertex: self.pair.vertices[a],
                pair: self.pair,
                normal: sign * self.normal,
                // The vertex starts on its side of the plane. Rounding must not change that.
                room_m: room_m.max(-advance_m.max(0.0)),
                advance_m,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_collision::collision::Radii;

    /// A vertex `height` over a face in the plane y = 0. Each vertex moves by `motion` in y.
    fn bounds(height: f64, motion: [f64; 4], inverse_masses: [f64; 4]) -> Option<Vec<Bound>> {
        let at = |x, y, z| Vec3::new(x, y, z);
        let x0 = [at(0.2, height, 0.2), at(0.0, 0.0, 0.0), at(1.0, 0.0, 0.0), at(0.0, 0.0, 1.0)];
        let x1: [Vec3; 4] = std::array::from_fn(|a| x0[a] + motion[a] * Vec3::y());
        let prescribed = inverse_masses.map(|inverse| inverse == 0.0);
        let (prescribed, radii) = (&prescribed, Radii::default());
        let paths = Paths { x0: &x0, prescribed, masses: &[], bodies: &[], radii, delta_m: 0.1 };
        let pair = Pair::vertex_face(0, [1, 2, 3]);
        let plane = SeparatingPlane::new(pair, &paths, &x1, None)?;
        Some(plane.bounds(&paths).collect())
    }

    fn rooms(bounds: Option<Vec<Bound>>) -> Vec<f64> {
        let rounded = |room: f64| (room * 1e9).round() / 1e9;
        bounds.iter().flatten().map(|bound| rounded(bound.room_m)).collect()
    }

    #[test]
    fn free_sides_share_the_gap() {
        let all = bounds(1.0, [-3.0, 0.0, 0.0, 0.0], [1.0; 4]);
        assert_eq!(rooms(all), [0.45; 4]);
        assert_eq!(rooms(bounds(0.1, [-3.0, 0.0, 0.0, 0.0], [1.0; 4])), [0.0; 4]);
        assert_eq!(rooms(bounds(0.04, [-3.0, 0.0, 0.0, 0.0], [1.0; 4])), [0.0; 4]);
    }

    #[test]
    fn a_prescribed_side_takes_the_plane_with_it() {
        let obstacle = [1.0, 0.0, 0.0, 0.0];
        assert_eq!(rooms(bounds(1.0, [-3.0, 0.0, 0.0, 0.0], obstacle)), [0.9]);
        assert_eq!(rooms(bounds(1.0, [0.0, -0.5, -0.5, -0.5], obstacle)), [1.4]);
        assert_eq!(rooms(bounds(1.0, [0.0, 0.7, 0.7, 0.8], obstacle)), [0.1]);
        let pushed = bounds(1.0, [0.0, 2.0, 2.0, 2.0], obstacle);
        assert!(pushed.iter().flatten().all(|bound| (bound.advance_m - 2.0).abs() < 1e-12));
        assert_eq!(rooms(pushed), [-1.1]);
        let from_above = bounds(1.0, [-2.0, 0.0, 0.0, 0.0], [0.0, 1.0, 1.0, 1.0]);
        assert_eq!(rooms(from_above), [-1.1; 3]);
    }

    #[test]
    fn a_pinned_corner_moves_the_plane_as_far_as_it_needs() {
        let pinned = [1.0, 0.0, 1.0, 1.0];
        assert_eq!(rooms(bounds(1.0, [-3.0, 0.0, 0.0, 0.0], pinned)), [0.45; 3]);
        assert_eq!(rooms(bounds(1.0, [0.0, 0.75, 0.0, 0.0], pinned)), [0.15, 0.75, 0.75]);
    }

    #[test]
    fn prescribed_vertices_on_both_sides_may_leave_no_room() {
        let corner = [0.0, 0.0, 1.0, 1.0];
        assert_eq!(rooms(bounds(1.0, [-0.3, 0.3, 0.0, 0.0], corner)), [0.6; 2]);
        assert!(bounds(1.0, [-0.5, 0.45, 0.0, 0.0], corner).is_none());
        assert!(bounds(1.0, [0.0; 4], [0.0; 4]).is_none());
    }
}
