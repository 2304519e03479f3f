//! Contacts: pairs that are near, or will be, with their closest points.
//!
//! A list of contacts is found pair by pair. Each pair is decided from its four vertices alone.
//! Then [`local_minima`] reduces the whole list once.

use std::cmp::Ordering;

use bytemuck::{Pod, Zeroable};

use crate::collision::ccd::time_of_round_impact;
use crate::collision::narrow::{Closest, closest};
use crate::collision::screen::{Pace, screen};
use crate::collision::{Pair, PairKind, Sweep};
use crate::contact::distance::ContactDistance;
use crate::contact::round;
use crate::contact::touched::Touched;
use crate::math::Vec3;

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

/// True if `contact` and `by` are proximities of the same vertex and faces, and the closest point
/// of `contact` is on the face of `by`, which is nearer, or as near and first.
fn gives_way(contact: &Contact, by: &Contact) -> bool {
    let near = |contact: &Contact| contact.kind() == ContactKind::Proximity;
    let with_faces = contact.pair.kind() == PairKind::VertexFace;
    let face = &by.pair.vertices[1..];
    let nearer = by.gap_m.total_cmp(&contact.gap_m).then(by.pair.cmp(&contact.pair)).is_lt();
    let on_face = |a: usize| contact.weights[a] == 0.0 || face.contains(&contact.pair.vertices[a]);
    let may_go = with_faces && !contact.collides();
    may_go && near(contact) && near(by) && nearer && (1..4).all(on_face)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::Radii;
    use crate::ids::VertexId;
    use proptest::prelude::*;

    const DISTANCE_M: f64 = 1e-3;

    fn distance() -> ContactDistance<'static> {
        ContactDistance::alike(DISTANCE_M, Radii::default())
    }

    struct Grid {
        faces: Vec<[VertexId; 3]>,
        edges: Vec<[VertexId; 2]>,
    }

    /// `n` x `n` cells of `side_m` at height `y` from corner `at`, appended to `x`.
    fn grid(x: &mut Vec<Vec3>, n: u32, side_m: f64, at: [f64; 2], y: f64) -> Grid {
        let (first, row) = (x.len() as u32, n + 1);
        let (mut faces, mut edges) = (Vec::new(), Vec::new());
        for i in 0..row {
            for j in 0..row {
                let [u, v] = [f64::from(i), f64::from(j)].map(|k| k * side_m);
                x.push(Vec3::new(at[0] + u, y, at[1] + v));
                let [a, b] = [first + i * row + j, first + (i + 1) * row + j];
                edges.extend((i < n).then_some([a, b]));
                edges.extend((j < n).then_some([a, a + 1]));
                if i < n && j < n {
                    faces.extend([[a, a + 1, b], [a + 1, b + 1, b]]);
                    edges.push([a + 1, b]);
                }
            }
        }
        Grid { faces, edges }
    }

    /// All pairs between two grids; the second's vertices follow the first's.
    fn all_pairs(first: &Grid, second: &Grid) -> Vec<Pair> {
        let vertices = |grid: &Grid| {
            let ids = || grid.edges.iter().flatten().copied();
            ids().min().unwrap_or(0)..=ids().max().unwrap_or(0)
        };
        let mut pairs = Vec::new();
        for (one, other) in [(first, second), (second, first)] {
            for vertex in vertices(one) {
                pairs.extend(other.faces.iter().map(|&face| Pair::vertex_face(vertex, face)));
            }
        }
        for &edge in &first.edges {
            pairs.extend(second.edges.iter().map(|&other| Pair::edge_edge(edge, other)));
        }
        pairs
    }

    /// A patch of 10 cm `height` above the middle of a larger plane, its vertices
    /// not over the plane's except for a few just beside its edges.
    fn patch_over_plane(height: f64) -> (Vec<Vec3>, Vec<Pair>) {
        let mut x = Vec::new();
        let patch = grid(&mut x, 5, 0.02, [0.0102, 0.0302], height);
        let plane = grid(&mut x, 7, 0.05, [-0.1, -0.1], 0.0);
        let pairs = all_pairs(&patch, &plane);
        (x, pairs)
    }

    fn minima(pairs: &[Pair], x0: &[Vec3], predicted: &[Vec3]) -> Vec<Contact> {
        let mut contacts = Vec::new();
        let distance = distance();
        find_contacts(pairs, x0, predicted, &distance, None, &mut contacts);
        local_minima(&contacts).into_iter().copied().collect()
    }

    #[test]
    fn a_patch_on_a_plane_is_held_straight_up() {
        let (x, pairs) = patch_over_plane(0.5 * DISTANCE_M);
        let contacts = minima(&pairs, &x, &x);
        for contact in &contacts {
            let up = if contact.pair.vertices[0] < 36 { 1.0 } else { -1.0 };
            assert!((Vec3::from(contact.normal) - up * Vec3::y()).norm() < 1e-12, "{contact:?}");
            assert!((contact.gap_m - 0.5 * DISTANCE_M).abs() < 1e-15);
            assert_eq!(contact.kind(), ContactKind::Proximity);
        }
        for vertex in 0..36 {
            let of_it = |c: &&Contact| {
                c.pair.kind() == PairKind::VertexFace && c.pair.vertices[0] == vertex
            };
            assert_eq!(contacts.iter().filter(of_it).count(), 1, "vertex {vertex}");
        }
        assert!(contacts.iter().any(|c| c.pair.kind() == PairKind::EdgeEdge));
    }

    /// A rank that owns a corner alone does not have all impacts of a vertex.
    #[test]
    fn impacts_do_not_decide_which_proximities_are_kept() {
        let (x, pairs) = patch_over_plane(0.5 * DISTANCE_M);
        let mut near = Vec::new();
        let distance = distance();
        find_contacts(&pairs, &x, &x, &distance, None, &mut near);
        let impacts = near.iter().filter(|it| it.pair.kind() == PairKind::VertexFace).map(|it| {
            let [vertex, a, b, c] = it.pair.vertices;
            // The next pair in order, with no face of the mesh.
            Contact { pair: Pair::vertex_face(vertex, [a, b, c + 1000]), kind: 2, ..*it }
        });
        let mixed = [near.clone(), impacts.collect()].concat();
        let count = near.len();
        let near = local_minima(&near);
        assert!(near.len() < count);
        let mut mixed = local_minima(&mixed);
        mixed.retain(|contact| contact.kind() == ContactKind::Proximity);
        assert_eq!(mixed, near);
    }

    #[test]
    fn parting_pairs_stay_on_the_list() {
        let (x, pairs) = patch_over_plane(0.5 * DISTANCE_M);
        let mut parting = x.clone();
        parting[..36].iter_mut().for_each(|x| x.y += 0.1);
        assert_eq!(minima(&pairs, &x, &x), minima(&pairs, &x, &parting));
    }

    #[test]
    fn a_falling_patch_is_caught_before_it_arrives() {
        let (x, pairs) = patch_over_plane(5.0 * DISTANCE_M);
        let mut falling = x.clone();
        falling[..36].iter_mut().for_each(|x| x.y -= 0.05);
        let contacts = minima(&pairs, &x, &falling);
        assert!(minima(&pairs, &x, &x).is_empty());
        for vertex in 0..36 {
            let holds = |c: &Contact| {
                c.pair.vertices[0] == vertex
                    && c.kind() == ContactKind::Impact
                    && (c.normal[1] - 1.0).abs() < 1e-9
                    && (c.gap_m - 5.0 * DISTANCE_M).abs() < 1e-9
            };
            assert!(contacts.iter().any(holds), "vertex {vertex}");
        }
        assert!(contacts.iter().all(|c| c.gap_m >= DISTANCE_M));
    }

    #[test]
    fn vertices_over_vertices_touch_once() {
        let mut x = Vec::new();
        let low = grid(&mut x, 3, 0.02, [0.0, 0.0], 0.0);
        let high = grid(&mut x, 3, 0.02, [0.0, 0.0], 0.5 * DISTANCE_M);
        let contacts = minima(&all_pairs(&low, &high), &x, &x);
        assert_eq!(contacts.len(), 16);
        assert!(contacts.iter().all(|c| c.normal == [0.0, -1.0, 0.0]));
    }

    #[test]
    fn edges_that_cross_in_passing_have_the_normal_of_the_crossing() {
        // The upper edge comes from the side, so that at the start the closest
        // points are ends and the normal there is nearly horizontal.
        let x0 = [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0], [2.0, 0.01, 0.0], [3.0, 0.01, 0.0]];
        let x0 = x0.map(Vec3::from).to_vec();
        let mut end = x0.clone();
        end[2..].iter_mut().for_each(|x| *x += Vec3::new(-4.0, -0.015, 0.0));
        let contacts = minima(&[Pair::edge_edge([0, 1], [2, 3])], &x0, &end);
        assert_eq!(contacts.len(), 1);
        assert!((contacts[0].normal[1] + 1.0).abs() < 1e-9, "{contacts:?}");
    }

    /// Two impacts of one vertex on a flat face, as two solutions of a step find them: they differ
    /// in their weights alone.
    #[test]
    fn which_of_two_impacts_of_a_pair_is_kept_does_not_depend_on_the_order() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3::from);
        let x0 = [vec![Vec3::new(0.2, 0.01, 0.2)], corners.to_vec()].concat();
        let pair = Pair::vertex_face(0, [1, 2, 3]);
        let impact = |along_m: f64| {
            let mut end = x0.clone();
            end[0] += Vec3::new(along_m, -0.02, 0.0);
            minima(&[pair], &x0, &end)[0]
        };
        let [one, other] = [[0.1, 0.3], [0.3, 0.1]].map(|ways| ways.map(impact));
        assert_eq!((one[0].gap_m, one[0].normal), (other[0].gap_m, other[0].normal));
        assert_ne!(one[0], other[0]);
        assert_eq!(local_minima(&one), local_minima(&other));
    }

    proptest! {
        #[test]
        fn local_minima_do_not_depend_on_the_order(seed in any::<[u64; 4]>()) {
            let mut x = Vec::new();
            let low = grid(&mut x, 3, 0.02, [0.0, 0.0], 0.0);
            let high = grid(&mut x, 3, 0.02, [0.0005, 0.0003], 0.4 * DISTANCE_M);
            let mut pairs = all_pairs(&low, &high);
            let expected = minima(&pairs, &x, &x);
            pairs.sort_by_key(|pair| {
                let mix = |hash: u64, (v, s): (&u32, &u64)| (hash ^ u64::from(*v)).wrapping_mul(s | 1);
                pair.vertices.iter().zip(&seed).fold(1, mix).rotate_left(32)
            });
            prop_assert_eq!(minima(&pairs, &x, &x), expected);
        }
    }
}
