//! One rank's part of a simulation of rigid bodies by workers.

use std::ops::Range;
use std::sync::Arc;

use crate::audit::Audit;
use crate::impulses::rounds::Agreement;
use crate::published::PublishedSets;
use crate::report::{Share, WorkerReport};
use crate::sets::Sets;
use crate::settings::{Coupling, SetRule, WorkerCount, WorkerSettings, workers_of};
use crate::weights::Weights;
use crate::worker::Worker;
use cloth_core::ranks::{TimedWorld, WorldHandle, in_process};
use cloth_core::{Error, Result, Threads, World};
use cloth_rigid::{Body, BodyId, FrameBody, Response, RigidModel, RigidSimulation};

/// One rank's part of a simulation by workers.
pub struct WorkerSimulation<'a> {
    pub(super) settings: WorkerSettings,
    pub(super) world: TimedWorld<'a>,
    pub(super) threads: Threads,
    /// All bodies, the same on all ranks. Its own world is one rank.
    pub(super) whole: RigidSimulation<'static>,
    /// Number of workers.
    pub(super) count: usize,
    /// The home of each body, by its id.
    pub(super) homes: Vec<u8>,
    pub(super) sets: Sets,
    /// Their state, with [`SetRule::Published`].
    pub(super) published: Option<PublishedSets>,
    pub(super) weights: Weights,
    /// The body at each place of `sets` and `weights`, those of the last step. Places change when
    /// bodies leave.
    pub(super) ids: Vec<BodyId>,
    /// The workers of this rank, if they blend states.
    pub(super) workers: Vec<Worker>,
    /// The workers of this rank, if they agree on impulses.
    pub(super) agreement: Agreement,
    /// On rank 0, if it is asked for.
    pub(super) audit: Option<Audit>,
}

impl<'a> WorkerSimulation<'a> {
    /// The simulation at time 0. `homes` has the home of each of `bodies`, which have rising ids.
    /// All ranks call it with the same arguments, except for `threads`, the number of threads of
    /// this rank.
    ///
    /// # Errors
    /// As [`RigidSimulation::new`]; if a setting is out of its bounds; if there are more ranks than
    /// workers whose number is fixed, periodic borders, or a response that the coupling does not
    /// know.
    pub fn new(
        model: Arc<RigidModel>,
        settings: WorkerSettings,
        bodies: &[Body],
        homes: &[u8],
        world: impl Into<WorldHandle<'a>>,
        threads: usize,
    ) -> Result<Self> {
        let world = TimedWorld::new(world.into());
        settings.check("parallel", bodies.len() as u64)?;
        check_scene(&model, &settings, &world)?;
        let mut by_id = vec![0; bodies.last().map_or(0, |body| body.id as usize + 1)];
        for (body, &home) in bodies.iter().zip(homes) {
            by_id[body.id as usize] = home;
        }
        let published = (settings.sets == SetRule::Published)
            .then(|| PublishedSets::new(bodies.iter().map(|body| body.id), &by_id));
        let rank_of = vec![0; model.subdomains.count()];
        let bodies = bodies.iter().copied();
        let whole = RigidSimulation::new(model, rank_of, bodies, in_process::alone(), threads)?;
        let count = match settings.count {
            WorkerCount::Fixed(count) => count as usize,
            WorkerCount::ByWork(_) => homes.iter().max().map_or(1, |&home| usize::from(home) + 1),
        };
        let own = workers_of(world.rank(), world.size(), count);
        let (workers, agreement) = workers(&settings, own, &whole)?;
        let audit = settings.audit && world.rank() == 0;
        let audit = audit.then(|| Audit::new(&whole)).transpose()?;
        let threads = Threads::new(threads)?;
        let (sets, weights, ids) = Default::default();
        Ok(Self {
            settings,
            world,
            threads,
            whole,
            count,
            homes: by_id,
            sets,
            published,
            weights,
            ids,
            workers,
            agreement,
            audit,
        })
    }

