//! Saving the state, and going on from it.

use crate::error::{Error, Result};
use crate::rigid::narrow::Detector;
use crate::rigid::simulation::{RigidSimulation, checks};
use crate::rigid::state::records::Records;
use crate::rigid::sync::limits::SizeRange;
use crate::rigid::sync::{Limits, Traffic};

impl RigidSimulation<'_> {
    /// The whole state of all ranks, on rank 0; no bytes on other ranks. The bytes do not depend on
    /// the number of ranks, on the division of space or on the order of bodies in memory. All ranks
    /// call it between steps. Rank 0 holds the bodies of all ranks twice for the time of the call.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn save(&self) -> Result<Vec<u8>> {
        let all = self.state.records().gather(&*self.world)?;
        Ok(if self.world.rank() == 0 { all.encode() } else { Vec::new() })
    }

    /// Goes on from a saved state, with a simulation of the same model that may have run already.
    /// All ranks call it between steps, each with all bytes that [`RigidSimulation::save`] returned
    /// on rank 0. The number of ranks and the division of space may be others. This simulation
    /// keeps its own division, which no result depends on. From here on every step has the bits
    /// that it had after the state was saved.
    ///
    /// # Errors
    /// If the bytes are damaged or of bodies that the model does not take: then the simulation is as
    /// before. If a rank fails.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<()> {
        let saved = Records::decode(bytes).map_err(unsound)?;
        let sizes = self.check(&saved)?;
        let settings = &self.model.settings;
        let limits = Limits::new(&sizes, &settings.contacts, settings.margin_m);
        let limits = limits.within(self.region().subdomains());
        let reach = limits.reach(settings.synchronisation, self.region().subdomains())?;
        let region = self.region().with_reach(reach)?;
        let subdomains = self.region().subdomains();
        let own = saved.filtered(|position| region.has(subdomains.owner(position)));
        self.go_on(own, region, limits, Traffic::default())?;
        // What the last step found is of another state.
        (self.detector, self.next_sort) = (Detector::default(), 1);
        self.contacts.clear();
        self.deepest = None;
        Ok(())
    }

    /// A hash of the whole state of all ranks: of what [`RigidSimulation::save`] writes. Of equal
    /// hashes all further steps are equal. It does not depend on the number of ranks or the division
    /// of space. All ranks call it between steps; one all-reduce of four numbers.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn hash(&self) -> Result<u64> {
        self.state.records().hash(&*self.world)
    }

    /// The sizes of a saved state, if it is sound and its bodies are of this model. All ranks check
    /// all bodies, so that they agree.
    fn check(&self, saved: &Records) -> Result<SizeRange> {
        saved.check_order().map_err(unsound)?;
        let sizes = saved.head.sizes();
        let mut of_bodies = sizes;
        for record in &saved.bodies {
            let body = record.body();
            let body = body.ok_or_else(|| unsound(format!("body {} has no shape", record.id)))?;
            let size = checks::size(&self.model, &body).map_err(|error| match error {
                Error::Input { place, cause, .. } => unsound(format!("{place}: {cause}")),
                other => other,
            })?;
            of_bodies = of_bodies.with(&size);
        }
        let has_sizes = sizes.largest_radius.is_finite() && sizes.least_half_width > 0.0;
        match of_bodies == sizes && has_sizes && saved.head.time_s.is_finite() {
            true => Ok(sizes),
            false => Err(unsound("its time or its sizes are not those of its bodies".to_owned())),
        }
    }
}

/// The error for bytes that are not those of a saved state.
fn unsound(cause: String) -> Error {
    let remedy = "restore all bytes that `save` gave on rank 0, in a simulation of the same model";
    Error::input("saved state of rigid bodies", cause, remedy)
}
