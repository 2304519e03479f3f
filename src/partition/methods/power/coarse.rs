//! Points in Morton order, and the cubes (coarse buckets) that join some of them.
//!
//! Source: Wretborn 2026, section 4.2.5. Here a cube is 2, 4, 8, .. spacings wide, so that one order
//! serves all sizes: the points of a cube are adjacent in it.

use crate::math::Vec3;
use crate::partition::buckets::Buckets;
use crate::partition::graph::Graph;
use crate::partition::methods::WeightedPoints;
use crate::threads::{EachPatch, Threads};

/// Points without a spacing are ordered on a grid of this many cells along the longest side.
const CELLS: f64 = 65_536.0;
/// Bits of a cell number along one axis.
const BITS: u32 = 21;
/// Points that a thread takes at a time.
const CHUNK: usize = 16_384;

/// All points in Morton order.
#[derive(Debug)]
pub(super) struct Sorted {
    /// The number of each point in the problem.
    pub order: Vec<u32>,
    /// Where the points are, m, with their random offsets.
    pub points: Vec<Vec3>,
    /// The work of the points.
    pub work: Vec<f64>,
    /// The Morton keys, rising.
    keys: Vec<u64>,
}

/// Cubes of adjacent points.
#[derive(Debug)]
pub(super) struct Coarse {
    /// Start of each cube's points in the order; one more than cubes.
    pub starts: Vec<u32>,
    /// The mean position of each cube's points, m.
    pub points: Vec<Vec3>,
    /// The sum of each cube's work.
    pub work: Vec<f64>,
    /// The Morton keys of the cubes.
    keys: Vec<u64>,
}

impl Sorted {
    /// Sorts the points of `problem`. Each is moved by up to half of `offset` spacings along each
    /// axis: a random offset that depends on the point's position and on `seed` alone.
    pub fn new(problem: &WeightedPoints, offset: f64, seed: u64, threads: &Threads) -> Self {
        let (low, cell) = grid(problem);
        let place = |i: u32, x: &Vec3| Place { key: key(&((x - low) / cell)), point: i };
        let items: Vec<(u32, Vec3)> = (0..).zip(problem.points.iter().copied()).collect();
        let mut places = Vec::with_capacity(items.len());
        threads.collect(&items, CHUNK, &mut places, |items, places| {
            places.extend(items.iter().map(|(i, x)| place(*i, x)));
        });
        sort(&mut places);
        let width = offset * problem.spacing_m;
        let mut points = Vec::with_capacity(items.len());
        threads.collect(&places, CHUNK, &mut points, |places, points| {
            points.extend(places.iter().map(|place| {
                let x = problem.points[place.point as usize];
                if width > 0.0 { x + random_offset(&x, seed) * width } else { x }
            }));
        });
        Self {
            points,
            work: places.iter().map(|place| problem.weights[place.point as usize]).collect(),
            keys: places.iter().map(|place| place.key).collect(),
            order: places.into_iter().map(|place| place.point).collect(),
        }
    }

    /// The points joined in cubes, about `about` of them: at most 2.8 times as many, and about 2.8
    /// times fewer, since wider cubes are eight times fewer in a solid body. Each point is alone if
    /// there are no more.
    pub fn coarse(&self, about: usize) -> Coarse {
        let most = (about as f64 * 8.0_f64.sqrt()) as usize;
        let mut shift = 0;
        let mut starts: Vec<u32> = (0..=self.points.len() as u32).collect();
        while starts.len() - 1 > most && shift < 3 * BITS {
            shift += 3;
            let new = |&i: &u32| {
                let i = i as usize;
                i == 0 || i == self.keys.len() || self.keys[i] >> shift != self.keys[i - 1] >> shift
            };
            starts.retain(new);
        }
        self.join(starts, shift)
    }

