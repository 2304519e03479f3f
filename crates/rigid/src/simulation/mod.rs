//! One rank's part of a simulation of many rigid bodies.

mod checks;
mod division;
mod forces;
mod joints;
mod order;
mod overlap;
pub mod part;
pub mod replica;
mod saved;
mod shown;
mod springs;
mod step;

pub use self::forces::{ContactForce, JointForce, StepForces};

use std::sync::Arc;

use crate::body::{Body, BodyId, Load};
use crate::constraint::contact::{Contact, ContactSettings};
use crate::constraint::joint::active::ActiveJoint;
use crate::constraint::joint::list::Joints;
use crate::domain::{Region, Subdomains};
use crate::fixed::FixedBodies;
use crate::material::Materials;
use crate::narrow::detector::{Detector, ImageOf};
use crate::overlap::Overlap;
use crate::solid::Solids;
use crate::solver::{Response, Solver};
use crate::state::State;
use crate::sync::checks::{Census, census};
use crate::sync::limits::SizeRange;
use crate::sync::{Limits, Population, Synchronisation, Synchroniser};
use crate::totals::Totals;
use cloth_core::bounds;
use cloth_core::error::Result;
use cloth_core::math::Vec3;
use cloth_core::ranks::WorldHandle;
use cloth_core::threads::Threads;

/// Settings of a simulation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidSettings {
    /// Length of a step, gravity, and the fraction of an overlap that a step removes.
    pub contacts: ContactSettings,
    /// Margin of shadow copies, m; above 0. A rank holds a copy of each body that reaches into its
    /// subdomains when grown by its travel and this margin. Springs may make it larger in a run.
    pub margin_m: f64,
    /// How shadow copies are kept equal to the bodies of their owners.
    pub synchronisation: Synchronisation,
    /// How contacts change velocities.
    pub response: Response,
}

/// The model: it is the same on all ranks.
#[derive(Debug, Clone)]
pub struct RigidModel {
    /// Settings.
    pub settings: RigidSettings,
    /// The division of space.
    pub subdomains: Arc<Subdomains>,
    /// Fixed bodies.
    pub fixed: FixedBodies,
    /// Materials, with the surface of each pair.
    pub materials: Materials,
    /// Convex hulls and closed meshes.
    pub solids: Solids,
    /// What holds bodies together.
    pub joints: Joints,
}

impl RigidModel {
    /// The radius of the ball about the centre of mass that holds a body and its joints, m.
    pub(super) fn radius(&self, body: &Body) -> f64 {
        self.solids.reach(&body.shape).max(self.joints.reach(body.id))
    }
}

/// One rank's part of a simulation.
pub struct RigidSimulation<'a> {
    pub(super) model: Arc<RigidModel>,
    pub(super) world: WorldHandle<'a>,
    threads: Threads,
    pub(super) synchroniser: Synchroniser,
    /// Further steps depend on these values and the model alone.
    pub(super) state: State,
    fixed: FixedBodies,
    detector: Detector,
    /// Number of rebuilds of the broad phase at which bodies are next sorted in memory.
    next_sort: u64,
    images: Vec<ImageOf>,
    /// Whether this rank finds the contacts of the first body at a place. None if it finds all.
    treated: Option<Vec<bool>>,
    contacts: Vec<Contact>,
    joints: Vec<ActiveJoint>,
    /// The deepest overlap of `contacts`.
    deepest: Option<Overlap>,
    /// The forces of the last step on this rank, if somebody asked for them.
    noted: Option<StepForces>,
    solver: Box<dyn Solver>,
}

/// The rank of each of `count` subdomains. Each rank gets about the same number of subdomains, with
/// adjacent numbers. If there are fewer subdomains than ranks, some ranks get none.
pub fn shared_out(count: usize, ranks: usize) -> Vec<u32> {
    (0..count).map(|subdomain| (subdomain * ranks / count) as u32).collect()
}

