//! How contacts share the mass of bodies.

use crate::contacts::dynamics::MovingBodies;
use crate::contacts::layers::hand_down;
use crate::contacts::stacks::lying_on_bodies;
use crate::state::context::Context;
use cloth_bodies::bodies::Place;
use cloth_bodies::contact::sharing::{Carried, HandedOn};
use cloth_bodies::contact::{
    Contact, ContactMemory, Dynamics, Sharing, Sides, lowest_pushed, memory_of,
};
use cloth_collision::collision::Pair;
use cloth_core::error::Result;
use cloth_core::ids::NodeId;
use cloth_core::linear::Jacobian;
use cloth_core::math::Vec3;

/// How contacts share the mass of each body: contacts of the last step that this rank remembers in
/// `memories`, and `contacts` of this step, by rising pair. One rank counts each of them. Gravity
/// points along `fall`.
/// Collective.
pub(crate) fn sharing(
    here: &Context,
    memories: &[ContactMemory],
    contacts: &[(Contact, Sides)],
    bodies: &MovingBodies,
    fall: &Vec3,
) -> Result<Sharing> {
    let (model, layout) = (here.model, &here.rank.layout);
    let mut sharing = Sharing::new(model.bodies.len());
    if model.bodies.is_empty() {
        return Ok(sharing);
    }
    let mut count = |pair: &Pair, owner: NodeId, is_of_last: bool| {
        if layout.own_index(owner).is_none() {
            return;
        }
        for first in [0, pair.first_side()] {
            if let Place::Body(body) = model.numbering.place(pair.vertices[first]) {
                sharing.count(body, is_of_last);
            }
        }
    };
    memories.iter().for_each(|memory| count(&memory.pair, memory.owner, true));
    for (contact, sides) in contacts {
        count(&contact.pair, lowest_pushed(sides, bodies), false);
    }
    let world = &*here.rank.world;
    sharing.add_ranks(world)?;
    if model.numbering.cloth() > 0 {
        carry(here, contacts, bodies, fall, &mut sharing)?;
    }
    sharing.hand_on(world, &handed_on(here, memories, contacts))?;
    Ok(sharing)
}

/// Tells the nodes of cloth what lies on them. Collective.
fn carry(
    here: &Context,
    contacts: &[(Contact, Sides)],
    bodies: &MovingBodies,
    fall: &Vec3,
    sharing: &mut Sharing,
) -> Result<()> {
    let lying = lying_on_bodies(here, contacts, bodies, fall)?;
    let mut parts = Vec::new();
    for (_, sides) in contacts {
        let Some(part_kg) = part_of_body(sides, bodies, sharing, &lying) else { continue };
        parts.extend(sides.terms().iter().filter_map(|term| match term.jacobian {
            // The owner of a node knows only contacts that push the node.
            Jacobian::Weight(weight) if weight != 0.0 && bodies.body(term.node).is_none() => {
                here.rank.layout.own_index(term.node)?;
                Some(Carried::new(term.node, weight.abs() * part_kg))
            }
            _ => None,
        }));
    }
    sharing.add_carried(&Carried::gather(&*here.rank.world, parts)?);
    hand_down(here, contacts, bodies, fall, sharing)
}

/// What is handed on at the bodies whose nodes this rank owns. It knows all contacts of them.
fn handed_on(
    here: &Context,
    memories: &[ContactMemory],
    contacts: &[(Contact, Sides)],
) -> Vec<HandedOn> {
    let (numbering, layout) = (&here.model.numbering, &here.rank.layout);
    let mut all = Vec::from_iter((0..here.model.bodies.len()).map(HandedOn::new));
    let bodies_of = |pair: &Pair| {
        let firsts = [0, pair.first_side()].map(|first| numbering.place(pair.vertices[first]));
        firsts.into_iter().filter_map(|place| match place {
            Place::Body(body) => Some(body),
            Place::Own(_) => None,
        })
    };
    let has_ended = |it: &&ContactMemory| {
        contacts.binary_search_by(|(contact, _)| contact.pair.cmp(&it.pair)).is_err()
    };
    for memory in memories.iter().filter(has_ended) {
        let force_n = memory.normal_force.max(0.0);
        bodies_of(&memory.pair).for_each(|body| all[body].force_n += force_n);
    }
    for (contact, _) in contacts.iter().filter(|(it, _)| memory_of(memories, &it.pair).is_none()) {
        let compression_m = (contact.distance_m - contact.gap_m).max(0.0);
        bodies_of(&contact.pair).for_each(|body| all[body].compression_m += compression_m);
    }
    let is_own = |it: &HandedOn| {
        let node = numbering.bodies()[it.body as usize].nodes.start;
        layout.own_index(node).is_some() && it.force_n > 0.0
    };
    all.retain(is_own);
    all
}

/// The part that a contact between `sides` has of a body and of what is `lying` on it (kg), kg. None
/// if neither side is a body.
fn part_of_body(
    sides: &Sides,
    bodies: &MovingBodies,
    sharing: &Sharing,
    lying: &[f64],
) -> Option<f64> {
    let of_body = |node| Some((bodies.body(node)?, node));
    let (body, node) = sides.terms().iter().find_map(|term| of_body(term.node))?;
    let own_kg = 1.0 / bodies.inverse_mass(node).mean();
    Some((own_kg + lying[body]) / sharing.sharers(body, false))
}