    fn join(&self, starts: Vec<u32>, shift: u32) -> Coarse {
        let cubes = starts.windows(2).map(|ends| ends[0] as usize..ends[1] as usize);
        let mean = |cube: std::ops::Range<usize>| {
            let count = cube.len() as f64;
            self.points[cube].iter().sum::<Vec3>() / count
        };
        Coarse {
            points: cubes.clone().map(mean).collect(),
            work: cubes.clone().map(|cube| self.work[cube].iter().sum()).collect(),
            keys: cubes.map(|cube| self.keys[cube.start] >> shift).collect(),
            starts,
        }
    }

    /// Puts values that are in Morton order into the order of the problem.
    pub fn unsorted(&self, values: &[u32]) -> Vec<u32> {
        let mut unsorted = vec![0; values.len()];
        for (&i, &value) in self.order.iter().zip(values) {
            unsorted[i as usize] = value;
        }
        unsorted
    }
}

impl Coarse {
    /// The graph of cubes that touch. `None` if some are at the same place.
    pub fn graph(&self) -> Option<Graph> {
        let cells: Vec<[i32; 3]> = self.keys.iter().map(|&key| unkey(key)).collect();
        let buckets = Buckets::new(1.0, cells.clone());
        if buckets.len() != cells.len() {
            return None;
        }
        let number: Option<Vec<u32>> = cells.iter().map(|&cell| buckets.find(cell)).collect();
        let number = number?;
        let mut cube = vec![0; cells.len()];
        number.iter().zip(0..).for_each(|(&at, i)| cube[at as usize] = i);
        let sorted = buckets.graph();
        let mut graph = Graph { offsets: vec![0], neighbours: Vec::new() };
        for at in number {
            let others = sorted.neighbours(at).iter().map(|&other| cube[other as usize]);
            graph.neighbours.extend(others);
            let end = graph.neighbours.len();
            graph.neighbours[graph.offsets[graph.offsets.len() - 1] as usize..].sort_unstable();
            graph.offsets.push(end as u32);
        }
        Some(graph)
    }

    /// Calls `work` with the number of each cube of `chunk` cubes and the values of its points.
    pub fn for_each_chunk<T: Send>(
        &self,
        values: &mut [T],
        chunk: usize,
        threads: &Threads,
        work: impl Fn(std::ops::Range<usize>, &mut [T]) + Sync,
    ) {
        let cubes = self.points.len();
        let mut rest = values;
        let mut pieces = Vec::with_capacity(cubes.div_ceil(chunk));
        for first in (0..cubes).step_by(chunk) {
            let end = cubes.min(first + chunk);
            let (piece, others) =
                rest.split_at_mut((self.starts[end] - self.starts[first]) as usize);
            pieces.push((first..end, piece));
            rest = others;
        }
        threads.for_each_patch(EachPatch(&mut pieces), 1, |_, piece| {
            let (cubes, values) = &mut piece.0[0];
            work(cubes.clone(), values);
        });
    }
}

/// A point and where its cell is in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    key: u64,
    point: u32,
}

/// The lowest corner and the cell width of the grid of the order. Cells are those of the spacing, and
/// cubes begin at multiples of their width in space, so that they stay when points come and go.
fn grid(problem: &WeightedPoints) -> (Vec3, f64) {
    let points = problem.points.iter().copied();
    let low = points.clone().reduce(|a, b| a.inf(&b)).unwrap_or_default();
    let high = points.reduce(|a, b| a.sup(&b)).unwrap_or_default();
    let width = (high - low).max();
    let cell = problem.spacing_m.max(width / CELLS);
    if cell <= 0.0 {
        return (low, 1.0);
    }
    let coarsest = cell * 64.0;
    ((low / coarsest).map(f64::floor) * coarsest, cell)
}

/// The Morton key of a position counted in cells.
fn key(cell: &Vec3) -> u64 {
    let most = f64::from((1u32 << BITS) - 1);
    let [x, y, z] = [cell.x, cell.y, cell.z].map(|c| spread(c.clamp(0.0, most) as u64));
    x << 2 | y << 1 | z
}

