//! One rank's part of a simulation of many rigid bodies.

mod order;
mod overlap;
mod step;

use std::sync::Arc;

use crate::bounds;
use crate::error::{Error, Result};
use crate::math::Vec3;
use crate::ranks::{World, message};
use crate::rigid::body::{Body, BodyId};
use crate::rigid::contact::{Contact, ContactSettings};
use crate::rigid::domain::{Region, Subdomains};
use crate::rigid::fixed::FixedBodies;
use crate::rigid::horizon::Horizon;
use crate::rigid::material::Materials;
use crate::rigid::narrow::detector::{Detector, ImageOf};
use crate::rigid::overlap::Overlap;
use crate::rigid::solid::Solids;
use crate::rigid::sync::checks::{Census, census};
use crate::rigid::sync::values::Forces;
use crate::rigid::sync::{Limits, Population, Synchronisation, Synchroniser};
use crate::rigid::totals::Totals;
use crate::threads::Threads;

use self::step::{Ffd, Nonsmooth};

/// How contacts change velocities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Response {
    /// Fast frictional dynamics: one communication.
    Ffd,
    /// Non-smooth contact dynamics: one communication a sweep, and three to begin.
    Nonsmooth {
        /// Number of sweeps. 10 hold heaps of spheres of 25 layers, because impulses are kept from
        /// step to step; boxes gain from 20.
        sweeps: u32,
    },
}

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
    pub(super) world: &'a dyn World,
    threads: Threads,
    pub(super) synchroniser: Synchroniser,
    pub(super) population: Population,
    forces: Forces,
    fixed: FixedBodies,
    time_s: f64,
    detector: Detector,
    /// Bodies are sorted in memory once the broad phase was rebuilt so often.
    next_sort: u64,
    images: Vec<ImageOf>,
    contacts: Vec<Contact>,
    /// The deepest overlap of these contacts.
    deepest: Option<Overlap>,
    ffd: Ffd,
    nonsmooth: Nonsmooth,
}

/// The rank of each of `count` subdomains: as many for each, adjacent numbers together. With fewer
/// subdomains than ranks some ranks have none.
pub fn shared_out(count: usize, ranks: usize) -> Vec<u32> {
    (0..count).map(|subdomain| (subdomain * ranks / count) as u32).collect()
}

impl<'a> RigidSimulation<'a> {
    /// The simulation at time 0. `rank_of` says who has each subdomain. Each rank offers all bodies
    /// or any part that holds its own ones; bodies of other ranks are passed over. All ranks call
    /// it.
    ///
    /// # Errors
    /// If a body is outside the domain or has no size, if bodies are too large for the domain or
    /// its division, or if a rank fails.
    pub fn new(
        model: Arc<RigidModel>,
        rank_of: Vec<u32>,
        bodies: impl IntoIterator<Item = Body>,
        world: &'a dyn World,
        threads: usize,
    ) -> Result<Self> {
        bounds::positive("margin_m", model.settings.margin_m)?;
        bounds::positive("step_s", model.settings.contacts.step_s)?;
        let mut population = Population::default();
        let mut extents = Extents { largest_radius: 0.0, least_half: f64::INFINITY };
        for mut body in bodies {
            let radius = check(&model, &body)?;
            let subdomains = &model.subdomains;
            (body.state.position, _) = subdomains.domain().wrap(&body.state.position);
            let home = subdomains.owner(&body.state.position);
            if rank_of.get(home as usize) == Some(&(world.rank() as u32)) {
                extents.largest_radius = extents.largest_radius.max(radius);
                extents.least_half = extents.least_half.min(model.solids.half_width(&body.shape));
                population.insert(body, radius, home, world.rank() as u32)?;
            }
        }
        let limits = extents.limits(world, &model)?;
        let method = model.settings.synchronisation;
        let reach = limits.reach(method, &model.subdomains)?;
        let region = Region::new(world.rank(), model.subdomains.clone(), Arc::new(rank_of), reach)?;
        let mut synchroniser = Synchroniser::new(method, region, limits);
        synchroniser.settle(world, &mut population)?;
        Ok(Self {
            threads: Threads::new(threads)?,
            fixed: model.fixed.clone(),
            model,
            world,
            synchroniser,
            population,
            forces: Forces::default(),
            time_s: 0.0,
            detector: Detector::default(),
            next_sort: 1,
            images: Vec::new(),
            contacts: Vec::new(),
            deepest: None,
            ffd: Ffd::default(),
            nonsmooth: Nonsmooth::default(),
        })
    }

    /// Time since the start, s.
    pub fn time_s(&self) -> f64 {
        self.time_s
    }

