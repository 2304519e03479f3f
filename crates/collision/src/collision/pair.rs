//! Elementary pairs: vertex-face and edge-edge, each with one canonical name.

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

use cloth_core::{Vec3, VertexId};

/// The types of the two sides of an elementary pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PairKind {
    /// A vertex and a face.
    VertexFace,
    /// Two edges.
    EdgeEdge,
}

/// An elementary pair, named by its four vertices. Their order is canonical: the vertex, then
/// the face's vertices in rising order; or two edges, each rising, the lower edge first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable, Serialize, Deserialize,
)]
#[repr(C)]
pub struct Pair {
    /// 0 for vertex-face, 1 for edge-edge.
    kind: u32,
    /// The vertices of the first side, then those of the second.
    pub vertices: [VertexId; 4],
}

impl Pair {
    /// A vertex and a face.
    pub fn vertex_face(vertex: VertexId, mut face: [VertexId; 3]) -> Self {
        face.sort_unstable();
        Self { kind: 0, vertices: [vertex, face[0], face[1], face[2]] }
    }

    /// Two edges.
    pub fn edge_edge(mut first: [VertexId; 2], mut second: [VertexId; 2]) -> Self {
        first.sort_unstable();
        second.sort_unstable();
        let [low, high] = if first <= second { [first, second] } else { [second, first] };
        Self { kind: 1, vertices: [low[0], low[1], high[0], high[1]] }
    }

    /// The types of its sides.
    pub fn kind(&self) -> PairKind {
        if self.kind == 0 { PairKind::VertexFace } else { PairKind::EdgeEdge }
    }

    /// Number of vertices on the first side.
    pub fn first_side(&self) -> usize {
        if self.kind == 0 { 1 } else { 2 }
    }

    /// The four entries of `of` that belong to its vertices.
    #[inline]
    pub fn gather(&self, of: &[Vec3]) -> [Vec3; 4] {
        self.vertices.map(|vertex| of[vertex as usize])
    }

    /// True if one of its vertices is `marked`, given by vertex.
    #[inline]
    pub fn has_any(&self, marked: &[bool]) -> bool {
        self.vertices.iter().any(|&vertex| marked[vertex as usize])
    }

    /// True if both sides share a vertex.
    pub fn shares_a_vertex(&self) -> bool {
        let (first, second) = self.vertices.split_at(self.first_side());
        first.iter().any(|vertex| second.contains(vertex))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_has_one_name_in_any_order_of_its_vertices() {
        assert_eq!(Pair::vertex_face(7, [3, 9, 1]), Pair::vertex_face(7, [9, 1, 3]));
        assert_eq!(Pair::edge_edge([5, 2], [1, 8]), Pair::edge_edge([8, 1], [2, 5]));
        assert_eq!(Pair::edge_edge([5, 2], [1, 8]).vertices, [1, 8, 2, 5]);
        assert!(Pair::edge_edge([5, 2], [2, 8]).shares_a_vertex());
        assert!(!Pair::vertex_face(7, [3, 9, 1]).shares_a_vertex());
    }
}