/// The cell of a Morton key.
fn unkey(key: u64) -> [i32; 3] {
    [2, 1, 0]
        .map(|axis| (0..BITS).map(|bit| (key >> (3 * bit + axis) & 1) << bit).sum::<u64>() as i32)
}

/// Puts two zeros between the bits of `cell`.
fn spread(mut cell: u64) -> u64 {
    for (shift, mask) in [
        (32, 0x001f_0000_0000_ffff),
        (16, 0x001f_0000_ff00_00ff),
        (8, 0x100f_00f0_0f00_f00f),
        (4, 0x10c3_0c30_c30c_30c3),
        (2, 0x1249_2492_4924_9249),
    ] {
        cell = (cell | cell << shift) & mask;
    }
    cell
}

/// Sorts by key, then by point: a radix sort by 11 bits at a time, from the lowest on.
fn sort(places: &mut Vec<Place>) {
    const DIGIT: u32 = 11;
    let used = places.iter().fold(0, |bits, place| bits | place.key);
    let mut other = vec![Place { key: 0, point: 0 }; places.len()];
    for shift in (0..u64::BITS - used.leading_zeros()).step_by(DIGIT as usize) {
        let digit = |place: &Place| (place.key >> shift) as usize & ((1 << DIGIT) - 1);
        let mut next = vec![0; 1 << DIGIT];
        for place in places.iter() {
            next[digit(place)] += 1;
        }
        let mut total = 0;
        for count in &mut next {
            total += std::mem::replace(count, total);
        }
        for place in places.iter() {
            let at = &mut next[digit(place)];
            other[*at] = *place;
            *at += 1;
        }
        std::mem::swap(places, &mut other);
    }
}

/// A vector in `[-1/2, 1/2)^3` that depends on the bits of `x` and on `seed`.
fn random_offset(x: &Vec3, seed: u64) -> Vec3 {
    // + 0.0 makes -0.0 and 0.0 the same.
    let hash = x.iter().fold(seed, |hash, c| mix(hash ^ (c + 0.0).to_bits()));
    let component = |k: u64| (mix(hash ^ k) >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
    Vec3::new(component(1), component(2), component(3))
}

/// SplitMix64 (Steele, Lea & Flood 2014): a number whose bits all depend on all of `z`.
pub(super) fn mix(z: u64) -> u64 {
    crate::math::mix(z.wrapping_add(0x9e37_79b9_7f4a_7c15))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_a_cube_are_adjacent_and_nothing_is_lost() {
        let points: Vec<Vec3> = (0..5000u64)
            .map(|i| {
                let cell = |k| (mix(i * 3 + k) % 40) as f64 - 20.0;
                Vec3::new(cell(0), cell(1), cell(2)) * 0.5
            })
            .collect();
        let weights = vec![1.0; points.len()];
        let problem = WeightedPoints { spacing_m: 0.5, ..WeightedPoints::new(&points, &weights) };
        let sorted = Sorted::new(&problem, 0.0, 1, &Threads::new(2).unwrap());
        let mut order = sorted.order.clone();
        order.sort_unstable();
        assert!(order.iter().copied().eq(0..5000));
        for most in [5000, 1000, 100, 1] {
            let coarse = sorted.coarse(most);
            assert!(coarse.points.len() <= 3 * most.max(8), "{}", coarse.points.len());
            assert_eq!(coarse.work.iter().sum::<f64>(), 5000.0);
            for cube in coarse.starts.windows(2) {
                let points = &sorted.points[cube[0] as usize..cube[1] as usize];
                let low = points.iter().copied().reduce(|a, b| a.inf(&b)).unwrap();
                let high = points.iter().copied().reduce(|a, b| a.sup(&b)).unwrap();
                assert!(most >= 1000 || (high - low).max() <= 20.0);
            }
        }
    }
}
