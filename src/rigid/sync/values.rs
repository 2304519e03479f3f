//! Values of bodies from the copies to the owners, and from the owners to the copies.
//!
//! Communications 1 and 3 of algorithm 2 (Iglberger & Rüde 2009) are of the first sort.

use bytemuck::Pod;

use crate::error::Result;
use crate::ranks::World;
use crate::rigid::body::Load;
use crate::rigid::sync::encoding::{self, Purpose};
use crate::rigid::sync::population::Partners;
use crate::rigid::sync::{Population, Synchroniser};

/// Forces that this rank sets on bodies that it knows, own or not, until they are summed.
#[derive(Debug, Clone, Default)]
pub struct Forces {
    /// With the place of the body.
    set: Vec<(u32, Load)>,
    received: Vec<(u32, Load)>,
}

impl Forces {
    /// Sets a force on the body at `place`.
    pub fn set(&mut self, place: usize, load: Load) {
        self.set.push((place as u32, load));
    }

    /// Those that were set since the last sum, each with the place of its body.
    pub fn set_so_far(&self) -> &[(u32, Load)] {
        &self.set
    }

    /// Adds all forces to the loads of the bodies, at their owners.
    ///
    /// Before: each force was set on one rank, and places are as they were then. After: each was
    /// added once, for each body in the order of their bits, which depends neither on the ranks nor
    /// on the order in which they were set; copies are as before.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn sum(
        &mut self,
        synchroniser: &mut Synchroniser,
        world: &dyn World,
        population: &mut Population,
    ) -> Result<()> {
        self.received.clear();
        synchroniser.send_to_owners(world, population, &self.set, &mut self.received)?;
        self.set.clear();
        self.received.sort_unstable_by_key(|(place, load)| (*place, load.bits()));
        for (place, more) in &self.received {
            let place = *place as usize;
            let Load { force, torque } = population.bodies().at(place).load;
            let load = Load { force: force + more.force, torque: torque + more.torque };
            population.set_load(place, load);
        }
        Ok(())
    }
}

impl Synchroniser {
    /// Brings `items`, each with the place of a body, to the owners of the bodies.
    ///
    /// Before: copies and owners know each other. After: `received` has the items for the own
    /// bodies of this rank, with their places here. Items of one rank keep their order; otherwise
    /// the order depends on the ranks, so sort them by what is in them.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn send_to_owners<T: Pod>(
        &mut self,
        world: &dyn World,
        population: &Population,
        items: &[(u32, T)],
        received: &mut Vec<(u32, T)>,
    ) -> Result<()> {
        let Partners { holders, owners, .. } = &self.partners;
        self.mail.begin(Purpose::ToOwners, owners, holders);
        for &(place, item) in items {
            if (place as usize) < population.own_count() {
                received.push((place, item));
                continue;
            }
            let bytes = self.mail.to(population.links()[place as usize].owner)?;
            encoding::put(bytes, &population.bodies().at(place as usize).id);
            encoding::put(bytes, &item);
        }
        self.exchange_values(world, population, |place, item| received.push((place, item)))
    }

    /// Brings values of own bodies to their copies: those that `values` has for a place and a rank
    /// that holds a copy.
    ///
    /// Before: copies and owners know each other. After: `apply` was called with the place of the
    /// copy and each of its values, for one body in their order.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn send_to_copies<T: Pod, V: IntoIterator<Item = T>>(
        &mut self,
        world: &dyn World,
        population: &Population,
        values: impl Fn(usize, u32) -> V,
        apply: impl FnMut(u32, T),
    ) -> Result<()> {
        let Partners { holders, owners, shared } = &self.partners;
        self.mail.begin(Purpose::ToCopies, holders, owners);
        for place in shared.iter().map(|&place| place as usize) {
            for &rank in &population.links()[place].ranks {
                for value in values(place, rank) {
                    let bytes = self.mail.to(rank)?;
                    encoding::put(bytes, &population.bodies().at(place).id);
                    encoding::put(bytes, &value);
                }
            }
        }
        self.exchange_values(world, population, apply)
    }

    /// Brings `values` to the ranks for which they are, and as many from `sources`, both rising.
    ///
    /// Before: sender and receiver agree on the number and the order of the values. After: `apply`
    /// was called with each source and its values, in their order.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn send_to_ranks<T: Pod, V: IntoIterator<Item = T>>(
        &mut self,
        world: &dyn World,
        receivers: &[u32],
        sources: &[u32],
        values: impl Fn(u32) -> V,
        mut apply: impl FnMut(u32, T),
    ) -> Result<()> {
        self.mail.begin(Purpose::ToRanks, receivers, sources);
        for &rank in receivers {
            let bytes = self.mail.to(rank)?;
            values(rank).into_iter().for_each(|value| encoding::put(bytes, &value));
        }
        self.mail.exchange(world, &mut self.traffic)?;
        self.mail.messages(|from, mut bytes| {
            while !bytes.is_empty() {
                apply(from, encoding::take(&mut bytes).ok_or("value".to_owned())?);
            }
            Ok(())
        })
    }

    fn exchange_values<T: Pod>(
        &mut self,
        world: &dyn World,
        population: &Population,
        mut apply: impl FnMut(u32, T),
    ) -> Result<()> {
        self.mail.exchange(world, &mut self.traffic)?;
        self.mail.messages(|_, mut bytes| {
            while !bytes.is_empty() {
                let id = encoding::take(&mut bytes).ok_or("id of a value".to_owned())?;
                let value = encoding::take(&mut bytes).ok_or("value".to_owned())?;
                let place = population.place(id);
                apply(place.ok_or(format!("value of body {id}, unknown here"))? as u32, value);
            }
            Ok(())
        })
    }
}