impl<'a> RigidSimulation<'a> {
    /// The simulation at time 0. `rank_of` gives the rank of each subdomain. Each rank passes all
    /// bodies, or any part that contains its own bodies; it ignores bodies of other ranks.
    /// `threads` is the number of threads of this rank. All ranks call it.
    ///
    /// `world` is borrowed or owned. With [`in_process::alone`](cloth_core::ranks::in_process::alone) it
    /// is owned, and a struct can hold the simulation as a `RigidSimulation<'static>`.
    ///
    /// # Errors
    /// If a setting or a body is not valid, such as a body outside the domain; if bodies are too
    /// large for the domain or its division; if the operating system refuses a thread; or if a rank
    /// fails.
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
        if model.settings.response == Response::Ffd {
            model
                .materials
                .refuse_rolling("the response `Ffd`", "use `response: Nonsmooth(..)`")?;
        }
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
        let subdomains = &model.subdomains;
        let limits = Limits::new(&sizes, contacts, *margin_m, subdomains.domain());
        let limits = limits.within(*synchronisation, subdomains);
        let reach = limits.reach(*synchronisation, subdomains)?;
        let region = Region::new(world.rank(), model.subdomains.clone(), Arc::new(rank_of), reach)?;
        let mut state = State::new(sizes);
        own.into_iter().try_for_each(|body| state.insert(body, model.radius(&body), &region))?;
        let mut synchroniser = Synchroniser::new(*synchronisation, region, limits);
        synchroniser.settle(&*world, &mut state.population)?;
        let mut simulation = Self {
            threads: Threads::new(threads)?,
            fixed: model.fixed.clone(),
            solver: model.settings.response.solver(&model.materials),
            model,
            world,
            synchroniser,
            state,
            detector: Detector::default(),
            next_sort: 1,
            images: Vec::new(),
            treated: None,
            contacts: Vec::new(),
            joints: Vec::new(),
            deepest: None,
            noted: None,
        };
        simulation.hold_springs_at_start()?;
        Ok(simulation)
    }

    /// Number of steps since the start.
    pub fn steps(&self) -> u64 {
        self.state.steps
    }

    /// Time since the start, s.
    pub fn time_s(&self) -> f64 {
        self.state.time_s
    }

    /// Sets the time since the start, s, which places keyframed bodies. It is for a simulation that
    /// starts with the bodies of a later time.
    pub fn set_time(&mut self, time_s: f64) {
        self.state.time_s = time_s;
    }

    /// The bodies that this rank knows: own bodies and shadow copies.
    pub fn population(&self) -> &Population {
        &self.state.population
    }

    /// The contacts that this rank found in the middle of the last step. The places of bodies in
    /// them are valid only at that time, because later synchronisations and sorting move bodies.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// The subdomains of this rank.
    pub fn region(&self) -> &Region {
        self.synchroniser.region()
    }

    /// Adds a force (N, through the centre of mass) and a torque (N m) on a body for the next step.
    /// Any rank that knows the body may call it, but only one of them should for each force.
    /// Returns false if this rank does not know the body.
    pub fn push(&mut self, id: BodyId, force: Vec3, torque: Vec3) -> bool {
        let place = self.state.population.place(id);
        if let Some(place) = place {
            self.state.forces.set(place, Load { force, torque });
        }
        place.is_some()
    }

    /// Deletes an own body and its copies in the first synchronisation of the next step. Returns
    /// false if this rank does not own the body.
    pub fn delete(&mut self, id: BodyId) -> bool {
        self.state.population.delete(id)
    }

    /// Counts all bodies and hashes their ids and states. All ranks call it. It takes one
    /// all-reduce of four numbers.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn census(&self) -> Result<Census> {
        census(&*self.world, &self.state.population)
    }

    /// Energy and momentum of all bodies. All ranks call it. It takes one all-reduce of a fixed
    /// size.
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
