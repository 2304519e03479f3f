//! The actions that both ways of synchronisation share: on a body that has moved, and on received
//! messages.

use crate::domain::Region;
use crate::domain::region::Ranks;
use crate::sync::encoding::Item;
use crate::sync::mail::Mail;
use crate::sync::population::Spot;
use crate::sync::{Limits, Parts};
use crate::{Body, BodyId, Load, Population, Traffic};
use cloth_core::{Error, Result};

/// The place where an own body belongs after its motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It belongs to this rank.
    Stays,
    /// It belongs to another rank.
    Moves { to: u32 },
    /// It is beyond an open border of the domain.
    Leaves,
}

/// Wraps the position of an own body into the domain and finds the rank where it belongs.
///
/// # Errors
/// If the body moved too far since the last synchronisation.
pub(super) fn advance(parts: &mut Parts, place: usize) -> Result<Fate> {
    let Parts { region, limits, population, traffic, .. } = parts;
    if population.spot(place) == Spot::Near {
        return Ok(Fate::Stays);
    }
    let domain = region.subdomains().domain();
    let id = population.bodies().id(place);
    let state = &mut population.own_states_mut()[place];
    let (position, _) = domain.wrap(&state.position);
    let unwrapped = std::mem::replace(&mut state.position, position);
    let radius = population.bounds()[place].radius;
    let moved = (unwrapped - population.mark(place, limits)).norm();
    limits.check_motion(id, moved, radius)?;
    if !domain.contains(&position) {
        traffic.left += 1;
        return Ok(Fate::Leaves);
    }
    let home = region.subdomains().owner(&position);
    let last = std::mem::replace(population.home_mut(place), home);
    traffic.crossed += u64::from(last != home);
    Ok(match region.rank_of(home) {
        to if to == region.rank() => Fate::Stays,
        to => Fate::Moves { to },
    })
}

/// True if an own body, grown by its travel and the margin, is inside of its subdomain.
pub(super) fn is_deep(parts: &Parts, place: usize) -> bool {
    let Parts { region, limits, population, .. } = parts;
    let bound = &population.bounds()[place];
    region.subdomains().depth(population.home(place), &bound.centre) > limits.held(bound)
}

/// The neighbouring ranks that a body, grown by its travel and the margin, reaches into.
pub(super) fn touched_neighbours(parts: &Parts, place: usize) -> Ranks {
    let Parts { region, limits, population, .. } = parts;
    let bound = &population.bounds()[place];
    let (centre, radius) = (&bound.centre, limits.held(bound));
    let is_own = place < population.own_count();
    if region.neighbours().is_empty() || is_own && is_deep(parts, place) {
        return Ranks::new();
    }
    region.touched_neighbours(&region.subdomains().domain().images(centre, radius), radius)
}

/// True if a body, grown by its travel and the margin, reaches into a subdomain of this rank.
pub(super) fn touches_own(parts: &Parts, place: usize) -> bool {
    let Parts { region, limits, population, .. } = parts;
    let bound = &population.bounds()[place];
    let (centre, radius) = (&bound.centre, limits.held(bound));
    region.touches(&region.subdomains().domain().images(centre, radius), radius)
}

/// Sends the state and the load of a body to a holder.
pub(super) fn update(mail: &mut Mail, rank: u32, body: &Body) -> Result<()> {
    mail.push(rank, &Item::Update { id: body.id, state: body.state })?;
    send_load(mail, rank, body)
}

/// Sends a rank a shadow copy of the body at place `at`.
pub(super) fn copy(mail: &mut Mail, rank: u32, population: &Population, at: usize) -> Result<()> {
    let (body, owner) = (population.bodies().at(at), population.links()[at].owner);
    let radius = population.bounds()[at].radius;
    mail.push(rank, &Item::NewCopy { body, radius, owner })?;
    send_load(mail, rank, &body)
}

/// Sends a rank the load of a body, unless it is zero. The response needs the load of a copy for
/// the acceleration at a contact.
fn send_load(mail: &mut Mail, rank: u32, body: &Body) -> Result<()> {
    let &Body { id, load, .. } = body;
    if load == Load::NONE { Ok(()) } else { mail.push(rank, &Item::Load { id, load }) }
}

