//! One rank's part of a simulation of many rigid bodies.

mod checks;
mod division;
mod order;
mod overlap;
mod saved;
mod shown;
mod step;

use std::sync::Arc;

use crate::bounds;
use crate::error::Result;
use crate::math::Vec3;
use crate::ranks::WorldHandle;
use crate::rigid::body::{Body, BodyId, Load};
use crate::rigid::constraint::contact::{Contact, ContactSettings};
use crate::rigid::domain::{Region, Subdomains};
use crate::rigid::fixed::FixedBodies;
use crate::rigid::material::Materials;
use crate::rigid::narrow::detector::{Detector, ImageOf};
use crate::rigid::overlap::Overlap;
use crate::rigid::solid::Solids;
use crate::rigid::solver::{Response, Solver};
use crate::rigid::state::State;
use crate::rigid::sync::checks::{Census, census};
use crate::rigid::sync::limits::SizeRange;
use crate::rigid::sync::{Limits, Population, Synchronisation, Synchroniser};
use crate::rigid::totals::Totals;
use crate::threads::Threads;

/// Settings of a simulation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidSettings {
    /// Length of a step, gravity, and the share of an overlap that a step removes.
    pub contacts: ContactSettings,
    /// Shadow copies are held where a body grown by its travel and this comes, m. Above 0.
    pub margin_m: f64,
    /// How shadow copies are kept in step.
    pub synchronisation: Synchronisation,
    /// How contacts change velocities.
    pub response: Response,
}

/// What all ranks share.
#[derive(Debug, Clone)]
pub struct RigidModel {
    /// Settings.
    pub settings: RigidSettings,
    /// The division of space.
    pub subdomains: Arc<Subdomains>,
    /// Bodies that do not give way.
    pub fixed: FixedBodies,
    /// How bodies meet.
    pub materials: Materials,
    /// Hulls and meshes.
    pub solids: Solids,
}

/// One rank's bodies, and what it needs to advance them.
pub struct RigidSimulation<'a> {
    pub(super) model: Arc<RigidModel>,
    pub(super) world: WorldHandle<'a>,
    threads: Threads,
    pub(super) synchroniser: Synchroniser,
    /// All that outlives a step. The rest is memory.
    pub(super) state: State,
    fixed: FixedBodies,
    detector: Detector,
    /// Bodies are sorted in memory once the broad phase was rebuilt so often.
    next_sort: u64,
    images: Vec<ImageOf>,
    contacts: Vec<Contact>,
    /// The deepest overlap of these contacts.
    deepest: Option<Overlap>,
    solver: Box<dyn Solver>,
}

/// The rank of each of `count` subdomains: as many for each, adjacent numbers together. With fewer
/// subdomains than ranks some ranks have none.
pub fn shared_out(count: usize, ranks: usize) -> Vec<u32> {
    (0..count).map(|subdomain| (subdomain * ranks / count) as u32).collect()
}

impl<'a> RigidSimulation<'a> {
    /// The simulation at time 0. `rank_of` says who has each subdomain. Each rank offers all bodies
    /// or any part that holds its own ones; bodies of other ranks are passed over. All ranks call
    /// it. `world` is borrowed, or owned: with [`in_process::alone`](crate::ranks::in_process::alone)
    /// the simulation can be kept in a struct, as a `RigidSimulation<'static>`.
    ///
    /// # Errors
    /// If a body is outside the domain or has no size, if bodies are too large for the domain or
    /// its division, or if a rank fails.
    pub fn new(
        model: Arc<RigidModel>,
        rank_of: Vec<u32>,
        bodies: impl IntoIterator<Item = Body>,
        world: impl Into<WorldHandle<'a>>,
        threads: usize,
    ) -> Result<Self> {
        let world = world.into();
        bounds::positive("margin_m", model.settings.margin_m)?;
        bounds::positive("step_s", model.settings.contacts.step_s)?;
        let mut own = Vec::new();
        let mut sizes = SizeRange::NONE;
        for mut body in bodies {
            let size = checks::size(&model, &body)?;
            let subdomains = &model.subdomains;
            (body.state.position, _) = subdomains.domain().wrap(&body.state.position);
            let home = subdomains.owner(&body.state.position);
            if rank_of.get(home as usize) == Some(&(world.rank() as u32)) {
                sizes = sizes.with(&size);
                own.push(body);
            }
        }
        let sizes = sizes.of_all(&*world)?;
        let RigidSettings { contacts, margin_m, synchronisation, .. } = &model.settings;
        let limits = Limits::new(&sizes, contacts, *margin_m).within(&model.subdomains);
        let reach = limits.reach(*synchronisation, &model.subdomains)?;
        let region = Region::new(world.rank(), model.subdomains.clone(), Arc::new(rank_of), reach)?;
        let mut state = State::new(sizes);
        own.into_iter().try_for_each(|body| state.insert(body, &model.solids, &region))?;
        let mut synchroniser = Synchroniser::new(*synchronisation, region, limits);
        synchroniser.settle(&*world, &mut state.population)?;
        Ok(Self {
            threads: Threads::new(threads)?,
            fixed: model.fixed.clone(),
            solver: model.settings.response.solver(),
            model,
            world,
            synchroniser,
            state,
            detector: Detector::default(),
            next_sort: 1,
            images: Vec::new(),
            contacts: Vec::new(),
            deepest: None,
        })
    }

    /// Number of steps since the start.
    pub fn steps(&self) -> u64 {
        self.state.steps
    }

    /// Time since the start, s.
    pub fn time_s(&self) -> f64 {
        self.state.time_s
    }

    /// Says what time it is, s: where keyframed bodies are. For a simulation that begins with the
    /// bodies of a later time.
    pub fn set_time(&mut self, time_s: f64) {
        self.state.time_s = time_s;
    }

    /// The bodies that this rank knows.
    pub fn population(&self) -> &Population {
        &self.state.population
    }

    /// The contacts that this rank found in the middle of the last step. Their places of bodies are
    /// those of that time.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// The subdomains of this rank.
    pub fn region(&self) -> &Region {
        self.synchroniser.region()
    }

    /// Sets a force (N, through the centre of mass) and a torque (N m) on a body for the next step,
    /// beside those that were set before. One of the ranks that know the body sets it, its owner or
    /// another. False if this rank does not know the body.
    pub fn push(&mut self, id: BodyId, force: Vec3, torque: Vec3) -> bool {
        let place = self.state.population.place(id);
        if let Some(place) = place {
            self.state.forces.set(place, Load { force, torque });
        }
        place.is_some()
    }

    /// Deletes an own body, with its copies, in the next step's first synchronisation. False if
    /// this rank does not own it.
    pub fn delete(&mut self, id: BodyId) -> bool {
        self.state.population.delete(id)
    }

    /// Counts all bodies and hashes their ids and states. All ranks call it; one all-reduce of four
    /// numbers.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn census(&self) -> Result<Census> {
        census(&*self.world, &self.state.population)
    }

    /// Energy and momentum of all bodies. All ranks call it; one all-reduce of a fixed size.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn totals(&self) -> Result<Totals> {
        Totals::of(&*self.world, &self.state.population, &self.model.settings.contacts.gravity)
    }

    /// Compares all shadow copies with their owners, bit by bit. All ranks call it.
    ///
    /// # Errors
    /// If a copy differs, or a rank fails.
    pub fn check_copies(&mut self) -> Result<()> {
        self.synchroniser.check_copies(&*self.world, &self.state.population)
    }
}
