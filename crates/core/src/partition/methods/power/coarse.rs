//! Cubes (coarse buckets) that join points.
//!
//! Source: Wretborn 2026, section 4.2.5. Here a cube is 2, 4, 8, .. spacings wide, so that one
//! Morton order serves all sizes: the points of a cube are adjacent in it.

use crate::partition::buckets::Buckets;
use crate::partition::graph::Graph;
use crate::partition::methods::power::order::{BITS, CHUNK, Sorted, unkey};
use crate::{Threads, Vec3};

/// Cubes of adjacent points.
#[derive(Debug)]
pub(super) struct Coarse {
    /// The mean position of each cube's points, m.
    pub points: Vec<Vec3>,
    /// The sum of each cube's work.
    pub work: Vec<f64>,
    /// The width of a cube, m.
    pub width_m: f64,
    /// The Morton keys of the cubes.
    keys: Vec<u64>,
}

impl Sorted {
    /// The points joined in about `about` cubes. There are at most 2.8 times as many, and usually
    /// not fewer than 1/2.8 times as many, because doubling the width of cubes in a solid body
    /// leaves an eighth of them. If there are not more points than `about`, each point is alone.
    pub fn coarse(&self, about: usize, threads: &Threads) -> Coarse {
        let most = (about as f64 * 8.0_f64.sqrt()) as usize;
        if self.points.len() <= most {
            return self.join((0..=self.points.len() as u32).collect(), 0, threads);
        }
        // Counts the cubes of each width. A point begins a new cube if its key differs from the
        // last one in the bits of the cube.
        let mut begun = [0; BITS as usize + 1];
        for two in self.keys.windows(2) {
            begun[(u64::BITS - (two[0] ^ two[1]).leading_zeros()).div_ceil(3) as usize] += 1;
        }
        let mut cubes = self.points.len() - begun[0];
        let mut level = 0;
        while cubes > most && level < BITS {
            level += 1;
            cubes -= begun[level as usize];
        }
        let shift = 3 * level;
        let new = |i: &u32| (self.keys[*i as usize] ^ self.keys[*i as usize - 1]) >> shift != 0;
        let mut starts = Vec::with_capacity(cubes + 1);
        starts.push(0);
        starts.extend((1..self.keys.len() as u32).filter(new));
        starts.push(self.keys.len() as u32);
        self.join(starts, shift, threads)
    }

    fn join(&self, starts: Vec<u32>, shift: u32, threads: &Threads) -> Coarse {
        let cubes: Vec<[u32; 2]> = starts.windows(2).map(|ends| [ends[0], ends[1]]).collect();
        let mut joined = Vec::with_capacity(cubes.len());
        threads.collect(&cubes, CHUNK / 16, &mut joined, |cubes, joined| {
            joined.extend(cubes.iter().map(|&[first, end]| {
                let cube = first as usize..end as usize;
                let mean = self.points[cube.clone()].iter().sum::<Vec3>() / cube.len() as f64;
                (mean, self.work[cube].iter().sum::<f64>())
            }));
        });
        let (points, work) = joined.into_iter().unzip();
        let keys = cubes.iter().map(|cube| self.keys[cube[0] as usize] >> shift).collect();
        Coarse { points, work, width_m: self.cell_m * f64::from(1u32 << (shift / 3)), keys }
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::methods::WeightedPoints;
    use crate::partition::methods::power::order::mix;

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
        let sorted = Sorted::new(&problem, 0.0, 1, &Threads::INLINE);
        for most in [5000, 1000, 100, 1] {
            let coarse = sorted.coarse(most, &Threads::INLINE);
            assert!(coarse.points.len() <= 3 * most.max(8), "{}", coarse.points.len());
            assert_eq!(coarse.work.iter().sum::<f64>(), 5000.0);
            assert!(coarse.keys.is_sorted());
            // The mean of each cube is within it.
            let corner = Vec3::repeat(-32.0);
            for (key, mean) in coarse.keys.iter().zip(&coarse.points).filter(|_| most < 5000) {
                let low = Vec3::from(unkey(*key).map(f64::from)) * coarse.width_m + corner;
                let inside = (mean - low).iter().all(|c| (0.0..coarse.width_m).contains(c));
                assert!(inside, "{mean:?} {low:?}");
            }
        }
    }
}
