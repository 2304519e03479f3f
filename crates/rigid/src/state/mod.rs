//! The state of a simulation: all values on which further steps depend.
//!
//! Two simulations of one model with equal states have equal further steps, bit by bit, on any
//! number of ranks. A simulation keeps further values from step to step, but no result depends on
//! them:
//!
//! | value | why no result depends on it |
//! |---|---|
//! | the division of space, copies, links | only owners move bodies; each contact is treated once |
//! | the margin of copies | copies have the bits of their owners |
//! | the order of bodies in memory | sums run in the order of ids |
//! | pairs of the broad phase | the pairs found depend only on the present positions |
//! | bounds, homes, spots, rooms | each synchronisation computes them from the positions |
//! | flags of the table of bodies | the faster code that they select gives the same bits |
//! | contacts and the deepest overlap | they describe the last step |
//!
//! The tests save at every step, restore in another simulation, and compare all further steps.

pub mod records;

use crate::constraint::{KeptImpulse, KeptJoint};
use crate::domain::Region;
use crate::record::BodyRecord;
use crate::state::records::{ForceRecord, Head, Records};
use crate::sync::limits::SizeRange;
use crate::sync::values::Forces;
use crate::{Body, BodyId, Load, Population};
use cloth_core::{Error, Result};

/// One rank's part of the state.
#[derive(Debug)]
pub struct State {
    /// Number of steps so far.
    pub(super) steps: u64,
    /// Time since the start, s. It is summed step by step; a product would have other bits.
    pub(super) time_s: f64,
    /// Sizes of the bodies of all ranks.
    pub(super) sizes: SizeRange,
    /// Own bodies, and shadow copies of bodies of other ranks.
    pub(super) population: Population,
    /// Forces set for the next step.
    pub(super) forces: Forces,
    /// Impulses of the last step. The next step starts its sweeps with them.
    pub(super) impulses: Vec<KeptImpulse>,
    /// Impulses of joints.
    pub(super) joint_impulses: Vec<KeptJoint>,
}

/// The error for a record whose body the rank does not have.
fn no_body() -> Error {
    Error::internal("state of a rank", "a record is of no body")
}

impl State {
    /// The state at the start, without bodies. `sizes` are those of the bodies to be inserted on
    /// all ranks.
    pub(super) fn new(sizes: SizeRange) -> Self {
        let (population, forces, impulses, joint_impulses) = Default::default();
        Self { steps: 0, time_s: 0.0, sizes, population, forces, impulses, joint_impulses }
    }

    /// Adds an own body that no rank knows yet. Its position must be wrapped into the domain.
    /// `radius` (m) is that of the ball about its centre of mass that holds it and its joints.
    ///
    /// # Errors
    /// If this rank already knows a body of this id.
    pub(super) fn insert(&mut self, body: Body, radius: f64, region: &Region) -> Result<()> {
        let home = region.subdomains().owner(&body.state.position);
        let load = body.load;
        let body = Body { load: Load::NONE, ..body };
        self.population.insert(body, radius, home, region.rank())?;
        if load != Load::NONE {
            self.forces.set(self.population.own_count() - 1, load);
        }
        Ok(())
    }

    /// This rank's records of the state, in no particular order. A field of [`State`] that is
    /// missing here or in [`State::of`] does not compile.
    pub(super) fn records(&self) -> Records {
        let Self { steps, time_s, sizes, population, forces, impulses, joint_impulses } = self;
        let SizeRange { largest_radius, least_half_width } = *sizes;
        let id = |place: u32| population.bodies().id(place as usize);
        let force = |&(place, load): &(u32, Load)| ForceRecord { body: id(place), load };
        // The list may still hold impulses of a body that left the domain.
        let is_known = |body: BodyId| population.place(body).is_some();
        let of_contacts = impulses.iter().filter(|kept| is_known(kept.body));
        let of_joints = joint_impulses.iter().filter(|kept| is_known(kept.body));
        Records {
            head: Head { steps: *steps, time_s: *time_s, largest_radius, least_half_width },
            bodies: population.own().iter().map(|body| BodyRecord::of(&body)).collect(),
            deleted: population.doomed().collect(),
            forces: forces.set_so_far().iter().map(force).collect(),
            impulses: of_contacts.copied().collect(),
            joints: of_joints.copied().collect(),
        }
    }

    /// The state with these records of the rank of `region`. No other rank knows its bodies yet.
    /// `radius` is as for [`State::insert`].
    ///
    /// # Errors
    /// If a body is not valid or appears twice, or a force has no body.
    pub(super) fn of(
        records: Records,
        radius: impl Fn(&Body) -> f64,
        region: &Region,
    ) -> Result<Self> {
        let Records { head, bodies, deleted, forces, impulses, joints } = records;
        let Head { steps, time_s, .. } = head;
        let sizes = head.sizes();
        let (population, set) = Default::default();
        let joint_impulses = joints;
        let mut state =
            Self { steps, time_s, sizes, population, forces: set, impulses, joint_impulses };
        for record in &bodies {
            let body = record.body().ok_or_else(no_body)?;
            state.insert(body, radius(&body), region)?;
        }
        for ForceRecord { body, load } in forces {
            let place = state.population.place(body).ok_or_else(no_body)?;
            state.forces.set(place, load);
        }
        deleted.into_iter().for_each(|id| _ = state.population.delete(id));
        Ok(state)
    }
}
