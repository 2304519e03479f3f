//! How good a partition is, whatever method made it.
//!
//! Source: wretborn-2026-power-partitioner §5.1, equations 18 to 20, its
//! buckets being patches for load and consistency, vertices for the surface.

use crate::partition::distribute::{Layout, Partition};
use crate::partition::graph::Graph;

/// `max_r |W_r / L - 1|`: how far the work of the worst rank is from its equal
/// share `L`. `work` is that of each patch, in any unit; 0 if there is none.
pub fn load_index(partition: &Partition, work: &[f64]) -> f64 {
    let mut of_rank = vec![0.0; partition.ranks];
    for (&rank, work) in partition.rank_of_patch.iter().zip(work) {
        of_rank[rank as usize] += work;
    }
    let share = of_rank.iter().sum::<f64>() / partition.ranks as f64;
    if share == 0.0 {
        return 0.0;
    }
    of_rank.iter().map(|work| (work / share - 1.0).abs()).fold(0.0, f64::max)
}

/// `max_r ghosts(r) / own(r)`: vertices received in an exchange per vertex owned.
/// Ranks that own nothing do not count.
pub fn surface_index(graph: &Graph, partition: &Partition) -> f64 {
    (0..partition.ranks)
        .map(|rank| Layout::new(graph, partition, rank))
        .filter(|layout| !layout.own.is_empty())
        .map(|layout| layout.ghosts.len() as f64 / layout.own.len() as f64)
        .fold(0.0, f64::max)
}

/// The share of patches whose rank differs between two partitions of the same
/// patches; 0 if there are none.
pub fn temporal_consistency_index(before: &Partition, after: &Partition) -> f64 {
    let pairs = before.rank_of_patch.iter().zip(&after.rank_of_patch);
    let moved = pairs.filter(|(before, after)| before != after).count();
    moved as f64 / after.rank_of_patch.len().max(1) as f64
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
        let (before, after) = (cut([0, 0, 1]), cut([0, 1, 1]));
        assert_eq!(load_index(&before, &[1.0, 2.0, 1.0]), 0.5);
        assert_eq!(surface_index(&graph, &before), 0.5);
        assert_eq!(surface_index(&graph, &cut([0, 1, 0])), 1.0);
        assert_eq!(temporal_consistency_index(&before, &after), 1.0 / 3.0);
        assert_eq!(surface_index(&graph, &cut([1, 1, 1])), 0.0);
    }
}
