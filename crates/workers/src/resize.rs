//! Workers are cut in two and joined, so that each has about the work that the scene asks for
//! (`count: Auto(..)`, future work in the paper).
//!
//! At each look at the work:
//!
//! 1. Workers with more than [`FULL`] times this work are cut in two, by the method of the start,
//!    those with most work first. A cut counts if it makes the larger half clearly smaller: where
//!    sets reach everything, it gains nothing.
//! 2. If none was cut, the worker with the least work joins a neighbour, while both together have
//!    less than this work. Its neighbour is the one with most constraints between both homes, then
//!    the nearest.
//!
//! A worker that is cut has more than [`FULL`] times the work below which two are joined. So
//! workers do not flicker.

use crate::homes::{self, Loads};
use crate::settings::MOST_WORKERS;
use cloth_core::partition::Graph;
use cloth_core::partition::methods::WeightedPoints;
use cloth_core::{Result, Vec3};

/// A worker with this many times the work that it should have is cut.
const FULL: f64 = 1.5;

/// A cut counts if it makes the work of the larger half smaller by this factor.
const CUT: f64 = 0.8;

impl Loads {
    /// Cuts or joins workers, which should have the work `target`. Bodies and workers have the work
    /// `of_bodies` and `of_workers`. Returns the number of workers.
    ///
    /// # Errors
    /// If the method of the division refuses the bodies.
    pub(super) fn resize(
        &self,
        graph: &Graph,
        [of_bodies, of_workers]: [&[f64]; 2],
        target: f64,
        homes: &mut [u8],
    ) -> Result<usize> {
        let mut full: Vec<usize> =
            (0..self.workers).filter(|&it| of_workers[it] > FULL * target).collect();
        full.sort_by(|&a, &b| of_workers[b].total_cmp(&of_workers[a]));
        let mut count = self.workers;
        for worker in full {
            if count == MOST_WORKERS as usize {
                break;
            }
            let found = self.halved(worker, count as u8, of_bodies, homes)?;
            let after = self.work_of_workers(graph, &found, count + 1);
            if after[worker].max(after[count]) < CUT * of_workers[worker] {
                homes.copy_from_slice(&found);
                count += 1;
            }
        }
        Ok(if count > self.workers { count } else { self.join(of_workers.to_vec(), target, homes) })
    }

    /// The homes after half of the bodies of `worker` have gone to `other`.
    fn halved(&self, worker: usize, other: u8, work: &[f64], homes: &[u8]) -> Result<Vec<u8>> {
        let mut found = homes.to_vec();
        let bodies: Vec<usize> =
            (0..homes.len()).filter(|&body| usize::from(homes[body]) == worker).collect();
        if bodies.len() < 2 {
            return Ok(found);
        }
        let number = |body: u32| bodies.binary_search(&(body as usize)).ok().map(|at| at as u32);
        let inside = |&[a, b]: &[u32; 2]| Some([number(a)?, number(b)?]);
        let edges: Vec<[u32; 2]> = self.edges.iter().filter_map(inside).collect();
        let graph = Graph::from_cliques(bodies.len(), edges.iter().map(|edge| &edge[..]));
        let points: Vec<Vec3> = bodies.iter().map(|&body| self.points[body]).collect();
        let work: Vec<f64> = bodies.iter().map(|&body| work[body]).collect();
        let problem = WeightedPoints::new(&points, &work);
        let parts = homes::parts(&problem, &graph, self.has_joints, 2)?;
        let gone = bodies.into_iter().zip(parts).filter(|&(_, part)| part == 1);
        gone.for_each(|(body, _)| found[body] = other);
        Ok(found)
    }

    /// Joins workers. `work` is that of each. Returns their number. The last worker takes the
    /// number of one that ends.
    fn join(&self, mut work: Vec<f64>, target: f64, homes: &mut [u8]) -> usize {
        while let Some((emptiest, other)) = self.pair(&work, target, homes) {
            let (kept, gone) = (emptiest.min(other), emptiest.max(other));
            work[kept] += work[gone];
            work.swap_remove(gone);
            let last = work.len();
            for home in &mut *homes {
                *home = match usize::from(*home) {
                    it if it == gone => kept as u8,
                    it if it == last => gone as u8,
                    it => it as u8,
                };
            }
        }
        work.len()
    }

