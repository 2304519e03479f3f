//! Fewer contacts between two bodies: what hundreds of near pairs hold, a few hold as well.
//!
//! Of the near pairs of two bodies of few nodes at most [`MOST`] stay in the linear system: those that
//! acted in the last step, so that a stack at rest keeps its contacts, then again and again the one
//! whose point is farthest from all that stay. Of points that are as far the first pair stays. The
//! others lie between them. Impulses and the fail-safe see all pairs.
//!
//! Source: ours.

use crate::contact::memory::{ContactMemory, memory_of};
use crate::contact::point::{Contact, ContactKind};
use crate::contact::side::{Dynamics, Sides};
use crate::math::Vec3;

/// The largest number of near pairs of two bodies.
const MOST: usize = 32;

/// Takes near pairs of two bodies away from `contacts`, until at most [`MOST`] are left of each two.
/// Contacts are by rising pair, and have all pairs of two bodies or none. `memories` are those of the
/// last step, and `x0` (m) the vertices at the start of the step.
pub fn reduce(
    contacts: &mut Vec<(Contact, Sides)>,
    bodies: &dyn Dynamics,
    memories: &[ContactMemory],
    x0: &[Vec3],
) {
    let mut of_bodies = Vec::new();
    for (place, (contact, sides)) in contacts.iter().enumerate() {
        if let (ContactKind::Proximity, Some(two)) = (contact.kind(), bodies_of(sides, bodies)) {
            of_bodies.push((two, place));
        }
    }
    if of_bodies.len() <= MOST {
        return;
    }
    of_bodies.sort_unstable();
    let mut left_out = Vec::new();
    for of_two in of_bodies.chunk_by(|a, b| a.0 == b.0).filter(|all| all.len() > MOST) {
        let candidate = |&(_, place): &([usize; 2], usize)| {
            let contact = &contacts[place].0;
            let has_acted = memory_of(memories, &contact.pair).is_some();
            Candidate { place, point: point(contact, x0), has_acted, distance: f64::INFINITY }
        };
        left_out.extend(without_farthest(of_two.iter().map(candidate).collect()));
    }
    if left_out.is_empty() {
        return;
    }
    left_out.sort_unstable();
    let mut place = 0;
    contacts.retain(|_| {
        place += 1;
        left_out.binary_search(&(place - 1)).is_err()
    });
}

/// The bodies of both sides, the lower one first, if both are bodies of few nodes.
fn bodies_of(sides: &Sides, bodies: &dyn Dynamics) -> Option<[usize; 2]> {
    let (terms, middle) = (sides.terms(), sides.first_side());
    let first = bodies.body(terms.first()?.node)?;
    let second = bodies.body(terms.get(middle)?.node)?;
    Some([first.min(second), first.max(second)])
}

/// The point of the first side, m.
fn point(contact: &Contact, x0: &[Vec3]) -> Vec3 {
    let first = contact.pair.vertices.iter().zip(&contact.weights).take(contact.pair.first_side());
    first.map(|(&vertex, &weight)| x0[vertex as usize] * weight).sum()
}

/// A near pair that may stay.
struct Candidate {
    /// Its place in the list of contacts.
    place: usize,
    /// m.
    point: Vec3,
    /// Whether it acted in the last step.
    has_acted: bool,
    /// The distance to the nearest point that stays, squared, m^2.
    distance: f64,
}

/// The places of the `candidates` that do not stay. Candidates are by rising place.
fn without_farthest(mut candidates: Vec<Candidate>) -> Vec<usize> {
    for _ in 0..MOST {
        let farther = |a: &&Candidate, b: &&Candidate| {
            let order = a.has_acted.cmp(&b.has_acted).then(a.distance.total_cmp(&b.distance));
            order.then(b.place.cmp(&a.place))
        };
        let Some(next) = candidates.iter().max_by(farther) else { break };
        let (place, point) = (next.place, next.point);
        candidates.retain(|it| it.place != place);
        for it in &mut candidates {
            it.distance = it.distance.min((it.point - point).norm_squared());
        }
    }
    candidates.into_iter().map(|it| it.place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(side: usize, acted: impl Fn(usize) -> bool) -> Vec<Candidate> {
        let point = |place: usize| Vec3::new((place % side) as f64, 0.0, (place / side) as f64);
        let candidate = |place| Candidate {
            place,
            point: point(place),
            has_acted: acted(place),
            distance: f64::INFINITY,
        };
        (0..side * side).map(candidate).collect()
    }

    #[test]
    fn corners_stay_and_points_spread() {
        let out = without_farthest(grid(20, |_| false));
        assert_eq!(out.len(), 400 - MOST);
        let stays = |place: usize| !out.contains(&place);
        assert!([0, 19, 380, 399].into_iter().all(stays));
        // Each point is near to one that stays.
        let near = |at: usize| {
            let [x, z] = [at % 20, at / 20];
            (0..400).filter(|&it| stays(it)).any(|it| {
                let [dx, dz] = [(it % 20).abs_diff(x), (it / 20).abs_diff(z)];
                dx * dx + dz * dz <= 25
            })
        };
        assert!((0..400).all(near));
    }

    #[test]
    fn what_acted_stays() {
        let out = without_farthest(grid(20, |place| place % 13 == 0));
        let acted = Vec::from_iter((0..400).filter(|place| place % 13 == 0));
        assert_eq!(acted.len(), 31);
        assert!(acted.iter().all(|place| !out.contains(place)));
    }
}