    /// Says what time it is, s: where keyframed bodies are. For a simulation that begins with the
    /// bodies of a later time.
    pub fn set_time(&mut self, time_s: f64) {
        self.time_s = time_s;
    }

    /// The bodies that this rank knows.
    pub fn population(&self) -> &Population {
        &self.population
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

    /// Sets a force (N, through the centre of mass) and a torque (N m) for the next step. They act
    /// in a subdomain of this rank, on a body that reaches into it. False if this rank does not
    /// know the body.
    pub fn push(&mut self, id: BodyId, subdomain: u32, force: Vec3, torque: Vec3) -> bool {
        let place = self.population.place(id);
        if let Some(place) = place {
            self.forces.set(place, subdomain, force, torque);
        }
        place.is_some()
    }

    /// Deletes an own body, with its copies, in the next step's first synchronisation. False if
    /// this rank does not own it.
    pub fn delete(&mut self, id: BodyId) -> bool {
        self.population.delete(id)
    }

    /// Goes on with another division of the same domain, such as one that shares out measured work.
    /// All ranks call it between steps, with the same arguments. Bodies keep their bits.
    ///
    /// # Errors
    /// If bodies are too large for the division, or a rank fails.
    pub fn redivide(&mut self, subdomains: Arc<Subdomains>, rank_of: Vec<u32>) -> Result<()> {
        // Forces that are set refer to the places of bodies, which change.
        self.forces.sum(&mut self.synchroniser, self.world, &mut self.population)?;
        let method = self.model.settings.synchronisation;
        let limits = self.synchroniser.limits().within(&subdomains);
        let reach = limits.reach(method, &subdomains)?;
        let region = Region::new(self.world.rank(), subdomains, Arc::new(rank_of), reach)?;
        let next = Synchroniser::new(method, region, limits);
        self.redistribute_impulses(next.region())?;
        self.synchroniser.redistribute(next, self.world, &mut self.population)
    }

    /// Counts all bodies and hashes their ids and states. All ranks call it; one all-reduce of four
    /// numbers.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn census(&self) -> Result<Census> {
        census(self.world, &self.population)
    }

    /// Energy and momentum of all bodies. All ranks call it; one all-reduce of a fixed size.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn totals(&self) -> Result<Totals> {
        Totals::of(self.world, &self.population, &self.model.settings.contacts.gravity)
    }

    /// Compares all shadow copies with their owners, bit by bit. All ranks call it.
    ///
    /// # Errors
    /// If a copy differs, or a rank fails.
    pub fn check_copies(&mut self) -> Result<()> {
        self.synchroniser.check_copies(self.world, &self.population)
    }
}

/// The sizes of the own bodies of one rank.
struct Extents {
    largest_radius: f64,
    least_half: f64,
}

impl Extents {
    /// The bounds of the bodies of all ranks.
    fn limits(&self, world: &dyn World, model: &RigidModel) -> Result<Limits> {
        let all = message::all_gather_v(world, &[[self.largest_radius, self.least_half]])?;
        let largest_radius = all.iter().map(|&[radius, _]| radius).fold(0.0, f64::max);
        let half = all.iter().map(|&[_, half]| half).fold(f64::INFINITY, f64::min);
        // Without bodies nothing moves. There are two synchronisations in a step.
        let motion = if half.is_finite() { 0.5 * half } else { 0.0 };
        let limits = Limits {
            largest_radius,
            body_motion: motion,
            motion,
            margin: model.settings.margin_m,
            // Contacts do not depend on the division.
            horizon: Horizon::new(&model.settings.contacts, motion),
            holds_ahead: false,
        };
        Ok(limits.within(&model.subdomains))
    }
}

/// The radius of a body, if it fits the domain.
fn check(model: &RigidModel, body: &Body) -> Result<f64> {
    let at = format!("body {}", body.id);
    let radius = model.solids.reach(&body.shape);
    bounds::positive(&at, radius)?;
    bounds::positive(&at, body.mass)?;
    let (x, twist) = (&body.state.position, &body.state.twist);
    for vector in [x, &twist.angular, &twist.linear, &body.inertia] {
        bounds::finite_vector(&at, (*vector).into())?;
    }
    let domain = model.subdomains.domain();
    let is_inside =
        (0..3).all(|axis| domain.low()[axis] <= x[axis] && x[axis] <= domain.high()[axis]);
    if is_inside {
        return Ok(radius);
    }
    let [x, y, z] = (*x).into();
    let cause = format!("its centre ({x}, {y}, {z}) is outside the domain");
    Err(Error::input(at, cause, "move it, or make the domain larger"))
}
