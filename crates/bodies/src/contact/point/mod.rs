//! Contacts: pairs that are near, or will be, with their closest points.
//!
//! A list of contacts is found pair by pair. Each pair is decided from its four vertices alone.
//! Then [`local_minima`] reduces the whole list once.

use std::cmp::Ordering;

use bytemuck::{Pod, Zeroable};

use crate::contact::distance::ContactDistance;
use crate::contact::round;
use crate::contact::touched::Touched;
use cloth_collision::collision::ccd::time_of_round_impact;
use cloth_collision::collision::narrow::{Closest, closest};
use cloth_collision::collision::screen::{Pace, screen};
use cloth_collision::collision::{Pair, PairKind, Sweep};
use cloth_core::Vec3;

/// Fraction of the contact distance within which a predicted motion is an impact. Any value below
/// 1 works. A smaller one makes fewer contacts whose sides would not touch.
pub(super) const IMPACT_FRACTION: f64 = 0.25;
/// The same for bodies that did not touch. What ends nearer than the contact distance is pushed out,
/// and bodies would part with the speed of that.
const FRACTION_OF_BODIES: f64 = 0.98;

/// Why a contact is on the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContactKind {
    /// The pair is nearer than the contact distance at the start of the step.
    Proximity,
    /// Its predicted motion brings it near during the step.
    Impact,
}

/// A pair that is near, or will be, with its closest points as weighted sums of its vertices.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Contact {
    /// The pair; at most one contact each.
    pub pair: Pair,
    /// 0 for a proximity that collides in a solution, 1 for one that does not, 2 for an impact.
    kind: u32,
    /// Weights of the pair's vertices: `sum w_a x_a` is the vector from the second to the first
    /// side.
    pub weights: [f64; 4],
    /// Unit vector from the second side to the first.
    pub normal: [f64; 3],
    /// `normal . sum w_a x0_a` (m), less the radii of round sides: the gap at the start of the
    /// step, to first order. The gap of an impact is at least `distance_m`.
    pub gap_m: f64,
    /// The gap that the contact aims at, m.
    pub distance_m: f64,
}

impl Contact {
    /// A contact of `pair` at the closest points `at`.
    fn new(pair: Pair, kind: ContactKind, at: &Closest, gap_m: f64, distance_m: f64) -> Self {
        let (weights, normal) = (at.weights, at.normal.into());
        Self { pair, kind: kind as u32 + 1, weights, normal, gap_m, distance_m }
    }

    /// Notes that the pair is near, and that it collides in a solution of the step.
    pub(super) fn set_collides(&mut self) {
        self.kind = 0;
    }

    /// Whether its pair collides in a solution, so that no other contact makes it superfluous.
    pub(super) fn collides(&self) -> bool {
        self.kind == 0
    }

    /// A total order, by pair first. A repair may find a pair a second time, with another impact,
    /// and threads may find the two in any order. Where surfaces are flat, the two may differ only
    /// in their weights.
    #[inline]
    fn order(&self, other: &Self) -> Ordering {
        self.pair.cmp(&other.pair).then_with(|| self.order_of_one_pair(other))
    }

    #[cold]
    fn order_of_one_pair(&self, other: &Self) -> Ordering {
        let bits = |contact: &Self| {
            let Self { kind, gap_m, normal, weights, .. } = *contact;
            (kind, gap_m.to_bits(), normal.map(f64::to_bits), weights.map(f64::to_bits))
        };
        bits(self).cmp(&bits(other))
    }

    /// Why it is on the list.
    pub fn kind(&self) -> ContactKind {
        if self.kind < 2 { ContactKind::Proximity } else { ContactKind::Impact }
    }
}

/// Adds the contacts of `candidates` to `contacts`. Positions are indexed by vertex
/// (m): `x0` at the start of the step, `predicted` at its end.
///
/// All pairs nearer than their `distance` at `x0` are contacts, even if they separate. Without
/// these, contacts flicker (docs/methods.md, section 8). Other pairs are contacts if their motion
/// from `x0` to `predicted` brings them within a quarter of their distance, or within nearly all of
/// it if they are bodies that have not `touched`. The weights and the normal of an impact are those
/// at the time of impact: at `x0` they do not show where the sides will meet.
///
/// Two kinds of pairs are left out, because another pair has the same closest points. Edges are
/// left out unless their closest points are interior to both: a vertex and a face beside them are
/// as near. A vertex `v` and a face whose closest point is a corner `w < v` are left out: `w` and
/// a face around `v` are as near. A closest point on an edge or corner is still found once for
/// each face around it. The four vertices of one pair cannot decide which face counts, so
/// [`local_minima`] decides.
pub fn find_contacts(
    candidates: &[Pair],
    x0: &[Vec3],
    predicted: &[Vec3],
    distance: &ContactDistance,
    touched: Option<&Touched>,
    contacts: &mut Vec<Contact>,
) {
    let (radius, radii) = (distance.distance_m, distance.radii);
    let sweep = Sweep { x0, x1: predicted, radius, radii };
    screen(candidates, &sweep, Pace::Common, |pair| {
        let (start, end) = (pair.gather(x0), pair.gather(predicted));
        contacts.extend(proximity_or_impact(pair, &start, &end, distance, touched));
    });
}

