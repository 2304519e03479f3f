//! Contacts of round surfaces: which pairs stand for them.
//!
//! A ball meets the faces of a surface of triangles with its centre, and a capsule with the ends of
//! its axis. So a closest point on an edge or at a corner is found with the faces around it. The axis
//! itself meets edges. Round surfaces meet each other with the ends of one axis and the other axis,
//! and two axes with each other.

use crate::collision::narrow::Closest;
use crate::collision::{Pair, Radii};
use crate::contact::point::{Contact, ContactKind};
use crate::ids::VertexId;

/// Whether only the pair of a round `vertex` and a face has a closest point at its `corner`: no face
/// around the vertex meets the corner, which is not round.
pub(super) fn alone_meets(vertex: VertexId, corner: VertexId, radii: &Radii) -> bool {
    radii.of(vertex) > 0.0 && radii.of(corner) == 0.0
}

/// Whether a pair of edges whose closest points are not inside of both stands for itself: an axis
/// meets an end of an edge that is not round.
pub(super) fn stands_for_itself(pair: &Pair, at: &Closest, radii: &Radii) -> bool {
    let is_inside = |side: usize| at.feature.contains(side) && at.feature.contains(side + 1);
    match radii.of_sides(pair).map(|radius_m| radius_m > 0.0) {
        [true, false] => is_inside(0),
        [false, true] => is_inside(2),
        _ => false,
    }
}

/// The `minima` among `all` contacts, without those near pairs of round surfaces that are no local minimum of the distance:
/// the closest points are on both sides of another near pair that is nearer, or as near and first.
pub(super) fn local_minima<'a>(
    all: &[&'a Contact],
    minima: Vec<&'a Contact>,
    radii: &Radii,
) -> Vec<&'a Contact> {
    if radii.is_empty() {
        return minima;
    }
    let round = |contact: &Contact| {
        let of_round = |place: usize| {
            let vertex = contact.pair.vertices[place];
            (contact.weights[place] != 0.0 && radii.of(vertex) > 0.0).then_some(vertex)
        };
        (0..4).filter_map(of_round).min()
    };
    let is_near = |contact: &&Contact| contact.kind() == ContactKind::Proximity;
    let mut near = Vec::from_iter(all.iter().filter(|it| is_near(it)).flat_map(|it| {
        let vertices = it.pair.vertices.into_iter();
        vertices.filter(|&vertex| radii.of(vertex) > 0.0).map(move |vertex| (vertex, *it))
    }));
    near.sort_by(|(v, a), (w, b)| v.cmp(w).then_with(|| a.pair.cmp(&b.pair)));
    near.dedup_by(|(v, a), (w, b)| v == w && a.pair == b.pair);
    let of_vertex = |vertex: VertexId| {
        let first = near.partition_point(|(it, _)| *it < vertex);
        near[first..].iter().take_while(move |(it, _)| *it == vertex).map(|(_, contact)| *contact)
    };
    let gives_way = |contact: &Contact| {
        let vertex = round(contact).filter(|_| is_near(&contact));
        vertex.is_some_and(|vertex| of_vertex(vertex).any(|by| is_on_nearer(contact, by)))
    };
    minima.into_iter().filter(|contact| !gives_way(contact)).collect()
}

/// Whether the closest points of `contact` are on the sides of `by`, which is nearer, or as near and
/// first.
fn is_on_nearer(contact: &Contact, by: &Contact) -> bool {
    let order = by.gap_m.total_cmp(&contact.gap_m).then(by.pair.cmp(&contact.pair));
    let carries = |place: usize| contact.weights[place] != 0.0;
    let is_on = |place: usize| by.pair.vertices.contains(&contact.pair.vertices[place]);
    order.is_lt() && (0..4).filter(|&place| carries(place)).all(is_on)
}