/// Makes the rank `to` the owner of an own body, and tells all holders. Before: `to` has a copy, or
/// this communication sends it one. This rank keeps a copy if `keeps` is true, otherwise it forgets
/// the body.
pub(super) fn migrate(parts: &mut Parts, place: usize, to: u32, keeps: bool) -> Result<()> {
    let Parts { region, population, mail, traffic, .. } = parts;
    let id = population.bodies().at(place).id;
    let mut holders = std::mem::take(&mut population.link_mut(place).ranks);
    if !holders.contains(&to) {
        let cause = format!("body {id} comes to rank {to}, which has no copy of it");
        return Err(Error::internal(format!("bodies of rank {}", region.rank()), cause));
    }
    holders.retain(|&mut rank| rank != to);
    let item = Item::OwnerChanged { id, owner: to };
    holders.iter().try_for_each(|&rank| mail.push(rank, &item))?;

    let place = population.demote(place);
    if keeps {
        population.look_at(place);
        let link = population.link_mut(place);
        link.owner = to;
        let near = |rank: &&u32| region.neighbours().binary_search(rank).is_ok();
        link.ranks = holders.iter().filter(near).copied().collect();
        let at = holders.partition_point(|&rank| rank < region.rank());
        holders.insert(at, region.rank());
    } else {
        population.remove(place);
    }
    mail.push(to, &Item::Migrate { id, holders })?;
    traffic.migrated += 1;
    Ok(())
}

/// Deletes an own body and all its copies.
pub(super) fn delete(parts: &mut Parts, place: usize) -> Result<()> {
    let Parts { population, mail, traffic, .. } = parts;
    let id = population.bodies().at(place).id;
    for &rank in &population.links()[place].ranks {
        traffic.removed += 1;
        mail.push(rank, &Item::Remove { id })?;
    }
    population.remove(place);
    Ok(())
}

/// Deletes the bodies that were given to [`super::Population::delete`].
pub(super) fn delete_doomed(parts: &mut Parts) -> Result<()> {
    for id in std::mem::take(&mut parts.population.doomed) {
        if let Some(place) = parts.population.place(id) {
            delete(parts, place)?;
        }
    }
    Ok(())
}

/// Applies all messages. Before: all messages have arrived.
pub(super) fn unpack(parts: &mut Parts) -> Result<()> {
    let Parts { region, limits, population, mail, traffic, .. } = parts;
    mail.items(|from, item| apply(region, limits, population, traffic, from, item))
}

fn apply(
    region: &Region,
    limits: &Limits,
    population: &mut Population,
    traffic: &mut Traffic,
    from: u32,
    item: Item,
) -> Result<()> {
    let place = |population: &Population, id: BodyId| {
        population.place(id).ok_or_else(|| {
            let cause = format!("rank {from} tells of body {id}, which is unknown here");
            Error::internal(format!("bodies of rank {}", region.rank()), cause)
        })
    };
    match item {
        Item::NewCopy { body, radius, owner } => {
            let bound = limits.horizon.bound(&body.state, body.shape.swing(radius), radius);
            traffic.twice += u64::from(population.place(body.id).is_some());
            let place = population.place_or_copy(body, bound, owner)?;
            if from != owner {
                population.link_mut(place).add_rank(from);
            }
        }
        Item::Update { id, state } => population.set_state(place(population, id)?, state, limits),
        Item::Load { id, load } => population.set_load(place(population, id)?, load),
        Item::Remove { id } => population.remove(place(population, id)?),
        Item::Migrate { id, holders } => {
            let place = population.promote(place(population, id)?);
            let position = population.bodies().states()[place].position;
            let home = region.subdomains().owner(&position);
            *population.home_mut(place) = home;
            population.look_at(place);
            population.mark(place, limits);
            let link = population.link_mut(place);
            (link.owner, link.ranks) = (region.rank(), holders);
        }
        Item::OwnerChanged { id, owner } => {
            let place = place(population, id)?;
            let link = population.link_mut(place);
            link.owner = owner;
            link.remove_rank(owner);
            // With shadow owners the old owner keeps a copy.
            if region.neighbours().binary_search(&from).is_ok() {
                link.add_rank(from);
            }
        }
        Item::NewHolder { id, holder } => {
            let place = place(population, id)?;
            population.link_mut(place).add_rank(holder);
        }
        Item::Dropped { id } => {
            if let Some(place) = population.place(id) {
                population.link_mut(place).remove_rank(from);
            }
        }
    }
    Ok(())
}
