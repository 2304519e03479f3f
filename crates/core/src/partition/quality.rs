//! Measures of a partition, independent of the method that made it.
//!
//! Source: Wretborn 2026 (power partitioner), section 5.1, where equations 18 to 20
//! define the load, surface and temporal index. In the simulator its buckets are patches for
//! the load and vertices for the surface.

use crate::partition::distribute::{Layout, Partition};
use crate::partition::graph::Graph;
use crate::partition::measures;

/// `max_r |W_r / L - 1|`: the largest distance of a rank's work `W_r` from the equal share `L`,
/// relative to it. `work` has the work of each patch, in any unit. 0 if there is no work.
pub fn load_index(partition: &Partition, work: &[f64]) -> f64 {
    measures::load_index(&partition.rank_of_patch, work, partition.ranks)
}

/// `max_r ghosts(r) / own(r)`: vertices received in an exchange for each vertex owned.
/// Ranks that own nothing do not count.
pub fn surface_index(graph: &Graph, partition: &Partition) -> f64 {
    (0..partition.ranks)
        .map(|rank| Layout::new(graph, partition, rank))
        .filter(|layout| !layout.own.is_empty())
        .map(|layout| layout.ghosts.len() as f64 / layout.own.len() as f64)
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::partition::patches::Patches;

    #[test]
    fn indices_of_a_path_cut_by_hand() {
        // Path 0-1-2-3-4-5 in three patches of two vertices.
        let edges: Vec<[u32; 2]> = (0..5).map(|v| [v, v + 1]).collect();
        let graph = Graph::from_cliques(6, edges.iter().map(|edge| &edge[..]));
        let patches = Arc::new(Patches::from_vertices(vec![0, 0, 1, 1, 2, 2], 3));
        let cut = |ranks: [u32; 3]| Partition {
            patches: patches.clone(),
            rank_of_patch: ranks.to_vec(),
            ranks: 2,
        };
        let middle = cut([0, 0, 1]);
        assert_eq!(load_index(&middle, &[1.0, 2.0, 1.0]), 0.5);
        assert_eq!(surface_index(&graph, &middle), 0.5);
        assert_eq!(surface_index(&graph, &cut([0, 1, 0])), 1.0);
        assert_eq!(surface_index(&graph, &cut([1, 1, 1])), 0.0);
    }
}
