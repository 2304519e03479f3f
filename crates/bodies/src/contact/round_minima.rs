//! Contacts of round surfaces that others make superfluous.

use crate::contact::point::{Contact, ContactKind};
use cloth_collision::collision::{PairKind, Radii};
use cloth_core::VertexId;

/// The `minima` among `all` contacts, without those of round surfaces that another contact makes
/// superfluous:
///
/// - near pairs that are no local minimum of the distance: the closest points are on both sides of
///   another near pair that is nearer, or as near and first;
/// - impacts on an edge or corner of a face above whose inside the same end of an axis is, or
///   arrives: what keeps it off the plane of that face keeps it off the edge. The impact alone
///   would push a ball that rolls over a flat mesh from the side.
///
/// The list must be whole, as for [`local_minima`](super::local_minima). The result does not depend on
/// its order.
pub(super) fn round_minima<'a>(
    all: &[Contact],
    minima: Vec<&'a Contact>,
    radii: &Radii,
) -> Vec<&'a Contact> {
    if radii.is_empty() {
        return minima;
    }
    let is_round = |vertex: &VertexId| radii.of(*vertex) > 0.0;
    let mut by_vertex = Vec::from_iter(all.iter().flat_map(|contact| {
        let round = contact.pair.vertices.into_iter().filter(is_round);
        round.map(move |vertex| (vertex, contact))
    }));
    by_vertex.sort_by_key(|(vertex, _)| *vertex);
    let of_vertex = |vertex: VertexId| {
        let first = by_vertex.partition_point(|(it, _)| *it < vertex);
        let of_it = by_vertex[first..].iter().take_while(move |(it, _)| *it == vertex);
        of_it.map(|(_, contact)| *contact)
    };
    let stays = |contact: &&Contact| {
        let carriers = (0..4).filter(|&place| contact.weights[place] != 0.0);
        let vertex = carriers.map(|place| contact.pair.vertices[place]).filter(is_round).min();
        !vertex.is_some_and(|vertex| of_vertex(vertex).any(|by| gives_way(contact, by)))
    };
    minima.into_iter().filter(stays).collect()
}

/// Whether `by` makes `contact` superfluous.
fn gives_way(contact: &Contact, by: &Contact) -> bool {
    let carries = |place: usize| contact.weights[place] != 0.0;
    let is_on = |place: usize| by.pair.vertices.contains(&contact.pair.vertices[place]);
    let is_on_by = || (0..4).filter(|&place| carries(place)).all(is_on);
    if contact.pair == by.pair || contact.collides() {
        return false;
    }
    match (contact.kind(), by.kind()) {
        (ContactKind::Proximity, ContactKind::Proximity) => {
            let order = by.gap_m.total_cmp(&contact.gap_m).then(by.pair.cmp(&contact.pair));
            order.is_lt() && is_on_by()
        }
        (ContactKind::Impact, _) => {
            let with_faces = [contact, by].iter().all(|it| it.pair.kind() == PairKind::VertexFace);
            let is_inside = by.weights.iter().all(|&weight| weight != 0.0);
            with_faces && is_inside && !(0..4).all(carries) && is_on_by()
        }
        (ContactKind::Proximity, ContactKind::Impact) => false,
    }
}
