//! Which own bodies a synchronisation has to look at.
//!
//! Most bodies are deep inside of their subdomain and nobody has a copy of them. They are found where
//! bodies are moved, by all threads, while a body is in the cache. A synchronisation looks at the
//! others alone.

use crate::math::Vec3;
use crate::rigid::body::Body;
use crate::rigid::broad::Bound;
use crate::rigid::domain::Subdomains;
use crate::rigid::sync::population::{Link, Watch};
use crate::rigid::sync::{Limits, Population, Synchroniser};
use crate::threads::{EachPatch, Threads};

/// Own bodies that a thread takes at once.
const GRAIN: usize = 256;

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
        let (bodies, bounds, watches, links) = population.own_parts();
        let slices = (EachPatch(bodies), EachPatch(bounds), EachPatch(watches));
        threads.for_each_patch(slices, GRAIN, |place, (body, bound, watch)| {
            let (body, watch) = (&mut body.0[0], &mut watch.0[0]);
            advance(body);
            watch.inside = look.is_inside(&body.state.position, &mut bound.0[0], watch, || {
                let link: &Link = &links[place];
                link.ranks.is_empty()
            });
        });
    }
}

#[derive(Clone, Copy)]
struct Look<'a> {
    subdomains: &'a Subdomains,
    limits: &'a Limits,
}

impl Look<'_> {
    /// True if an own body is still inside of its subdomain and nobody has a copy; then it counts as
    /// synchronised.
    fn is_inside(
        &self,
        position: &Vec3,
        bound: &mut Bound,
        watch: &Watch,
        is_alone: impl Fn() -> bool,
    ) -> bool {
        let radius = bound.radius + self.limits.margin;
        let most = self.limits.motion * self.limits.motion * CLEARLY_ALLOWED;
        let inside = (watch.inside || is_alone())
            && self.subdomains.encloses(watch.home, position, radius)
            && self.subdomains.domain().contains(position)
            && (position - bound.centre).norm_squared() <= most;
        if inside {
            bound.centre = *position;
        }
        inside
    }
}
