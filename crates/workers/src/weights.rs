//! The coupling of the paper: each worker advances its active bodies alone, and the states of
//! shared bodies are blended (algorithm 4). [`Weights`] tell how much each worker says about a
//! shared body (algorithm 5).
//!
//! Positions and velocities are weighted means. Rotations are weighted sums of quaternions of the
//! same sign, made to unit length (Markley, Cheng, Crassidis & Oshman 2007, for small differences).
//! The result is plausible, not exact: two workers see different forces on a shared body, so
//! momentum is lost, and joints open.
//!
//! `D_i` is the smallest number of edges from the body to one that worker `i` alone has active, by
//! a path through active bodies of `i`. The weight of worker `i` is `D_i^-1 / sum_j D_j^-1`.
//!
//! As printed, algorithm 5 begins with infinity where it stores inverses, and a farther body may
//! replace a nearer one. It searches to a depth of 1 to 4, at which most shared bodies find no body
//! of one worker alone. Here one search for each worker finds the nearest bodies first, up to the
//! width of the region that workers share. A worker that has no body alone in reach counts as one
//! edge farther than that.

use nalgebra::{Quaternion, Unit};

use crate::sets::Sets;
use cloth_core::partition::Graph;
use cloth_core::{Error, Place, Result, Vec3};
use cloth_rigid::{BodyId, BodyState, Twist};

/// The weights of the workers of all shared bodies.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Weights {
    /// `1 / D` by worker and body. It is 0 where the body is not active.
    inverses: Vec<Vec<f64>>,
}

impl Weights {
    /// The weights for these sets, which have `growth`.
    pub fn new(graph: &Graph, sets: &Sets, growth: u32) -> Self {
        let of_worker = |worker| geodesic(graph, sets, worker, 2 * (growth + 1));
        Self { inverses: (0..sets.count()).map(of_worker).collect() }
    }

    /// The workers of a body with their weights, by rising worker. The weights add up to 1.
    pub fn of(&self, body: u32) -> impl Iterator<Item = (usize, f64)> + Clone + use<'_> {
        let inverse = move |of: &Vec<f64>| of[body as usize];
        let sum: f64 = self.inverses.iter().map(inverse).sum();
        let all = self.inverses.iter().map(inverse).enumerate();
        all.filter(|&(_, inverse)| inverse > 0.0)
            .map(move |(worker, inverse)| (worker, inverse / sum))
    }
}

/// `1 / D` of the active bodies of `worker`, searched up to `depth` edges.
fn geodesic(graph: &Graph, sets: &Sets, worker: usize, depth: u32) -> Vec<f64> {
    let mut inverses = vec![0.0; graph.len()];
    let members = sets.members(worker);
    members.iter().for_each(|&body| inverses[body as usize] = 1.0 / f64::from(depth + 1));
    let mut is_found = vec![false; graph.len()];
    let mut front: Vec<u32> =
        members.iter().copied().filter(|&body| !sets.is_shared(body)).collect();
    front.iter().for_each(|&body| {
        (inverses[body as usize], is_found[body as usize]) = (1.0, true);
    });
    for distance in 1..=depth {
        let mut next = Vec::new();
        for &body in &front {
            for &other in graph.neighbours(body) {
                if sets.has(worker, other) && !is_found[other as usize] {
                    is_found[other as usize] = true;
                    inverses[other as usize] = 1.0 / f64::from(distance);
                    next.push(other);
                }
            }
        }
        front = next;
    }
    inverses
}

/// The least length of a weighted sum of unit quaternions. Below it the rotations differ so much
/// that their mean means nothing.
const LEAST_LENGTH: f64 = 0.5;

/// The mean of the states that workers found for the body `id`, with their weights.
///
/// # Errors
/// If the rotations are too different.
pub fn blended(id: BodyId, all: impl Iterator<Item = (BodyState, f64)>) -> Result<BodyState> {
    let zero = Vec3::zeros();
    let (mut position, mut twist) = (zero, Twist { angular: zero, linear: zero });
    let mut rotation = Quaternion::new(0.0, 0.0, 0.0, 0.0);
    for (state, weight) in all {
        position += state.position * weight;
        twist.linear += state.twist.linear * weight;
        twist.angular += state.twist.angular * weight;
        let sign = if rotation.dot(&state.rotation) < 0.0 { -1.0 } else { 1.0 };
        rotation += state.rotation.into_inner() * (sign * weight);
    }
    let length = rotation.norm();
    if length < LEAST_LENGTH {
        let cause = "its workers turned it to opposite sides, so there is no mean rotation";
        let remedy = "raise `steps_per_frame`, or use fewer workers";
        return Err(Error::input(Place::Body(id), cause, remedy));
    }
    Ok(BodyState { position, rotation: Unit::new_unchecked(rotation / length), twist })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tests::{any_graph, distances};

    proptest! {
        #[test]
        fn weights_are_those_of_brute_force_distances(
            (edges, homes) in any_graph(),
            growth in 0u32..4,
        ) {
            let graph = Graph::from_cliques(homes.len(), edges.iter().map(|edge| &edge[..]));
            let order: Vec<u32> = (0..homes.len() as u32).collect();
            let sets = Sets::new(&graph, &homes, &order, 5, growth);
            let weights = Weights::new(&graph, &sets, growth);
            let depth = 2 * (growth as usize + 1);
            let nearest = (0..5).map(|worker| {
                let within = |edge: &&[u32; 2]| edge.iter().all(|&body| sets.has(worker, body));
                let inside: Vec<[u32; 2]> = edges.iter().filter(within).copied().collect();
                let alone = |&body: &u32| sets.has(worker, body) && !sets.is_shared(body);
                distances(&inside, &order.iter().map(alone).collect::<Vec<_>>())
            });
            let nearest: Vec<Vec<usize>> = nearest.collect();
            for body in 0..homes.len() as u32 {
                let of: Vec<(usize, f64)> = weights.of(body).collect();
                prop_assert!((of.iter().map(|it| it.1).sum::<f64>() - 1.0).abs() < 1e-15);
                prop_assert!(of.iter().map(|it| it.0).eq(sets.workers(body)));
                let distance = |worker: usize| match nearest[worker][body as usize] {
                    0 => 1.0,
                    far if far > depth => depth as f64 + 1.0,
                    near => near as f64,
                };
                let sum: f64 = of.iter().map(|it| 1.0 / distance(it.0)).sum();
                for (worker, weight) in of {
                    prop_assert!((weight - 1.0 / distance(worker) / sum).abs() < 1e-15);
                }
            }
        }
    }

    #[test]
    fn in_a_chain_the_weights_fall_evenly() {
        // Ten bodies in a row, two homes of five: with growth 1 the middle four are shared.
        let edges: Vec<[u32; 2]> = (0..9).map(|body| [body, body + 1]).collect();
        let graph = Graph::from_cliques(10, edges.iter().map(|edge| &edge[..]));
        let homes = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1];
        let order: Vec<u32> = (0..10).collect();
        let sets = Sets::new(&graph, &homes, &order, 2, 1);
        let weights = Weights::new(&graph, &sets, 1);
        let first = |body: u32| weights.of(body).find(|it| it.0 == 0).map_or(0.0, |it| it.1);
        let expected = [1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2, 0.0, 0.0, 0.0];
        for (body, expected) in (0..).zip(expected) {
            assert!((first(body) - expected).abs() < 1e-15, "{body}: {}", first(body));
        }
    }
}
