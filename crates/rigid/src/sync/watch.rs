//! Finds the own bodies that a synchronisation must examine.
//!
//! Most bodies are deep inside their subdomain, and no rank has a copy of them. All threads find
//! these bodies while they move them, when a body is in the cache. A synchronisation examines only
//! the other bodies.
//!
//! A body that was found inside has *room*, in m. It stays inside as long as its path since then
//! plus its travel is shorter than the room. So its distance from borders need not be computed.

use crate::broad::Bound;
use crate::domain::{SubdomainId, Subdomains};
use crate::sync::population::{Link, OwnParts, Spot};
use crate::sync::{Limits, Synchroniser};
use crate::table::Rest;
use crate::{BodyState, Population};
use cloth_core::{Blocks, Threads, Vec3};

/// Number of own bodies that a thread takes at once.
const BLOCK: usize = 256;

/// A body that moved by more than this fraction of the largest motion is examined in full.
const CLEARLY_ALLOWED: f64 = 0.99;

/// Fraction by which a stored room is smaller than the computed one, so that rounding never makes
/// it too large.
const ROUNDING: f64 = 1e-6;

impl Synchroniser {
    /// Moves each own body with `advance(place, state, rest)`, where `rest` has the other columns
    /// of all bodies. Finds the bodies that the next synchronisation must examine. No body may move
    /// again before that synchronisation.
    pub fn advance(
        &mut self,
        population: &mut Population,
        threads: &Threads,
        advance: impl Fn(usize, &mut BodyState, &Rest) + Sync,
    ) {
        self.watch(population, threads, advance);
        self.looked = true;
    }

    /// Reorders own bodies in memory: the body at place `order[k]` moves to place `k`. Nothing else
    /// changes.
    pub fn reorder(&mut self, population: &mut Population, order: &[u32]) {
        population.reorder(order);
        self.partners.find(population);
    }

    pub(super) fn watch(
        &self,
        population: &mut Population,
        threads: &Threads,
        advance: impl Fn(usize, &mut BodyState, &Rest) + Sync,
    ) {
        let look = Look { subdomains: self.region.subdomains(), limits: &self.limits };
        let OwnParts { states, rest, bounds, homes, spots, rooms, links } = population.own_parts();
        let slices = (
            Blocks { items: states, size: BLOCK },
            Blocks { items: bounds, size: BLOCK },
            Blocks { items: spots, size: BLOCK },
            Blocks { items: rooms, size: BLOCK },
        );
        threads.for_each_patch(slices, 1, |block, (states, bounds, spots, rooms)| {
            let own = block * BLOCK..block * BLOCK + states.items.len();
            let (homes, links) = (&homes[own.clone()], &links[own.clone()]);
            let known = homes.iter().zip(links).zip(own);
            let seen = bounds.items.iter_mut().zip(spots.items).zip(rooms.items);
            for ((state, ((bound, spot), room)), ((&home, link), place)) in
                states.items.iter_mut().zip(seen).zip(known)
            {
                advance(place, state, &rest);
                let swing = rest.swing(place, bound.radius);
                let travel = look.limits.horizon.travel(&state.twist, swing, bound.radius);
                // Single precision is enough. Square roots take most of the time of this loop.
                let moved = ((state.position - bound.centre).norm_squared() as f32).sqrt();
                *room = below(*room - moved);
                let is_inside = *spot == Spot::Inside
                    && f64::from(*room) > look.limits.ahead(bound.radius, travel);
                if is_inside
                    && f64::from(moved) <= CLEARLY_ALLOWED * look.limits.motion_of(bound.radius)
                {
                    (bound.centre, bound.travel) = (state.position, travel);
                } else {
                    let now = Bound { centre: state.position, radius: bound.radius, travel };
                    (*spot, *room) = look.spot(&now, bound, home, link);
                }
            }
        });
    }
}

/// The next number below a positive `x`. For other `x` the result is not above 0, or NaN, and the
/// body does not count as inside.
fn below(x: f32) -> f32 {
    f32::from_bits(x.to_bits().wrapping_sub(1))
}

#[derive(Clone, Copy)]
struct Look<'a> {
    subdomains: &'a Subdomains,
    limits: &'a Limits,
}

impl Look<'_> {
    /// The spot of an own body, and its room (m). Unless the spot is [`Spot::Unknown`], this
    /// updates the bound, and the body counts as synchronised.
    #[cold]
    fn spot(&self, now: &Bound, bound: &mut Bound, home: SubdomainId, link: &Link) -> (Spot, f32) {
        let moved = (now.centre - bound.centre).norm();
        let is_allowed = moved <= CLEARLY_ALLOWED * self.limits.motion_of(now.radius)
            && self.subdomains.domain().depth(&now.centre, false) >= 0.0;
        let room = self.room(now, home);
        let is_inside = room > self.limits.ahead(now.radius, now.travel) && link.ranks.is_empty();
        if !is_allowed || !is_inside && !self.stays(&now.centre, home) {
            return (Spot::Unknown, 0.0);
        }
        *bound = *now;
        if is_inside { (Spot::Inside, ((1.0 - ROUNDING) * room) as f32) } else { (Spot::Near, 0.0) }
    }

    /// The room of a body, m: the smaller of two distances. One is the distance that its surface,
    /// grown by the margin, may move before it reaches into another subdomain. The other is the
    /// distance that its centre may move before it leaves the domain.
    fn room(&self, now: &Bound, home: SubdomainId) -> f64 {
        let depth = self.subdomains.depth(home, &now.centre) - now.radius - self.limits.margin;
        depth.min(self.subdomains.domain().depth(&now.centre, false))
    }

    /// True if `position` is in the domain and in the subdomain `home`.
    fn stays(&self, position: &Vec3, home: SubdomainId) -> bool {
        let (_, image) = self.subdomains.domain().wrap(position);
        image == [0; 3] && self.subdomains.owner(position) == home
    }
}
