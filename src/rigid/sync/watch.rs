//! Which own bodies a synchronisation has to look at.
//!
//! Most bodies are deep inside of their subdomain and nobody has a copy of them. They are found
//! where bodies are moved, by all threads, while a body is in the cache. A synchronisation looks at
//! the others alone.

use crate::math::Vec3;
use crate::rigid::body::State;
use crate::rigid::broad::Bound;
use crate::rigid::domain::{Region, SubdomainId, Subdomains};
use crate::rigid::sync::population::{OwnParts, Spot};
use crate::rigid::sync::{Limits, Population, Synchroniser};
use crate::rigid::table::Rest;
use crate::threads::{Blocks, Threads};

/// Own bodies that a thread takes at once.
const BLOCK: usize = 256;

/// Share of the allowed motion, squared, up to which a body counts as inside. One beyond it is
/// looked at closely.
const CLEARLY_ALLOWED: f64 = 0.99;

impl Synchroniser {
    /// Moves all own bodies, each with `advance(place, state, rest of the bodies)`, and finds those
    /// that the next synchronisation must look at. Until then no body may move again.
    pub fn advance(
        &mut self,
        population: &mut Population,
        threads: &Threads,
        advance: impl Fn(usize, &mut State, &Rest) + Sync,
    ) {
        self.watch(population, threads, advance);
        self.looked = true;
    }

    /// Gives own bodies another order in memory: first the one at place `order[0]`, and so on.
    /// Nothing else changes.
    pub fn reorder(&mut self, population: &mut Population, order: &[u32]) {
        population.reorder(order);
        self.partners.find(population);
    }

    pub(super) fn watch(
        &self,
        population: &mut Population,
        threads: &Threads,
        advance: impl Fn(usize, &mut State, &Rest) + Sync,
    ) {
        let look = Look::new(&self.region, &self.limits);
        let OwnParts { states, rest, bounds, homes, spots, links } = population.own_parts();
        let slices = (
            Blocks { items: states, size: BLOCK },
            Blocks { items: bounds, size: BLOCK },
            Blocks { items: spots, size: BLOCK },
        );
        threads.for_each_patch(slices, 1, |block, (states, bounds, spots)| {
            let own = block * BLOCK..block * BLOCK + states.items.len();
            let (homes, links) = (&homes[own.clone()], &links[own.clone()]);
            let known = homes.iter().zip(links).zip(own);
            let parts = states.items.iter_mut().zip(bounds.items).zip(spots.items).zip(known);
            for (((state, bound), spot), ((&home, link), place)) in parts {
                advance(place, state, &rest);
                let now =
                    look.limits.horizon.bound(state, rest.swing(place, bound.radius), bound.radius);
                if *spot == Spot::Inside && look.is_inside(&now, bound, home) {
                    *bound = now;
                } else {
                    *spot = look.spot(&now, bound, home, link.ranks.is_empty());
                }
            }
        });
    }
}

#[derive(Clone, Copy)]
struct Look<'a> {
    subdomains: &'a Subdomains,
    limits: &'a Limits,
    /// The clearly allowed motion, squared, m^2.
    motion_squared: f64,
    has_open_borders: bool,
}

impl<'a> Look<'a> {
    fn new(region: &'a Region, limits: &'a Limits) -> Self {
        let subdomains = region.subdomains();
        Self {
            subdomains,
            limits,
            motion_squared: limits.motion * limits.motion * CLEARLY_ALLOWED,
            has_open_borders: subdomains.domain().periodic() != [true; 3],
        }
    }

    /// True if a body, at `position` now, has moved as it may and has not left the domain.
    #[inline]
    fn is_allowed(&self, position: &Vec3, bound: &Bound) -> bool {
        (position - bound.centre).norm_squared() <= self.motion_squared
            && (!self.has_open_borders || self.subdomains.domain().contains(position))
    }

    /// True if that and it is deep inside of its subdomain.
    #[inline]
    fn is_inside(&self, now: &Bound, bound: &Bound, home: SubdomainId) -> bool {
        self.is_allowed(&now.centre, bound)
            && self.subdomains.encloses(home, &now.centre, self.limits.held(now))
    }

    /// Where an own body is; nobody has a copy if it `is_alone`. If its owner is the same as
    /// before, it counts as synchronised.
    #[cold]
    fn spot(&self, now: &Bound, bound: &mut Bound, home: SubdomainId, is_alone: bool) -> Spot {
        let is_inside = is_alone && self.is_inside(now, bound, home);
        if is_inside || self.is_allowed(&now.centre, bound) && self.stays(&now.centre, home) {
            *bound = *now;
            return if is_inside { Spot::Inside } else { Spot::Near };
        }
        Spot::Unknown
    }

    /// True if a body that is not deep inside of its subdomain is still in it.
    fn stays(&self, position: &Vec3, home: SubdomainId) -> bool {
        let (_, image) = self.subdomains.domain().wrap(position);
        image == [0; 3] && self.subdomains.owner(position) == home
    }
}
