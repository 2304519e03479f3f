//! The active bodies of all workers, by definition:
//!
//! ```text
//! P_i = { b : the distance in the constraint graph from b to a body of home i is <= growth + 1 }
//! ```
//!
//! The paper finds its sets by procedures (algorithms 2, 3, 6 and 7) that see joints and new
//! contacts one by one. Their sets depend on the order, and some constraints are in no worker. With
//! the definition each constraint of a home body is in the set of that home. [`published`] has the
//! procedures, mended.
//!
//! [`published`]: crate::published

use cloth_core::partition::Graph;

/// The active bodies of all workers. A body is its place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sets {
    /// The workers of each body, as bits.
    workers: Vec<u64>,
    /// The active bodies of each worker, in the order that they were asked for.
    members: Vec<Vec<u32>>,
}

impl Sets {
    /// The sets of `count` workers. `homes` has the home of each vertex of `graph`. `order` lists
    /// all vertices, and members come in this order.
    pub fn new(graph: &Graph, homes: &[u8], order: &[u32], count: usize, growth: u32) -> Self {
        let mut workers = vec![0; homes.len()];
        let mut front = Vec::new();
        for worker in 0..count {
            let bit = 1 << worker;
            front.clear();
            front.extend(
                (0..homes.len() as u32).filter(|&b| usize::from(homes[b as usize]) == worker),
            );
            front.iter().for_each(|&body| workers[body as usize] |= bit);
            // The front has the bodies at one distance.
            for _ in 0..=growth {
                let mut next = Vec::new();
                for &body in &front {
                    for &other in graph.neighbours(body) {
                        if workers[other as usize] & bit == 0 {
                            workers[other as usize] |= bit;
                            next.push(other);
                        }
                    }
                }
                front = next;
            }
        }
        Self::of_bodies(workers, order, count)
    }

    /// The sets of `count` workers in which each body has these `workers`, as bits.
    pub fn of_bodies(workers: Vec<u64>, order: &[u32], count: usize) -> Self {
        let has = |worker: usize, body: u32| workers[body as usize] >> worker & 1 == 1;
        let members = (0..count)
            .map(|worker| order.iter().copied().filter(|&body| has(worker, body)).collect())
            .collect();
        Self { workers, members }
    }

    /// Number of workers.
    pub fn count(&self) -> usize {
        self.members.len()
    }

    /// The active bodies of a worker.
    pub fn members(&self, worker: usize) -> &[u32] {
        &self.members[worker]
    }

    /// True if `worker` has `body` active.
    pub fn has(&self, worker: usize, body: u32) -> bool {
        self.workers[body as usize] >> worker & 1 == 1
    }

    /// The workers that have `body` active, rising.
    pub fn workers(&self, body: u32) -> impl Iterator<Item = usize> + use<'_> {
        (0..self.count()).filter(move |&worker| self.has(worker, body))
    }

    /// True if several workers have `body` active.
    pub fn is_shared(&self, body: u32) -> bool {
        !self.workers[body as usize].is_power_of_two()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tests::{any_graph, distances};

    proptest! {
        #[test]
        fn sets_are_those_of_brute_force_distances(
            (edges, homes) in any_graph(),
            growth in 0u32..4,
        ) {
            let graph = Graph::from_cliques(homes.len(), edges.iter().map(|edge| &edge[..]));
            let order: Vec<u32> = (0..homes.len() as u32).rev().collect();
            let sets = Sets::new(&graph, &homes, &order, 5, growth);
            for worker in 0..5 {
                let of_home: Vec<bool> =
                    homes.iter().map(|&home| usize::from(home) == worker).collect();
                let distance = distances(&edges, &of_home);
                let near = |&body: &u32| distance[body as usize] <= growth as usize + 1;
                let expected: Vec<u32> = order.iter().copied().filter(near).collect();
                prop_assert_eq!(sets.members(worker), expected);
            }
            for (body, &home) in (0..).zip(&homes) {
                prop_assert!(sets.has(usize::from(home), body));
                prop_assert_eq!(sets.is_shared(body), sets.workers(body).count() > 1);
            }
            for [a, b] in edges {
                for home in [homes[a as usize], homes[b as usize]].map(usize::from) {
                    prop_assert!(sets.has(home, a) && sets.has(home, b));
                }
            }
        }
    }
}
