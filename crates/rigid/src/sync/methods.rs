//! The two ways of synchronisation (Eibl & Rüde 2018, "A local parallel communication algorithm for
//! polydisperse rigid body dynamics").
//!
//! **Next neighbours** (algorithm 1): one communication with the neighbouring ranks. The owner alone
//! decides which ranks hold copies, so it must know all subdomains that its body can reach. This
//! limits the size of a body: the sum of radius, travel, margin and motion between two
//! synchronisations must be less than the smallest edge of a subdomain. The condition of the paper
//! leaves out the motion, but a body that has just left its subdomain reaches further by its motion.
//!
//! **Shadow owners** (algorithm 2): bodies of any size, in two communications. First, the owner of a
//! body sends the new state to all holders, on any rank. Then every rank that knows a body sends a
//! copy to each neighbour that the body reaches into and that is not known to have it. A rank drops
//! a copy that it does not need.
//!
//! Copies spread from neighbour to neighbour, by one subdomain a synchronisation. Once all copies
//! exist, one synchronisation is enough: from one call to the next, the reach of a body grows by at
//! most its motion and the growth of its travel, and no subdomain is smaller than this
//! (`Limits::reach`). A rank that gets a new copy twice ignores the second one. Both have the same
//! bits.

use crate::sync::Parts;
use crate::sync::encoding::{Item, Purpose};
use crate::sync::mail::union;
use crate::sync::moves::{self, Fate};
use crate::sync::population::Partners;
use cloth_core::Result;

/// Before: own bodies have the new state, and copies have the old state. After: the messages are
/// written. Bodies that belong to another rank have become copies, or are removed.
pub(super) fn pack_neighbours(parts: &mut Parts) -> Result<()> {
    let neighbours = parts.region.neighbours();
    parts.mail.begin(Purpose::NextNeighbour, neighbours, neighbours);
    moves::delete_doomed(parts)?;
    let watched = parts.population.watched();
    for place in watched.iter().map(|&place| place as usize) {
        match moves::advance(parts, place)? {
            Fate::Stays => send_to_neighbours(parts, place)?,
            Fate::Leaves => moves::delete(parts, place)?,
            Fate::Moves { to } => {
                send_to_neighbours(parts, place)?;
                let keeps = moves::touches_own(parts, place);
                moves::migrate(parts, place, to, keeps)?;
            }
        }
    }
    parts.population.reuse(watched);
    Ok(())
}

/// Brings the copies on neighbouring ranks up to date: creates, updates and removes them.
fn send_to_neighbours(parts: &mut Parts, place: usize) -> Result<()> {
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
        mail.push(rank, &Item::Remove { id: body.id })?;
    }
    population.link_mut(place).ranks = touched;
    Ok(())
}

/// Before: own bodies have the new state, and copies have the old state. After: the messages of the
/// owners are written, and bodies that belong to another rank have become copies.
pub(super) fn pack_owners(parts: &mut Parts) -> Result<()> {
    let Partners { holders, owners, .. } = parts.partners;
    parts.mail.begin(Purpose::FromOwners, holders, owners);
    moves::delete_doomed(parts)?;
    let watched = parts.population.watched();
    for place in watched.iter().map(|&place| place as usize) {
        let fate = moves::advance(parts, place)?;
        if fate == Fate::Leaves {
            moves::delete(parts, place)?;
            continue;
        }
        send_to_holders(parts, place)?;
        if let Fate::Moves { to } = fate {
            moves::migrate(parts, place, to, true)?;
        }
    }
    parts.population.reuse(watched);
    Ok(())
}

fn send_to_holders(parts: &mut Parts, place: usize) -> Result<()> {
    let Parts { population, mail, .. } = parts;
    let (body, link) = (population.bodies().at(place), &population.links()[place]);
    link.ranks.iter().try_for_each(|&rank| moves::update(mail, rank, &body))
}

/// Before: copies have the new state, and owners and holders know each other. After: the messages
/// of the holders are written, and copies that are not needed are removed.
pub(super) fn pack_holders(parts: &mut Parts) -> Result<()> {
    let Partners { holders, owners, .. } = parts.partners;
    let neighbours = parts.region.neighbours();
    let (receivers, sources) = (union(owners, neighbours), union(holders, neighbours));
    parts.mail.begin(Purpose::FromHolders, &receivers, &sources);
    for place in (parts.population.own_count()..parts.population.len()).rev() {
        offer(parts, place)?;
        if !moves::touches_own(parts, place) {
            drop_copy(parts, place)?;
        }
    }
    let watched = parts.population.watched();
    watched.iter().try_for_each(|&place| offer(parts, place as usize))?;
    parts.population.reuse(watched);
    Ok(())
}

/// Sends copies of a body to the neighbours that it reaches into and that are not known to hold it.
fn offer(parts: &mut Parts, place: usize) -> Result<()> {
    let touched = moves::touched_neighbours(parts, place);
    let Parts { region, population, mail, traffic, .. } = parts;
    for rank in touched {
        let (id, link) = (population.bodies().id(place), &population.links()[place]);
        let owner = link.owner;
        if rank == owner || link.ranks.contains(&rank) {
            continue;
        }
        moves::copy(mail, rank, population, place)?;
        traffic.created += 1;
        if owner != region.rank() {
            mail.push(owner, &Item::NewHolder { id, holder: rank })?;
        }
        population.link_mut(place).add_rank(rank);
    }
    Ok(())
}

/// Drops a copy. Tells its owner, and the neighbours that may count this rank as a holder.
fn drop_copy(parts: &mut Parts, place: usize) -> Result<()> {
    let touched = moves::touched_neighbours(parts, place);
    let Parts { population, mail, traffic, .. } = parts;
    let (id, owner) = (population.bodies().at(place).id, population.links()[place].owner);
    mail.push(owner, &Item::Dropped { id })?;
    for rank in touched.into_iter().filter(|&rank| rank != owner) {
        mail.push(rank, &Item::Dropped { id })?;
    }
    traffic.removed += 1;
    population.remove(place);
    Ok(())
}
