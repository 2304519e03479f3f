//! Saves, restores and hashes the state, and continues with it in another division of space.

use std::sync::Arc;

use crate::domain::{Region, Subdomains};
use crate::narrow::Detector;
use crate::record::BodyRecord;
use crate::simulation::checked_size;
use crate::state::State;
use crate::state::records::Records;
use crate::sync::Limits;
use crate::sync::limits::SizeRange;
use crate::{Body, BodyId, RigidSettings, RigidSimulation, Traffic};
use cloth_core::ranks::Tag;
use cloth_core::{Error, Place, Result, message};

impl RigidSimulation<'_> {
    /// The state of all ranks as bytes on rank 0. Other ranks get no bytes. The bytes do not depend
    /// on the number of ranks, the division of space or the order of bodies in memory. All ranks
    /// call it between steps. During the call, rank 0 holds the bodies of all ranks twice.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn save(&self) -> Result<Vec<u8>> {
        let all = self.state.records().gather(&*self.world)?;
        Ok(if self.world.rank() == 0 { all.encode() } else { Vec::new() })
    }

    /// Replaces the state by a saved state of the same model. All ranks call it between steps, each
    /// with all bytes that [`RigidSimulation::save`] returned on rank 0. The number of ranks and
    /// the division of space may differ from those of the saved simulation; this simulation keeps
    /// its division. Every further step has the same bits as after the save.
    ///
    /// # Errors
    /// If the bytes are damaged, or the model does not take their bodies; then nothing changes. If
    /// springs are stretched by too much for the division, or a rank fails.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<()> {
        let saved = Records::decode(bytes).map_err(unsound)?;
        let sizes = self.check(&saved)?;
        let RigidSettings { contacts, margin_m, synchronisation, .. } = &self.model.settings;
        let subdomains = self.region().subdomains();
        let limits = Limits::new(&sizes, contacts, *margin_m, subdomains.domain());
        let limits = limits.within(*synchronisation, subdomains);
        let reach = limits.reach(*synchronisation, subdomains)?;
        let region = self.region().with_reach(reach)?;
        let own = saved.filtered(|position| region.has(subdomains.owner(position)));
        self.go_on(own, region, limits, Traffic::default())?;
        // The last step belongs to another state.
        (self.detector, self.next_sort) = (Detector::default(), 1);
        self.contacts.clear();
        self.joints.clear();
        self.deepest = None;
        self.noted = self.noted.take().map(|_| Default::default());
        self.hold_springs_at_start()
    }

    /// A saved state of another model, for a new run of this one: bodies get the materials and
    /// masses that `body` gives, and keep their motion.
    ///
    /// # Errors
    /// If the bytes are damaged, or `body` gives none, or another shape.
    pub fn renew(&self, bytes: &[u8], body: impl Fn(BodyId) -> Option<Body>) -> Result<Vec<u8>> {
        let mut saved = Records::decode(bytes).map_err(unsound)?;
        let mut sizes = saved.head.sizes();
        for record in &mut saved.bodies {
            let before = record.body();
            let Some((before, now)) = before.and_then(|before| Some((before, body(before.id)?)))
            else {
                let cause = "it is free in the frame, and not in the scene";
                let remedy = "keep what moves bodies";
                return Err(Error::input(Place::Body(record.id), cause, remedy));
            };
            if before.shape != now.shape {
                let cause = "the frame has it with another shape or size than the scene";
                let remedy = "keep shapes and sizes, or begin the run at its start";
                return Err(Error::input(Place::Body(record.id), cause, remedy));
            }
            let now = Body { state: before.state, ..now };
            sizes = sizes.with(&checked_size(&self.model, &now)?);
            *record = BodyRecord::of(&now);
        }
        saved.head.set_sizes(&sizes);
        let joints = self.model.joints.all().len() as u64;
        saved.joints.retain(|kept| kept.joint < joints);
        Ok(saved.encode())
    }

    /// A hash of the state of all ranks, which has the content that [`RigidSimulation::save`]
    /// writes. If two hashes are equal, all further steps are equal. The hash does not depend on
    /// the number of ranks or the division of space. All ranks call it between steps. It takes one
    /// all-reduce of four numbers.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn hash(&self) -> Result<u64> {
        self.state.records().hash(&*self.world)
    }

    /// Checks a saved state and returns its sizes. All ranks check all bodies, so that all ranks
    /// agree on the result.
    fn check(&self, saved: &Records) -> Result<SizeRange> {
        saved.check_order().map_err(unsound)?;
        let sizes = saved.head.sizes();
        let mut of_bodies = sizes;
        for record in &saved.bodies {
            let body = record.body();
            let body = body.ok_or_else(|| unsound(format!("body {} has no shape", record.id)))?;
            let size = checked_size(&self.model, &body).map_err(|error| match error {
                Error::Input { place, cause, .. } => unsound(format!("{place}: {cause}")),
                other => other,
            })?;
            of_bodies = of_bodies.with(&size);
        }
        let joints = self.model.joints.all().len() as u64;
        if let Some(kept) = saved.joints.iter().find(|kept| kept.joint >= joints) {
            return Err(unsound(format!("joint {} is not one of {joints}", kept.joint)));
        }
        let has_sizes = sizes.largest_radius.is_finite() && sizes.least_half_width > 0.0;
        match of_bodies == sizes && has_sizes && saved.head.time_s.is_finite() {
            true => Ok(sizes),
            false => Err(unsound("its time or its sizes are not those of its bodies".to_owned())),
        }
    }
}

/// The error for bytes that are no saved state of this model.
fn unsound(cause: String) -> Error {
    let remedy = "restore all bytes that `save` gave on rank 0, in a simulation of the same model";
    Error::input("saved state of rigid bodies", cause, remedy)
}

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
