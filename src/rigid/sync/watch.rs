//! Which own bodies a synchronisation has to look at.
//!
//! Most bodies are deep inside of their subdomain and nobody has a copy of them. They are found where
//! bodies are moved, by all threads, while a body is in the cache. A synchronisation looks at the
//! others alone.

use crate::math::Vec3;
use crate::rigid::body::Body;
use crate::rigid::broad::Bound;
use crate::rigid::domain::{SubdomainId, Subdomains};
use crate::rigid::sync::population::{OwnParts, Spot};
use crate::rigid::sync::{Limits, Population, Synchroniser};
use crate::threads::{Blocks, Threads};

/// Own bodies that a thread takes at once.
const BLOCK: usize = 256;

/// Share of the allowed motion, squared, up to which a body counts as inside. One beyond it is
/// looked at closely.
const CLEARLY_ALLOWED: f64 = 0.99;

impl Synchroniser {
    /// Moves all own bodies and finds those that the next synchronisation must look at. Until then no
    /// body may move again.
    pub fn advance(
        &mut self,
        population: &mut Population,
        threads: &Threads,
        advance: impl Fn(&mut Body) + Sync,
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
        advance: impl Fn(&mut Body) + Sync,
    ) {
        let look = Look { subdomains: self.region.subdomains(), limits: &self.limits };
        let OwnParts { bodies, bounds, homes, spots, links } = population.own_parts();
        let slices = (
            Blocks { items: bodies, size: BLOCK },
            Blocks { items: bounds, size: BLOCK },
            Blocks { items: spots, size: BLOCK },
        );
        threads.for_each_patch(slices, 1, |block, (bodies, bounds, spots)| {
            let own = block * BLOCK..block * BLOCK + bodies.items.len();
            let (homes, links) = (&homes[own.clone()], &links[own]);
            let known = homes.iter().zip(links);
            let parts = bodies.items.iter_mut().zip(bounds.items).zip(spots.items).zip(known);
            for (((body, bound), spot), (&home, link)) in parts {
                advance(body);
                let is_alone = *spot == Spot::Inside || link.ranks.is_empty();
                *spot = look.spot(body, bound, home, is_alone);
            }
        });
    }
}

#[derive(Clone, Copy)]
struct Look<'a> {
    subdomains: &'a Subdomains,
    limits: &'a Limits,
}

impl Look<'_> {
    /// Where an own body is. If its owner is the same as before, it counts as synchronised.
    #[inline]
    fn spot(&self, body: &Body, bound: &mut Bound, home: SubdomainId, is_alone: bool) -> Spot {
        let now = self.limits.horizon.bound(body, bound.radius);
        let (position, radius) = (&now.centre, self.limits.held(&now));
        let most = self.limits.motion * self.limits.motion * CLEARLY_ALLOWED;
        let is_allowed = (position - bound.centre).norm_squared() <= most
            && self.subdomains.domain().contains(position);
        let is_inside = is_alone && self.subdomains.encloses(home, position, radius);
        if is_allowed && (is_inside || self.stays(position, home)) {
            *bound = now;
            return if is_inside { Spot::Inside } else { Spot::Near };
        }
        Spot::Unknown
    }

    /// True if a body that is not deep inside of its subdomain is still in it.
    #[cold]
    fn stays(&self, position: &Vec3, home: SubdomainId) -> bool {
        let (_, image) = self.subdomains.domain().wrap(position);
        image == [0; 3] && self.subdomains.owner(position) == home
    }
}
