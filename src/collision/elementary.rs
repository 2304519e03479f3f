//! Elementary pairs of a pair of faces: vertices against faces, and edges against edges.

use crate::collision::dop::Dop18;
use crate::collision::pair::Pair;
use crate::collision::screen::may_come_near;
use crate::collision::surface::{Represented, Surface};
use crate::collision::sweep::Sweep;
use crate::ids::{FaceId, VertexId};

/// One side of a pair of faces.
pub struct FaceSide<'a> {
    corners: [VertexId; 3],
    represented: Represented,
    bounds: &'a Dop18,
}

impl<'a> FaceSide<'a> {
    /// `face` of `surface` as a side of a pair of faces, with its bounds.
    #[inline]
    pub fn of(surface: &Surface, face: FaceId, bounds: &'a Dop18) -> Self {
        let corners = surface.faces[face as usize];
        Self { corners, represented: surface.represented(face), bounds }
    }

    fn has(&self, vertex: VertexId) -> bool {
        let [a, b, c] = self.corners;
        (vertex == a) | (vertex == b) | (vertex == c)
    }

    /// The edge opposite to a corner.
    fn edge(&self, opposite: usize) -> [VertexId; 2] {
        [self.corners[(opposite + 1) % 3], self.corners[(opposite + 2) % 3]]
    }
}

/// Adds to `pairs` the elementary pairs that a pair of faces represents, out of its 6
/// vertex-face and 9 edge-edge pairs. Skips a pair whose sides share a vertex or do not come
/// near during the `sweep`. `vertices` holds the bounds of all vertices for that sweep.
pub fn elementary_pairs(
    first: &FaceSide,
    second: &FaceSide,
    sweep: &Sweep,
    vertices: &[Dop18],
    pairs: &mut Vec<Pair>,
) {
    overlapping_pairs(first, second, vertices, |pair| {
        if may_come_near(&pair, sweep) {
            pairs.push(pair);
        }
    });
}

/// Calls `add` with each elementary pair that a pair of faces represents, if the pair's sides
/// share no vertex and their bounds overlap.
#[inline(always)]
pub fn overlapping_pairs(
    first: &FaceSide,
    second: &FaceSide,
    vertices: &[Dop18],
    mut add: impl FnMut(Pair),
) {
    let bounds = |vertex: VertexId| &vertices[vertex as usize];
    for (side, other) in [(first, second), (second, first)] {
        for corner in 0..3 {
            let vertex = side.corners[corner];
            if side.represented.vertex(corner)
                && !other.has(vertex)
                && bounds(vertex).overlaps(other.bounds)
            {
                add(Pair::vertex_face(vertex, other.corners));
            }
        }
    }
    for opposite1 in 0..3 {
        let [a, b] = first.edge(opposite1);
        if !first.represented.edge(opposite1) || second.has(a) & second.has(b) {
            continue;
        }
        let bounds1 = bounds(a).union(bounds(b));
        if !bounds1.overlaps(second.bounds) {
            continue;
        }
        for opposite2 in 0..3 {
            let [c, d] = second.edge(opposite2);
            if second.represented.edge(opposite2)
                && a != c
                && a != d
                && b != c
                && b != d
                && bounds1.overlaps(&bounds(c).union(bounds(d)))
            {
                add(Pair::edge_edge([a, b], [c, d]));
            }
        }
    }
}
