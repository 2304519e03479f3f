//! Adjacency of the vertices.

use serde::{Deserialize, Serialize};

/// An undirected graph in compressed rows: the coupling structure of the
/// system matrix, without its diagonal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Graph {
    /// Start of each vertex's row in `neighbours`; one more than vertices.
    pub offsets: Vec<u32>,
    /// The neighbours of each vertex, rising. Symmetric; no vertex is its own neighbour.
    pub neighbours: Vec<u32>,
}

impl Graph {
    /// The graph of `vertices` vertices in which all vertices of a clique couple to
    /// each other. A clique is the vertices of an element, or the nodes of a body.
    pub fn from_cliques<'a, I>(vertices: usize, cliques: I) -> Self
    where
        I: IntoIterator<Item = &'a [u32]>,
        I::IntoIter: Clone,
    {
        // 1. Count the couplings of every clique: each row gets its range.
        let cliques = cliques.into_iter();
        let mut ends = vec![0; vertices];
        for clique in cliques.clone() {
            for &v in clique {
                ends[v as usize] += clique.iter().filter(|&&w| w != v).count();
            }
        }
        let mut total = 0;
        for end in &mut ends {
            total += *end;
            *end = total;
        }
        // 2. Store the couplings. Filling a row from the back turns its end into its start.
        let mut neighbours = vec![0; total];
        for clique in cliques {
            for &v in clique {
                for &w in clique.iter().filter(|&&w| w != v) {
                    ends[v as usize] -= 1;
                    neighbours[ends[v as usize]] = w;
                }
            }
        }
        // 3. Sort each row, drop repetitions, and close the gaps.
        let mut offsets = vec![0];
        let mut kept = 0;
        for (v, &begin) in ends.iter().enumerate() {
            let end = ends.get(v + 1).copied().unwrap_or(total);
            neighbours[begin..end].sort_unstable();
            let first = kept;
            for i in begin..end {
                if kept == first || neighbours[kept - 1] != neighbours[i] {
                    neighbours[kept] = neighbours[i];
                    kept += 1;
                }
            }
            offsets.push(kept as u32);
        }
        neighbours.truncate(kept);
        neighbours.shrink_to_fit();
        Self { offsets, neighbours }
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// True if there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The vertices that `vertex` couples to, rising.
    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        let row =
            self.offsets[vertex as usize] as usize..self.offsets[vertex as usize + 1] as usize;
        &self.neighbours[row]
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Triangles of an `nx` x `ny` grid of vertices whose numbers start at `first`.
    pub(crate) fn grid_faces(nx: u32, ny: u32, first: u32) -> Vec<[u32; 3]> {
        let at = |x: u32, y: u32| first + y * nx + x;
        let cells = (0..ny - 1).flat_map(|y| (0..nx - 1).map(move |x| (x, y)));
        cells
            .flat_map(|(x, y)| {
                [
                    [at(x, y), at(x + 1, y), at(x + 1, y + 1)],
                    [at(x, y), at(x + 1, y + 1), at(x, y + 1)],
                ]
            })
            .collect()
    }

    /// The edge graph of such a grid.
    pub(crate) fn grid(nx: u32, ny: u32) -> Graph {
        let faces = grid_faces(nx, ny, 0);
        Graph::from_cliques((nx * ny) as usize, faces.iter().map(|face| &face[..]))
    }

    #[test]
    fn cliques_give_a_sorted_symmetric_graph_without_loops() {
        let graph = Graph::from_cliques(6, [&[2, 0, 1][..], &[1, 2, 3], &[5, 3], &[4, 4]]);
        let rows: Vec<&[u32]> = (0..6).map(|v| graph.neighbours(v)).collect();
        assert_eq!(rows, [&[1, 2][..], &[0, 2, 3], &[0, 1, 3], &[1, 2, 5], &[], &[3]]);
    }
}
