//! Bodies go to the owners of a new division, in a run.

use std::collections::HashSet;

use crate::error::{Error, Result};
use crate::ranks::{Tag, World, message};
use crate::rigid::body::BodyId;
use crate::rigid::sync::encoding::{self, Item, Purpose};
use crate::rigid::sync::{Population, Synchroniser};

impl Synchroniser {
    /// Goes on with the division of `next`. All ranks call it. This one costs an all-reduce of as
    /// many numbers as there are ranks, so it is not for every step.
    ///
    /// Before: copies are those of their owners. After: the same by the new division; no body has
    /// changed a bit. Bodies to be deleted are gone.
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
        let doomed: HashSet<BodyId> = std::mem::take(&mut population.doomed).into_iter().collect();
        for (body, bound) in population.own().iter().zip(population.bounds()) {
            if doomed.contains(&body.id) {
                continue;
            }
            let owner = next.region.rank_of(subdomains.owner(&body.state.position));
            let bytes = &mut bytes_for[owner as usize];
            if bytes.is_empty() {
                encoding::write_head(bytes, Purpose::NewDivision, 0);
            }
            encoding::write(bytes, &Item::NewCopy { body, radius: bound.radius, owner });
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
            let undecodable = |kind: String| {
                let place = format!("messages about bodies on rank {}", world.rank());
                let cause = format!("the bodies of rank {from} do not decode: {kind}");
                Error::internal(place, cause)
            };
            let head = encoding::read_head(&bytes, Purpose::NewDivision, 0);
            let mut rest = head.map_err(undecodable)?;
            while !rest.is_empty() {
                match encoding::read(&mut rest).map_err(undecodable)? {
                    Item::NewCopy { body, radius, owner } => {
                        let home = next.region.subdomains().owner(&body.state.position);
                        population.insert(body, radius, home, owner)?;
                    }
                    other => return Err(undecodable(format!("{other:?} is no body"))),
                }
            }
        }
        next.traffic = self.traffic;
        *self = next;
        self.settle(world, population)
    }
}
