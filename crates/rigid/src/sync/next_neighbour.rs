//! Next-neighbour synchronisation: one communication with the neighbouring ranks.
//!
//! Source: algorithm 1 of the waLBerla paper (Eibl & Rüde 2018, "A local parallel communication
//! algorithm for polydisperse rigid body dynamics"). The owner alone decides which ranks hold
//! copies, so it must know all subdomains that its body can reach. This limits the size of a body:
//! the sum of radius, travel, margin and motion between two synchronisations must be less than the
//! smallest edge of a subdomain. The condition of the paper leaves out the motion, but a body that
//! has just left its subdomain reaches further by its motion.

use crate::sync::Parts;
use crate::sync::encoding::{Item, Purpose};
use crate::sync::moves::{self, Fate};
use cloth_core::error::Result;

/// Before: own bodies have the new state, and copies have the old state. After: the messages are
/// written. Bodies that belong to another rank have become copies, or are removed.
pub(super) fn pack(parts: &mut Parts) -> Result<()> {
    let neighbours = parts.region.neighbours();
    parts.mail.begin(Purpose::NextNeighbour, neighbours, neighbours);
    moves::delete_doomed(parts)?;
    let watched = parts.population.watched();
    for place in watched.iter().map(|&place| place as usize) {
        match moves::advance(parts, place)? {
            Fate::Stays => tell_neighbours(parts, place)?,
            Fate::Leaves => moves::delete(parts, place)?,
            Fate::Moves { to } => {
                tell_neighbours(parts, place)?;
                let keeps = moves::touches_own(parts, place);
                moves::migrate(parts, place, to, keeps)?;
            }
        }
    }
    parts.population.reuse(watched);
    Ok(())
}

/// Brings the copies on neighbouring ranks up to date: creates, updates and removes them.
fn tell_neighbours(parts: &mut Parts, place: usize) -> Result<()> {
    if parts.region.neighbours().is_empty() {
        return Ok(());
    }
    let bound = &parts.population.bounds()[place];
    if bound.travel > parts.limits.travel && !moves::is_deep(parts, place) {
        return Err(parts.limits.too_fast(parts.population.bodies().id(place), bound));
    }
    let touched = moves::touched_neighbours(parts, place);
    let Parts { population, mail, traffic, .. } = parts;
    let (body, link) = (population.bodies().at(place), &population.links()[place]);
    for &rank in &touched {
        if link.ranks.contains(&rank) {
            moves::update(mail, rank, &body)?;
        } else {
            traffic.created += 1;
            moves::copy(mail, rank, population, place)?;
        }
    }
    for &rank in link.ranks.iter().filter(|rank| !touched.contains(rank)) {
        traffic.removed += 1;
        mail.tell(rank, &Item::Remove { id: body.id })?;
    }
    population.link_mut(place).ranks = touched;
    Ok(())
}
