//! Measures of a partition, independent of the method that made it.
//!
//! Source: Wretborn 2026 (power partitioner), section 5.1. A point may be a vertex, a patch or a
//! cell of a grid; its part is the number of a rank.

use crate::partition::graph::Graph;

/// `max_r |W_r / L - 1|` (eq. 18): the largest distance of a part's work `W_r` from the equal
/// share `L`, relative to it. `part_of` and `work` have an entry for each point. 0 if there is no
/// work.
pub fn load_index(part_of: &[u32], work: &[f64], parts: usize) -> f64 {
    let of_part = part_loads(part_of, work, parts);
    let share = of_part.iter().sum::<f64>() / parts as f64;
    if share == 0.0 {
        return 0.0;
    }
    of_part.iter().map(|work| (work / share - 1.0).abs()).fold(0.0, f64::max)
}

/// The sum of the work of each part.
pub fn part_loads(part_of: &[u32], work: &[f64], parts: usize) -> Vec<f64> {
    let mut of_part = vec![0.0; parts];
    for (&part, work) in part_of.iter().zip(work) {
        of_part[part as usize] += work;
    }
    of_part
}

/// `max_r ghosts(r) / own(r)` (eq. 19): points of other parts that
/// couple to points of `r`, for each point of `r`. Parts without points do not count.
pub fn surface_index(graph: &Graph, part_of: &[u32], parts: usize) -> f64 {
    surfaces(graph, part_of, parts).into_iter().fold(0.0, f64::max)
}

/// `ghosts(r) / own(r)` of each part; 0 if it has no points.
pub fn surfaces(graph: &Graph, part_of: &[u32], parts: usize) -> Vec<f64> {
    let mut own = vec![0u64; parts];
    let mut ghosts = vec![0u64; parts];
    let mut around = Vec::new();
    for (point, &part) in part_of.iter().enumerate() {
        own[part as usize] += 1;
        // The point is a ghost of each other part that it couples to.
        let others = graph.neighbours(point as u32).iter().map(|&other| part_of[other as usize]);
        around.clear();
        around.extend(others.filter(|&other| other != part));
        around.sort_unstable();
        around.dedup();
        around.iter().for_each(|&other| ghosts[other as usize] += 1);
    }
    ghosts.iter().zip(&own).map(|(&ghosts, &own)| ghosts as f64 / own.max(1) as f64).collect()
}

/// The number of coupled pairs of points whose parts differ.
pub fn cut(graph: &Graph, part_of: &[u32]) -> u64 {
    let of_point = |(point, part): (u32, &u32)| {
        let others = graph.neighbours(point).iter().filter(|&&other| other > point);
        others.filter(|&&other| part_of[other as usize] != *part).count() as u64
    };
    (0..).zip(part_of).map(of_point).sum()
}

/// The share of points whose part differs between two partitions (eq. 20): the data that move. 0 if
/// there are no points.
pub fn temporal_index(before: &[u32], after: &[u32]) -> f64 {
    let moved = before.iter().zip(after).filter(|(before, after)| before != after).count();
    moved as f64 / before.len().max(1) as f64
}

/// The number of connected pieces of each part of `graph`.
pub fn connected_pieces(graph: &Graph, part_of: &[u32], parts: usize) -> Vec<u32> {
    let mut pieces = vec![0; parts];
    let mut seen = vec![false; part_of.len()];
    let mut open = Vec::new();
    for start in 0..part_of.len() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        pieces[part_of[start] as usize] += 1;
        open.push(start as u32);
        while let Some(point) = open.pop() {
            for &other in graph.neighbours(point) {
                let same = part_of[other as usize] == part_of[start];
                if same && !std::mem::replace(&mut seen[other as usize], true) {
                    open.push(other);
                }
            }
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_of_a_path_cut_by_hand() {
        let edges: Vec<[u32; 2]> = (0..5).map(|v| [v, v + 1]).collect();
        let path = Graph::from_cliques(6, edges.iter().map(|edge| &edge[..]));
        let middle = [0, 0, 0, 0, 1, 1];
        let comb = [0, 0, 1, 1, 0, 0];
        assert_eq!(load_index(&middle, &[1.0, 1.0, 2.0, 2.0, 1.0, 1.0], 2), 0.5);
        assert_eq!(load_index(&middle, &[0.0; 6], 2), 0.0);
        assert_eq!(surface_index(&path, &middle, 2), 0.5);
        assert_eq!(surface_index(&path, &comb, 2), 1.0);
        assert_eq!(surface_index(&path, &comb, 3), 1.0);
        assert_eq!((cut(&path, &middle), cut(&path, &comb)), (1, 2));
        assert_eq!(connected_pieces(&path, &comb, 3), [2, 1, 0]);
        assert_eq!(temporal_index(&middle, &comb), 4.0 / 6.0);
        assert_eq!(temporal_index(&[], &[]), 0.0);
    }
}
