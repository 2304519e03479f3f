//! Bodies go to the owners of a new division, in a run.

use crate::error::{Error, Result};
use crate::ranks::{Tag, World, message};
use crate::rigid::sync::encoding::{self, Item};
use crate::rigid::sync::{Population, Synchroniser};

impl Synchroniser {
    /// Goes on with the division of `next`. All ranks call it. This one costs an all-reduce of as
    /// many numbers as there are ranks, so it is not for every step.
    ///
    /// Before: copies are those of their owners. After: the same by the new division; no body has
    /// changed a bit.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn redistribute(
        &mut self,
        mut next: Self,
        world: &dyn World,
        population: &mut Population,
    ) -> Result<()> {
        let mut bytes_for = vec![Vec::new(); world.size()];
        let subdomains = next.region.subdomains();
        for (body, bound) in population.own().iter().zip(population.bounds()) {
            let owner = next.region.rank_of(subdomains.owner(&body.state.position));
            let item = Item::NewCopy { body, radius: bound.radius, owner };
            encoding::write(&mut bytes_for[owner as usize], &item);
            self.traffic.migrated += u64::from(owner != self.region.rank());
        }
        for (to, bytes) in bytes_for.iter().enumerate() {
            let is_sent = to != world.rank() && !bytes.is_empty();
            self.traffic.messages += u64::from(is_sent);
            self.traffic.bytes += if is_sent { bytes.len() as u64 } else { 0 };
        }
        *population = Population::default();
        // A tag of its own: a rank that has all its bodies begins to synchronise.
        for (from, bytes) in message::route(world, Tag::NewDivision, &bytes_for)? {
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                let Ok(Item::NewCopy { body, radius, owner }) = encoding::read(&mut rest) else {
                    let place = format!("messages about bodies on rank {}", world.rank());
                    let cause = format!("the bodies of rank {from} do not decode");
                    return Err(Error::internal(place, cause));
                };
                let home = next.region.subdomains().owner(&body.state.position);
                population.insert(body, radius, home, owner)?;
            }
        }
        next.traffic = self.traffic;
        *self = next;
        self.settle(world, population)
    }
}