    /// The worker with the least work, and the neighbour that it may join.
    fn pair(&self, work: &[f64], target: f64, homes: &[u8]) -> Option<(usize, usize)> {
        let workers = 0..work.len();
        let emptiest = workers.clone().min_by(|&a, &b| work[a].total_cmp(&work[b]))?;
        let mut touching = vec![0u64; work.len()];
        for edge in &self.edges {
            let [a, b] = edge.map(|body| usize::from(homes[body as usize]));
            touching[a] += u64::from(b == emptiest);
            touching[b] += u64::from(a == emptiest);
        }
        let mut centres = vec![(Vec3::zeros(), 0.0); work.len()];
        for (&home, point) in homes.iter().zip(&self.points) {
            let (sum, count) = &mut centres[usize::from(home)];
            (*sum, *count) = (*sum + point, *count + 1.0);
        }
        let centre = |worker: usize| centres[worker].0 / f64::max(centres[worker].1, 1.0);
        let distance = |other: usize| (centre(other) - centre(emptiest)).norm();
        let may_join = |&other: &usize| {
            let both = work[emptiest] + work[other];
            other != emptiest && (both < target || work[emptiest] == 0.0)
        };
        let nearest = workers.filter(may_join).min_by(|&a, &b| {
            touching[b].cmp(&touching[a]).then(distance(a).total_cmp(&distance(b)))
        });
        nearest.map(|other| (emptiest, other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::homes::tests::square;

    /// Looks until nothing changes. Returns the numbers of workers.
    fn counts(loads: &mut Loads, target: f64, homes: &mut [u8]) -> Vec<usize> {
        let mut counts = vec![loads.workers];
        for _ in 0..30 {
            loads.workers = loads.balance(Some(target), homes).unwrap();
            counts.push(loads.workers);
        }
        assert!(homes.iter().all(|&home| usize::from(home) < loads.workers));
        counts
    }

    fn work(loads: &Loads, homes: &[u8]) -> Vec<f64> {
        let graph = Graph::from_cliques(homes.len(), loads.edges.iter().map(|edge| &edge[..]));
        loads.work_of_workers(&graph, homes, loads.workers)
    }

    #[test]
    fn workers_follow_the_work_and_do_not_flicker() {
        for has_joints in [false, true] {
            let (points, edges) = square(30);
            let mut loads = Loads { points, edges, workers: 1, has_joints, ..Loads::default() };
            loads.alone = vec![0; 900];
            let mut homes = vec![0; 900];
            // 900 bodies and 1740 constraints, and those that are shared.
            let up = counts(&mut loads, 400.0, &mut homes);
            assert!(up.is_sorted() && (7..13).contains(&loads.workers), "{up:?}");
            assert!(work(&loads, &homes).iter().all(|work| (200.0..=600.0).contains(work)));
            assert!(up[20..].iter().all(|&count| count == loads.workers), "{up:?}");
            // They fly apart: 900 bodies are left.
            loads.edges.clear();
            let down = counts(&mut loads, 400.0, &mut homes);
            assert!(
                down.is_sorted_by(|a, b| a >= b) && (2..5).contains(&loads.workers),
                "{down:?}"
            );
            let left = work(&loads, &homes);
            assert!(left.iter().all(|work| (200.0..=600.0).contains(work)), "{left:?}");
            // The first body alone.
            let only = counts(&mut loads, 1e6, &mut homes);
            assert_eq!(only.last(), Some(&1));
        }
    }

    /// All bodies touch one: sets reach everything.
    #[test]
    fn a_cut_that_gains_nothing_is_left() {
        let points = (0..50).map(|k| Vec3::new(f64::from(k), 0.0, 0.0)).collect();
        let edges = (1..50).map(|k| [0, k]).collect();
        let alone = vec![0; 50];
        let mut loads = Loads { points, edges, alone, workers: 1, growth: 2, ..Loads::default() };
        assert_eq!(counts(&mut loads, 20.0, &mut [0; 50]).last(), Some(&1));
        // Without contacts, work is shared out.
        loads.edges.clear();
        let mut homes = [0; 50];
        assert!(counts(&mut loads, 20.0, &mut homes).last() > Some(&1));
        // There are at most 64 workers, and none without a body.
        let found = counts(&mut loads, 0.1, &mut homes);
        assert_eq!(found.last(), Some(&50), "{found:?}");
        assert!(work(&loads, &homes).iter().all(|&work| work == 1.0));
    }
}
