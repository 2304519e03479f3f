//! How layers of cloth hand down the mass of the bodies that lie on the uppermost one.
//!
//! A body's contacts tell only the nodes that they touch what lies on them. The layers below carry
//! it too. A contact between two of them that knew only their own light nodes would give way to
//! the body until it follows the load, and each rise of its stiffness while it is compressed puts
//! energy in: a block that fell by 1 cm onto two loose cloths gained as much as it had in four
//! steps. So the mass that lies on a node goes on through its contacts with nodes below, down to a
//! surface that does not move.
//!
//! Source: ours.

use crate::contacts::dynamics::MovingBodies;
use crate::state::context::Context;
use cloth_bodies::contact::sharing::Carried;
use cloth_bodies::contact::{Contact, Dynamics, Sharing, Sides, Term};
use cloth_core::error::Result;
use cloth_core::linear::Jacobian;
use cloth_core::math::Vec3;

/// Layers of cloth below the uppermost one that learn what lies on them.
const MOST_LAYERS: usize = 16;

/// A contact between two points of cloth, or of cloth and a prescribed surface below it.
struct Between<'a> {
    /// The terms above and below.
    upper: &'a [Term],
    lower: &'a [Term],
}

impl<'a> Between<'a> {
    /// None if a body takes part, or if neither side is below the other, where things `fall`.
    fn new(
        (contact, sides): &'a (Contact, Sides),
        bodies: &MovingBodies,
        fall: &Vec3,
    ) -> Option<Self> {
        let (first, second) = sides.terms().split_at(sides.first_side());
        let down = Vec3::from(contact.normal).dot(fall);
        let is_of_body = |term: &Term| bodies.body(term.node).is_some();
        if down == 0.0 || sides.terms().iter().any(is_of_body) {
            return None;
        }
        let (upper, lower) = if down < 0.0 { (first, second) } else { (second, first) };
        Some(Self { upper, lower })
    }
}

/// Hands the mass that `sharing` knows to lie on cloth nodes down through all layers of cloth, by
/// `contacts` of this step, by rising pair. Collective.
///
/// # Errors
/// When another rank has failed.
pub(super) fn hand_down(
    here: &Context,
    contacts: &[(Contact, Sides)],
    bodies: &MovingBodies,
    fall: &Vec3,
    sharing: &mut Sharing,
) -> Result<()> {
    let (world, layout) = (&*here.rank.world, &here.rank.layout);
    if sharing.all_carried().is_empty() {
        return Ok(());
    }
    let between = contacts.iter().filter_map(|it| Between::new(it, bodies, fall));
    let between = Vec::from_iter(between);
    let is_own = |term: &&Term| layout.own_index(term.node).is_some();
    // The owner of a node knows only contacts that push the node.
    let moves = |term: &&Term| weight(term) > 0.0 && !bodies.inverse_mass(term.node).is_zero();
    let mut last = Vec::new();
    for layer in 0..MOST_LAYERS {
        let is_laden = |term: &Term| sharing.carried(term.node) > 0.0;
        let down = between.iter().filter(|it| !it.lower.iter().any(is_laden));
        let down = Vec::from_iter(down);
        // What each node hands down through all of a contact: its load by the sum of its weights.
        let weights = down.iter().flat_map(|it| it.upper.iter().filter(is_own).filter(moves));
        let weights = weights.filter(|term| match layer {
            0 => is_laden(term),
            _ => carried_by(&last, term) > 0.0,
        });
        let weights = weights.map(|term| Carried::new(term.node, weight(term))).collect();
        let mut per_weight = Carried::gather(world, weights)?;
        for it in &mut per_weight {
            it.mass_kg = sharing.carried(it.node) / it.mass_kg;
        }
        let mut parts = Vec::new();
        for it in down {
            let part_kg: f64 =
                it.upper.iter().map(|term| weight(term) * carried_by(&per_weight, term)).sum();
            if part_kg > 0.0 {
                let own = it.lower.iter().filter(is_own).filter(moves);
                parts.extend(own.map(|term| Carried::new(term.node, weight(term) * part_kg)));
            }
        }
        last = Carried::gather(world, parts)?;
        if last.is_empty() {
            break;
        }
        sharing.add_carried(&last);
    }
    Ok(())
}

/// The size of the weight of a cloth node.
fn weight(term: &Term) -> f64 {
    match term.jacobian {
        Jacobian::Weight(weight) => weight.abs(),
        Jacobian::Arm(_) => 0.0,
    }
}

/// The mass (kg) that `all`, by rising node, have for the node of a term.
fn carried_by(all: &[Carried], term: &Term) -> f64 {
    let place = all.binary_search_by_key(&term.node, |it| it.node);
    place.map_or(0.0, |place| all[place].mass_kg)
}
