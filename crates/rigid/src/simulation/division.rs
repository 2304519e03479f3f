//! Changes the division of space during a run.

use std::sync::Arc;

use crate::body::BodyId;
use crate::domain::{Region, Subdomains};
use crate::simulation::RigidSimulation;
use crate::state::State;
use crate::state::records::Records;
use crate::sync::{Limits, Traffic};
use cloth_core::error::{Error, Result};
use cloth_core::ranks::{Tag, message};

impl RigidSimulation<'_> {
    /// Continues with another division of the same domain, such as one that balances the measured
    /// work. `rank_of` gives the rank of each subdomain. The state keeps its bits. All ranks call
    /// it between steps, with the same arguments.
    ///
    /// # Errors
    /// If bodies are too large for the division, or a rank fails.
    pub fn redivide(&mut self, subdomains: Arc<Subdomains>, rank_of: Vec<u32>) -> Result<()> {
        let method = self.model.settings.synchronisation;
        let limits = self.synchroniser.limits().within(method, &subdomains);
        let reach = limits.reach(method, &subdomains)?;
        let region = Region::new(self.world.rank(), subdomains, Arc::new(rank_of), reach)?;
        self.move_to(region, limits)
    }

    /// Continues with the same state in another region of this rank, with other limits. All ranks
    /// call it between steps.
    pub(super) fn move_to(&mut self, region: Region, limits: Limits) -> Result<()> {
        let (records, traffic) = self.redistribute(&region)?;
        self.go_on(records, region, limits, traffic)
    }

    /// Sends all records to their ranks in the division of `region`. Returns the records of this
    /// rank and the counts of the messages that it sent.
    fn redistribute(&self, region: &Region) -> Result<(Records, Traffic)> {
        let (world, population) = (&*self.world, &self.state.population);
        // A force on a shadow copy goes to the rank of the body. Copies have the owner's position.
        let rank_of = |id: BodyId| match population.place(id) {
            Some(place) => {
                let position = &population.bodies().states()[place].position;
                region.rank_of(region.subdomains().owner(position))
            }
            None => region.rank(),
        };
        let mut parts = self.state.records().split(world.size(), rank_of);
        let mut records = parts[world.rank()].take();
        let mut traffic = Traffic::default();
        let mut encoded = |part: &Records| {
            let bytes = if part.is_empty() { Vec::new() } else { part.encode() };
            traffic.migrated += part.bodies.len() as u64;
            traffic.messages += u64::from(!bytes.is_empty());
            traffic.bytes += bytes.len() as u64;
            bytes
        };
        let bytes_for = Vec::from_iter(parts.iter().map(&mut encoded));
        // The tag is a separate one, because a rank that has all its bodies starts to synchronise
        // while others still wait for records.
        for (from, bytes) in message::route(world, Tag::NewDivision, &bytes_for)? {
            let part = Records::decode(&bytes).map_err(|cause| {
                let place = format!("messages about bodies on rank {}", world.rank());
                Error::internal(place, format!("the bodies of rank {from} do not decode: {cause}"))
            })?;
            records.extend(part);
        }
        Ok((records, traffic))
    }

    /// Continues with the state that has these records of this rank, in the division of `region`.
    /// Adds `traffic` to the counts. All ranks call it.
    pub(super) fn go_on(
        &mut self,
        records: Records,
        region: Region,
        limits: Limits,
        traffic: Traffic,
    ) -> Result<()> {
        self.state = State::of(records, |body| self.model.radius(body), &region)?;
        self.synchroniser = self.synchroniser.moved(region, limits, traffic);
        self.synchroniser.settle(&*self.world, &mut self.state.population)
    }
}
