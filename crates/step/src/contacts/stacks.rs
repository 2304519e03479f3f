//! What lies on each body: how bodies hand their mass down to what is below them.
//!
//! A plate on cloth may carry far more than its own mass. Contacts of the cloth that knew only the
//! plate would give way to the load, see [`crate::contacts::layers`]. Each body hands its mass, and all that
//! lies on it, to what its contacts touch below: other bodies, cloth and surfaces, in equal parts.
//!
//! Source: ours.

use std::collections::BTreeMap;

use bytemuck::{Pod, Zeroable};

use crate::contacts::dynamics::MovingBodies;
use crate::state::context::Context;
use cloth_bodies::bodies::Place;
use cloth_bodies::contact::{Contact, Dynamics, Sides, lowest_pushed};
use cloth_core::error::Result;
use cloth_core::ids::NONE;
use cloth_core::math::Vec3;
use cloth_core::ranks::message;

/// Bodies on top of each other that hand down their mass.
const MOST_BODIES: usize = 16;
/// A contact carries if its normal is within 60 degrees of gravity: its cosine.
const CARRYING: f64 = 0.5;

/// How many contacts a body has with what is below it.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Resting {
    upper: u32,
    /// The body below, or [`NONE`] for cloth and obstacles.
    lower: u32,
    count: u64,
}

/// The mass of the bodies that lie on each body, kg, by `contacts` of this step. Gravity points
/// along `fall`. The same on every rank. Collective.
///
/// # Errors
/// When another rank has failed.
pub(super) fn lying_on_bodies(
    here: &Context,
    contacts: &[(Contact, Sides)],
    bodies: &MovingBodies,
    fall: &Vec3,
) -> Result<Vec<f64>> {
    let (numbering, layout) = (&here.model.numbering, &here.rank.layout);
    let body_at = |vertex| match numbering.place(vertex) {
        Place::Body(body) => body as u32,
        Place::Own(_) => NONE,
    };
    let mut counts = BTreeMap::<(u32, u32), u64>::new();
    for (contact, sides) in contacts {
        let down = Vec3::from(contact.normal).dot(fall);
        let first = body_at(contact.pair.vertices[0]);
        let second = body_at(contact.pair.vertices[contact.pair.first_side()]);
        // The normal points from the second side to the first.
        let (upper, lower) = if down < 0.0 { (first, second) } else { (second, first) };
        let carries = upper != NONE && down.abs() > CARRYING * fall.norm();
        if carries && layout.own_index(lowest_pushed(sides, bodies)).is_some() {
            *counts.entry((upper, lower)).or_default() += 1;
        }
    }
    let mine = counts.into_iter().map(|((upper, lower), count)| Resting { upper, lower, count });
    let all = message::all_gather_v(&*here.rank.world, &Vec::from_iter(mine))?;
    let masses = numbering.bodies().iter();
    let masses = masses.map(|it| 1.0 / bodies.inverse_mass(it.nodes.start).mean());
    Ok(handed_down(&all, &Vec::from_iter(masses)))
}

/// The mass that lies on each body (kg), if bodies of these `masses` (kg) have the contacts `all`.
fn handed_down(all: &[Resting], masses: &[f64]) -> Vec<f64> {
    let mut counts = BTreeMap::<(u32, u32), u64>::new();
    let mut below = vec![0; masses.len()];
    for it in all {
        *counts.entry((it.upper, it.lower)).or_default() += it.count;
        below[it.upper as usize] += it.count;
    }
    counts.retain(|&(_, lower), _| lower != NONE);
    let most_kg: f64 = masses.iter().sum();
    let mut lying = vec![0.0; masses.len()];
    for _ in 0..MOST_BODIES {
        let mut next = vec![0.0; masses.len()];
        for (&(upper, lower), &count) in &counts {
            let (upper, lower) = (upper as usize, lower as usize);
            let part = count as f64 / below[upper] as f64;
            next[lower] += part * (masses[upper] + lying[upper]);
        }
        // Bodies that lean on each other in a ring would hand their mass round for ever.
        next.iter_mut().for_each(|it| *it = f64::min(*it, most_kg));
        if next == lying {
            break;
        }
        lying = next;
    }
    lying
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resting(upper: u32, lower: u32, count: u64) -> Resting {
        Resting { upper, lower, count }
    }

    #[test]
    fn a_stack_hands_all_of_its_mass_down() {
        // Body 3 lies on 1 and 2, which lie on 0; body 2 also leans on the ground.
        let all = [
            resting(3, 1, 2),
            resting(3, 2, 1),
            resting(3, 2, 1),
            resting(1, 0, 5),
            resting(2, 0, 3),
            resting(2, NONE, 1),
            resting(0, NONE, 9),
        ];
        assert_eq!(handed_down(&all, &[1.0, 2.0, 3.0, 4.0]), [7.75, 2.0, 2.0, 0.0]);
    }

    #[test]
    fn bodies_that_lean_on_each_other_in_a_ring_carry_no_more_than_all() {
        let all = [resting(0, 1, 1), resting(1, 2, 1), resting(2, 0, 1)];
        assert!(handed_down(&all, &[1.0, 2.0, 3.0]).iter().all(|&it| it <= 6.0));
    }
}
