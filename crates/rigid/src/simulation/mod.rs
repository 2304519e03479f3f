//! One rank's part of a simulation of many rigid bodies.

mod forces;
mod joints;
pub mod overlap;
mod saved;
pub mod split_step;
mod step;

use std::sync::Arc;

pub use self::forces::{ContactForce, JointForce, StepForces};
use crate::constraint::joint::{ActiveJoint, Joints};
use crate::constraint::{Contact, ContactSettings};
use crate::domain::{Region, Subdomains};
use crate::narrow::detector::{Detector, ImageOf};
use crate::simulation::overlap::Overlap;
use crate::solver::Solver;
use crate::state::State;
use crate::sync::checks::census;
use crate::sync::limits::SizeRange;
use crate::sync::{Limits, Synchroniser};
use crate::totals::Totals;
use crate::{
    Body, BodyId, Census, FixedBodies, FrameBody, Load, Materials, Population, Response, Shape,
    Solids, Synchronisation,
};
use cloth_core::ranks::WorldHandle;
use cloth_core::{Error, Result, Threads, Vec3, bounds, message};

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
            let size = checked_size(&model, &body)?;
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

/// Largest difference of the length of a quaternion from 1.
const MOST_OFF: f64 = 1e-6;

/// The size of a body, after all checks.
///
/// # Errors
/// If the body is outside the domain, if a size, the mass or a moment of inertia is not above 0, if
/// a number is not finite, if the rotation is no unit quaternion, or if the model lacks the body's
/// material or solid.
pub(super) fn checked_size(model: &RigidModel, body: &Body) -> Result<SizeRange> {
    let at = format!("body {}", body.id);
    check_tables(model, body, &at)?;
    let largest_radius = model.radius(body);
    let least_half_width = model.solids.half_width(&body.shape);
    for number in [largest_radius, least_half_width, body.mass] {
        bounds::positive(&at, number)?;
    }
    body.inertia.iter().try_for_each(|&moment| bounds::positive(&at, moment))?;
    let (x, twist) = (&body.state.position, &body.state.twist);
    for vector in [x, &twist.angular, &twist.linear] {
        bounds::finite(&at, *vector)?;
    }
    let length = body.state.rotation.norm();
    if (length - 1.0).abs().partial_cmp(&MOST_OFF) != Some(std::cmp::Ordering::Less) {
        let cause = format!("its rotation is a quaternion of length {length}");
        return Err(Error::input(at, cause, "give a unit quaternion"));
    }
    let domain = model.subdomains.domain();
    let is_inside =
        (0..3).all(|axis| domain.low()[axis] <= x[axis] && x[axis] <= domain.high()[axis]);
    if is_inside {
        return Ok(SizeRange { largest_radius, least_half_width });
    }
    let [x, y, z] = (*x).into();
    let cause = format!("its centre ({x}, {y}, {z}) is outside the domain");
    Err(Error::input(at, cause, "move it, or make the domain larger"))
}

fn check_tables(model: &RigidModel, body: &Body, at: &str) -> Result<()> {
    let materials = model.materials.count();
    if usize::from(body.material) >= materials {
        let cause = format!("its material {} is not one of {materials}", body.material);
        return Err(Error::input(at, cause, "name a material of the model"));
    }
    let solids = model.solids.all().len();
    match body.shape.solid().filter(|&solid| solid as usize >= solids) {
        Some(solid) => {
            let cause = format!("its solid {solid} is not one of {solids}");
            Err(Error::input(at, cause, "name a solid of the model"))
        }
        None => Ok(()),
    }
}

impl RigidSimulation<'_> {
    /// The movable bodies of all ranks and the bodies that keyframes move, by rising id, on rank 0.
    /// Other ranks get an empty list. All groups are 0, because only a scene knows the groups.
    /// All ranks call it.
    ///
    /// # Errors
    /// When a rank fails.
    pub fn frame_bodies(&self) -> Result<Vec<FrameBody>> {
        let reach = |shape: &Shape| self.model.solids.reach(shape);
        let owner = self.world.rank() as u32;
        let own = self.population().own().iter();
        let own = Vec::from_iter(own.map(|body| FrameBody::of(&body, 0, owner, reach)));
        let mut bodies = message::gather_v(&*self.world, 0, &own)?;
        if owner == 0 {
            let times = [self.time_s(), self.model.settings.contacts.step_s];
            let moving = self.model.fixed.bodies().iter().filter(|body| body.motion.is_some());
            bodies.extend(moving.map(|body| FrameBody::of_fixed(body, times, 0, reach)));
            bodies.sort_unstable_by_key(|body| body.id);
        }
        Ok(bodies)
    }
}