fn proximity_or_impact(
    pair: Pair,
    start: &[Vec3; 4],
    end: &[Vec3; 4],
    distance: &ContactDistance,
    touched: Option<&Touched>,
) -> Option<Contact> {
    let (now, radii) = (closest(pair.kind(), *start), &distance.radii);
    let radius_m = radii.of_pair(&pair);
    let gap_m = now.distance - radius_m;
    if gap_m < distance.distance_m {
        let distance_m = distance.of(&pair, Some(&now.weights));
        if gap_m < distance_m {
            let contact = Contact::new(pair, ContactKind::Proximity, &now, gap_m, distance_m);
            return round::stands_for_itself(&pair, &now, radii).then_some(contact);
        }
    }
    let time_within =
        |separation_m| time_of_round_impact(pair.kind(), start, end, radius_m, separation_m);
    // Most pairs stay apart by this bound, and their own distance costs time.
    let is_impact_of_bodies = touched.is_some_and(|it| it.restitution(&pair).is_some());
    let fraction = if is_impact_of_bodies { FRACTION_OF_BODIES } else { IMPACT_FRACTION };
    time_within(fraction * distance.distance_m)?;
    let mean_m = distance.of(&pair, None);
    let time = time_within(fraction * mean_m)?;
    let then = closest(pair.kind(), std::array::from_fn(|a| start[a].lerp(&end[a], time)));
    let offset: Vec3 = (0..4).map(|a| then.weights[a] * start[a]).sum();
    let distance_m = distance.own.map_or(mean_m, |_| distance.of(&pair, Some(&then.weights)));
    let gap_m = (then.normal.dot(&offset) - radius_m).max(distance_m);
    let contact = Contact::new(pair, ContactKind::Impact, &then, gap_m, distance_m);
    round::stands_for_itself(&pair, &then, radii).then_some(contact)
}

/// One of the `contacts` of each pair, by rising pair, without those vertex-face proximities that
/// are no local minimum of the distance from their vertex. The closest point of such a contact is
/// on an edge or corner, and a face around it is nearer, or as near and first. The contact would
/// push the vertex sideways where it passes an edge between two flat faces, or push it once for
/// each face around a corner.
///
/// The list must be whole: it must have all contacts of each vertex. Parts that are reduced on
/// their own may keep more. The result does not depend on the order.
pub fn local_minima(contacts: &[Contact]) -> Vec<&Contact> {
    let mut contacts = Vec::from_iter(contacts);
    contacts.sort_unstable_by(|a, b| a.order(b));
    contacts.dedup_by_key(|contact| contact.pair);
    // In this order impacts of a vertex are between its proximities, and not every rank has the
    // same impacts.
    let of_one_vertex = |a: &&Contact, b: &&Contact| {
        let kinds = [a, b].map(|contact| contact.pair.kind());
        kinds == [PairKind::VertexFace; 2] && a.pair.vertices[0] == b.pair.vertices[0]
    };
    contacts
        .chunk_by(of_one_vertex)
        .flat_map(|all| all.iter().filter(|contact| !all.iter().any(|by| gives_way(contact, by))))
        .copied()
        .collect()
}

/// A closest point whose weight of a vertex is at most this lies on the opposite side. With a larger
/// one, or if the nearer of two points within 1e-4 of the gap wins, a sheet on a plane trembles: the
/// winner changes from step to step.
const NO_WEIGHT: f64 = 1e-9;

/// True if `contact` and `by` are proximities of the same vertex and faces, and the closest point
/// of `contact` is on the face of `by`, which is nearer, or as near and first. A closest point
/// inside the face of `by` is the nearest of that face, whatever rounding says: a vertex above an
/// edge between two faces of one plane would have two contacts now and then.
fn gives_way(contact: &Contact, by: &Contact) -> bool {
    let near = |contact: &Contact| contact.kind() == ContactKind::Proximity;
    let with_faces = contact.pair.kind() == PairKind::VertexFace;
    let face = &by.pair.vertices[1..];
    let has_weight = |of: &Contact, a: usize| of.weights[a].abs() > NO_WEIGHT;
    let is_inside = (1..4).all(|a| has_weight(by, a));
    let nearer = by.gap_m.total_cmp(&contact.gap_m).then(by.pair.cmp(&contact.pair)).is_lt();
    let on_face = |a: usize| !has_weight(contact, a) || face.contains(&contact.pair.vertices[a]);
    let may_go = with_faces && !contact.collides() && contact.pair != by.pair;
    may_go && near(contact) && near(by) && (nearer || is_inside) && (1..4).all(on_face)
}

#[cfg(test)]
mod tests;
