//! Shadow-owner synchronisation: bodies of any size, in two communications.
//!
//! Source: algorithm 2 of the waLBerla paper (Eibl & Rüde 2018, "A local parallel communication
//! algorithm for polydisperse rigid body dynamics"). First the owners tell all holders, on any
//! rank. Then every rank that knows a body offers it to the neighbouring ranks that it reaches
//! into and that are not known to have it. A rank drops its own copy if it is not needed.
//!
//! Copies spread from neighbour to neighbour, one subdomain a call. Once all copies exist, one
//! call is enough. A point that the body newly reaches is at most one motion away from a point
//! that it reached at the last call, and subdomains are not smaller than this motion.
//!
//! A rank that gets a new body twice ignores the second copy. Both have the same bits.

use crate::error::Result;
use crate::rigid::sync::Parts;
use crate::rigid::sync::encoding::{Item, Purpose};
use crate::rigid::sync::mail::union;
use crate::rigid::sync::moves::{self, Fate};
use crate::rigid::sync::population::Partners;

/// Before: own bodies have the new state, copies the old one. After: the messages of the owners
/// are written.
pub(super) fn pack_owners(parts: &mut Parts) -> Result<()> {
    let Partners { holders, owners, .. } = parts.partners;
    parts.mail.begin(Purpose::OwnersTell, holders, owners);
    moves::delete_doomed(parts)?;
    let watched = parts.population.watched();
    for place in watched.iter().map(|&place| place as usize) {
        let fate = moves::advance(parts, place)?;
        if fate == Fate::Leaves {
            moves::delete(parts, place)?;
            continue;
        }
        tell_holders(parts, place)?;
        if let Fate::Moves { to } = fate {
            moves::migrate(parts, place, to, true)?;
        }
    }
    parts.population.reuse(watched);
    Ok(())
}

fn tell_holders(parts: &mut Parts, place: usize) -> Result<()> {
    let Parts { population, mail, .. } = parts;
    let (body, link) = (population.bodies().at(place), &population.links()[place]);
    link.ranks.iter().try_for_each(|&rank| moves::update(mail, rank, &body))
}

/// Before: copies have the new state, and owners and holders know each other. After: the messages
/// of the holders are written, and copies that are not needed are gone.
pub(super) fn pack_holders(parts: &mut Parts) -> Result<()> {
    let Partners { holders, owners, .. } = parts.partners;
    let neighbours = parts.region.neighbours();
    let (receivers, sources) = (union(owners, neighbours), union(holders, neighbours));
    parts.mail.begin(Purpose::HoldersTell, &receivers, &sources);
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

/// Offers a body to the neighbours that it reaches into.
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
            mail.tell(owner, &Item::NewHolder { id, holder: rank })?;
        }
        population.link_mut(place).add_rank(rank);
    }
    Ok(())
}

/// Drops a copy, and tells its owner and the neighbours that may know that this rank had it.
fn drop_copy(parts: &mut Parts, place: usize) -> Result<()> {
    let touched = moves::touched_neighbours(parts, place);
    let Parts { population, mail, traffic, .. } = parts;
    let (id, owner) = (population.bodies().at(place).id, population.links()[place].owner);
    mail.tell(owner, &Item::Dropped { id })?;
    for rank in touched.into_iter().filter(|&rank| rank != owner) {
        mail.tell(rank, &Item::Dropped { id })?;
    }
    traffic.removed += 1;
    population.remove(place);
    Ok(())
}