    /// All bodies. They are the same on all ranks, and so are all results of its functions.
    pub fn whole(&self) -> &RigidSimulation<'static> {
        &self.whole
    }

    /// The simulation of all bodies, to look at the start, or to ask for forces.
    pub fn whole_mut(&mut self) -> &mut RigidSimulation<'static> {
        &mut self.whole
    }

    /// The settings.
    pub fn settings(&self) -> &WorkerSettings {
        &self.settings
    }

    /// This rank.
    pub fn rank(&self) -> usize {
        self.world.rank()
    }

    /// The home of a body.
    pub fn home(&self, id: BodyId) -> usize {
        usize::from(self.homes[id as usize])
    }

    /// Number of workers, which may change in a step.
    pub fn worker_count(&self) -> usize {
        self.count
    }

    /// The workers of this rank.
    pub(super) fn own(&self) -> Range<usize> {
        workers_of(self.world.rank(), self.world.size(), self.count)
    }

    /// Number of bodies whose homes are workers of this rank, at the start.
    pub fn home_count(&self) -> usize {
        let own = self.own();
        let bodies = self.whole.population().bodies();
        (0..bodies.len()).filter(|&place| own.contains(&self.home(bodies.id(place)))).count()
    }

    /// Number of whole steps since the start.
    pub fn steps(&self) -> u64 {
        self.whole.steps()
    }

    /// Time since the start, s.
    pub fn time_s(&self) -> f64 {
        self.whole.time_s()
    }

    /// What the workers of this rank did in the last step.
    pub fn worker_reports(&self) -> impl Iterator<Item = WorkerReport> {
        let of_states = self.workers.iter().map(|worker| worker.report);
        of_states.chain(self.agreement.reports())
    }

    /// What each worker said in the last step about the bodies that are there, by rising body, and
    /// for each body by rising worker. Before the first step, and after a restore, each body has its
    /// home alone.
    pub fn shares(&self) -> Vec<Share> {
        let mut places: Vec<(BodyId, u32)> = self.ids.iter().copied().zip(0..).collect();
        places.sort_unstable();
        let bodies = self.whole.population().bodies();
        let mut present: Vec<BodyId> = (0..bodies.len()).map(|place| bodies.id(place)).collect();
        present.sort_unstable();
        let mut shares = Vec::with_capacity(present.len());
        for id in present {
            match places.binary_search_by_key(&id, |&(id, _)| id) {
                Ok(at) => {
                    shares.extend(self.weights.of(places[at].1).map(|(worker, weight)| Share {
                        id,
                        worker: worker as u32,
                        weight,
                    }))
                }
                Err(_) => shares.push(Share { id, worker: self.home(id) as u32, weight: 1.0 }),
            }
        }
        shares
    }

    /// [`RigidSimulation::frame_bodies`]. The owner of a movable body is its home.
    ///
    /// # Errors
    /// When a rank fails.
    pub fn frame_bodies(&self) -> Result<Vec<FrameBody>> {
        if self.world.rank() != 0 {
            return Ok(Vec::new());
        }
        let mut bodies = self.whole.frame_bodies()?;
        for body in bodies.iter_mut().filter(|body| body.fixed == 0) {
            body.owner = self.home(body.id) as u32;
        }
        Ok(bodies)
    }
}

/// The workers with the numbers `own`: those that blend states, or that agree on impulses.
pub(super) fn workers(
    settings: &WorkerSettings,
    own: Range<usize>,
    whole: &RigidSimulation<'static>,
) -> Result<(Vec<Worker>, Agreement)> {
    Ok(match settings.coupling {
        Coupling::States => {
            let workers = own.map(|number| Worker::new(number, settings, whole));
            (workers.collect::<Result<_>>()?, Agreement::default())
        }
        Coupling::Impulses => (Vec::new(), Agreement::new(own)),
    })
}

/// Fails if the ranks, the domain or the response do not fit to workers.
fn check_scene(model: &RigidModel, settings: &WorkerSettings, world: &dyn World) -> Result<()> {
    let ranks = world.size();
    if let WorkerCount::Fixed(count) = settings.count
        && ranks > count as usize
    {
        let cause = format!("{count} workers cannot use {ranks} ranks");
        let remedy = format!("start at most {count} ranks, or ask for more workers");
        return Err(Error::input("parallel.count", cause, remedy));
    }
    if model.subdomains.domain().periodic().contains(&true) {
        let cause = "workers know no periodic borders";
        let remedy = "use `parallel: Domain`, or other borders";
        return Err(Error::input("domain.borders", cause, remedy));
    }
    if settings.coupling == Coupling::Impulses {
        model.materials.refuse_rolling("`coupling: Impulses`", "use `coupling: States`")?;
    }
    if settings.has_rapier() {
        model.materials.refuse_rolling("`Rapier`", "write `engines: [Own]`")?;
    }
    if settings.coupling == Coupling::Impulses && model.settings.response == Response::Ffd {
        let cause = "workers agree on impulses, and the response `Ffd` has none";
        let remedy = "use `response: Nonsmooth(sweeps: 30)`, or `coupling: States`";
        return Err(Error::input("parallel.coupling", cause, remedy));
    }
    Ok(())
}
