//! Random graphs and homes, and distances by brute force.

use proptest::prelude::*;

/// Edges and homes of up to 30 bodies; five workers, some without bodies.
pub(super) fn any_graph() -> impl Strategy<Value = (Vec<[u32; 2]>, Vec<u8>)> {
    (1usize..30).prop_flat_map(|bodies| {
        let body = 0..bodies as u32;
        let edge = (body.clone(), body).prop_map(|(a, b)| [a, b]);
        let edges = prop::collection::vec(edge, 0..40);
        let edges = edges.prop_map(|edges| edges.into_iter().filter(|[a, b]| a != b).collect());
        (edges, prop::collection::vec(0u8..5, bodies))
    })
}

/// The number of edges from each body to the nearest of `sources`, or `usize::MAX / 2`.
pub(super) fn distances(edges: &[[u32; 2]], sources: &[bool]) -> Vec<usize> {
    let far = usize::MAX / 2;
    let mut distances: Vec<usize> =
        sources.iter().map(|&is_source| if is_source { 0 } else { far }).collect();
    for _ in 0..sources.len() {
        for [a, b] in edges.iter().map(|edge| edge.map(|body| body as usize)) {
            distances[a] = distances[a].min(distances[b] + 1);
            distances[b] = distances[b].min(distances[a] + 1);
        }
    }
    distances
}
