//! Sends values of bodies from copies to owners, and from owners to copies.
//!
//! Communications 1 and 3 of algorithm 2 (Iglberger & Rüde 2009) go from copies to owners.

use bytemuck::Pod;

use crate::sync::Synchroniser;
use crate::sync::encoding::{self, Purpose};
use crate::sync::population::Partners;
use crate::{Load, Population};
use cloth_core::{Result, World};

/// Forces that this rank has set on own bodies and shadow copies, until they are summed.
#[derive(Debug, Clone, Default)]
pub struct Forces {
    /// Forces with the places of their bodies.
    set: Vec<(u32, Load)>,
    received: Vec<(u32, Load)>,
}

impl Forces {
    /// Sets a force on the body at `place`.
    pub fn set(&mut self, place: usize, load: Load) {
        self.set.push((place as u32, load));
    }

    /// The forces set since the last sum, each with the place of its body.
    pub fn set_so_far(&self) -> &[(u32, Load)] {
        &self.set
    }

    /// Adds the forces of all ranks to the loads of the bodies, on the owners. All ranks call it.
    ///
    /// Before: each force was set on one rank, and places have not changed since then. After: each
    /// force was added once, and the list of forces is empty. The forces on one body are added in
    /// the order of their bits, which depends neither on ranks nor on the order of setting. Loads
    /// of copies are unchanged.
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
    /// Sends `items`, each with the place of a body, to the owners of the bodies.
    ///
    /// Before: copies and owners know each other. After: the items for own bodies of this rank are
    /// appended to `received`, with the places on this rank. Items of one rank keep their order.
    /// The order between ranks depends on the division, so the caller must sort items by their
    /// content.
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

    /// Sends values of own bodies to their copies. `values` gives the values for the place of a
    /// body and a rank that holds a copy.
    ///
    /// Before: copies and owners know each other. After: `apply` was called with the place of each
    /// copy and each of its values. The values of one body keep their order.
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

    /// Sends `values` to the `receivers`, and receives values from the `sources`. Both lists must
    /// be rising.
    ///
    /// Before: sender and receiver agree on the number and the order of the values. After: `apply`
    /// was called with the source and each value, in the order of sending.
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
