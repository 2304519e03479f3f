//! All that outlives a step.
//!
//! Simulations of one model with equal states go on alike, bit by bit, on any number of ranks. The
//! rest of what is kept from step to step is memory, and no result depends on it:
//!
//! | what | why no result depends on it |
//! |---|---|
//! | the division of space, copies, links | owners alone move bodies, and each contact is treated once |
//! | the order of bodies in memory | sums run in the order of ids |
//! | pairs of the broad phase | those that come out are a function of where bodies are now |
//! | bounds, homes, spots, rooms | they are those of the positions after each synchronisation |
//! | flags of the table of bodies | the short ways that they allow give the same bits |
//! | contacts and the deepest overlap | they say what the last step did |
//!
//! The tests save at every step, restore in another simulation, and compare all that follows.

pub mod records;

use crate::error::{Error, Result};
use crate::rigid::body::{Body, Load};
use crate::rigid::constraint::kept::KeptImpulse;
use crate::rigid::domain::Region;
use crate::rigid::record::BodyRecord;
use crate::rigid::solid::Solids;
use crate::rigid::state::records::{ForceRecord, Head, Records};
use crate::rigid::sync::Population;
use crate::rigid::sync::limits::SizeRange;
use crate::rigid::sync::values::Forces;

/// One rank's part of all that outlives a step.
#[derive(Debug)]
pub struct State {
    /// Number of steps so far.
    pub(super) steps: u64,
    /// Time since the start, s: the sum of all steps. (A product would have other bits.)
    pub(super) time_s: f64,
    /// Of the bodies of all ranks.
    pub(super) sizes: SizeRange,
    /// Own bodies, and copies of those of others.
    pub(super) population: Population,
    /// Forces that the next step begins with.
    pub(super) forces: Forces,
    /// Impulses that the next step begins with.
    pub(super) impulses: Vec<KeptImpulse>,
}

/// A record of a rank is of no body of it.
fn no_body() -> Error {
    Error::internal("state of a rank", "a record is of no body")
}

impl State {
    /// The start with bodies of these sizes, of which none is there yet.
    pub(super) fn new(sizes: SizeRange) -> Self {
        let (population, forces, impulses) = Default::default();
        Self { steps: 0, time_s: 0.0, sizes, population, forces, impulses }
    }

    /// Adds an own body that no rank knows yet. Its position is wrapped.
    ///
    /// # Errors
    /// If this rank knows a body of this number.
    pub(super) fn insert(&mut self, body: Body, solids: &Solids, region: &Region) -> Result<()> {
        let home = region.subdomains().owner(&body.state.position);
        let load = body.load;
        let body = Body { load: Load::NONE, ..body };
        self.population.insert(body, solids.reach(&body.shape), home, region.rank())?;
        if load != Load::NONE {
            self.forces.set(self.population.own_count() - 1, load);
        }
        Ok(())
    }

    /// What this rank has of the state, in no particular order. A field that is missing here or in
    /// [`State::of`] does not compile.
    pub(super) fn records(&self) -> Records {
        let Self { steps, time_s, sizes, population, forces, impulses } = self;
        let SizeRange { largest_radius, least_half_width } = *sizes;
        let id = |place: u32| population.bodies().id(place as usize);
        let force = |&(place, load): &(u32, Load)| ForceRecord { body: id(place), load };
        // Impulses of a body that left the domain are still there.
        let is_known = |kept: &&KeptImpulse| population.place(kept.body).is_some();
        Records {
            head: Head { steps: *steps, time_s: *time_s, largest_radius, least_half_width },
            bodies: population.own().iter().map(|body| BodyRecord::of(&body)).collect(),
            deleted: population.doomed().collect(),
            forces: forces.set_so_far().iter().map(force).collect(),
            impulses: impulses.iter().filter(is_known).copied().collect(),
        }
    }

    /// The state that has these records of the rank of `region`. No other rank knows its bodies yet.
    ///
    /// # Errors
    /// If a record is of no body.
    pub(super) fn of(records: Records, solids: &Solids, region: &Region) -> Result<Self> {
        let Records { head, bodies, deleted, forces, impulses } = records;
        let Head { steps, time_s, .. } = head;
        let sizes = head.sizes();
        let (population, set) = Default::default();
        let mut state = Self { steps, time_s, sizes, population, forces: set, impulses };
        for record in &bodies {
            state.insert(record.body().ok_or_else(no_body)?, solids, region)?;
        }
        for ForceRecord { body, load } in forces {
            let place = state.population.place(body).ok_or_else(no_body)?;
            state.forces.set(place, load);
        }
        deleted.into_iter().for_each(|id| _ = state.population.delete(id));
        Ok(state)
    }
}
