//! Contacts of round surfaces: which pairs stand for them.
//!
//! A ball meets the faces of a surface of triangles with its centre, and a capsule with the ends of
//! its axis. So a closest point on an edge or at a corner is found with the faces around it. The
//! axis itself meets edges. Round surfaces meet each other with the ends of one axis and the other
//! axis, and two axes with each other.

use cloth_collision::collision::narrow::Closest;
use cloth_collision::collision::{Pair, PairKind, Radii};
use cloth_core::VertexId;

/// Whether no other pair is at least as near at the same points.
pub(super) fn stands_for_itself(pair: &Pair, at: &Closest, radii: &Radii) -> bool {
    match pair.kind() {
        PairKind::EdgeEdge => at.feature.is_interior() || is_end_of_edge(pair, at, radii),
        PairKind::VertexFace => match at.feature.corner() {
            Some(corner) => {
                let (vertex, corner) = (pair.vertices[0], pair.vertices[corner]);
                vertex < corner || alone_meets(vertex, corner, radii)
            }
            None => true,
        },
    }
}

/// Whether only the pair of a round `vertex` and a face has a closest point at its `corner`: no
/// face around the vertex meets the corner, which is not round.
fn alone_meets(vertex: VertexId, corner: VertexId, radii: &Radii) -> bool {
    radii.of(vertex) > 0.0 && radii.of(corner) == 0.0
}

/// Whether an axis meets the end of an edge that is not round.
fn is_end_of_edge(pair: &Pair, at: &Closest, radii: &Radii) -> bool {
    let is_inside = |side: usize| at.feature.contains(side) && at.feature.contains(side + 1);
    match radii.of_sides(pair).map(|radius_m| radius_m > 0.0) {
        [true, false] => is_inside(0),
        [false, true] => is_inside(2),
        _ => false,
    }
}
