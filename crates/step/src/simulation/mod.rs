//! One rank's simulation: its parts and its public functions.

pub(crate) mod balance;
mod given;
mod welding;

use std::sync::Arc;
use std::time::Instant;

use crate::attempt::next::Next;
use crate::attempt::{Attempt, Stages};
use crate::contacts::active::ContactStage;
use crate::contacts::impulses::ImpulseStage;
use crate::contacts::search::CandidateSearch;
use crate::model::Model;
use crate::model::skin::YieldingObstacle;
use crate::recover::failed::Failed;
use crate::recover::pinch::{WaitingBody, make_room, waiting_bodies};
use crate::recover::release;
use crate::recover::step_error::{step_error, worst_vertex};
use crate::report::StepReport;
use crate::simulation::balance::{Balance, rebalance, repartition};
use crate::solve::rows::OwnRows;
use crate::solve::system::StepSystem;
use crate::state::State;
use crate::state::accuracy::may_double;
use crate::state::context::ThisRank;
use crate::state::motion::StepMotion;
use crate::state::saved::{self, keep_own};
use crate::state::skin_motion::yielding;
use crate::state::trouble::Trouble;
use crate::time::clock::{Span, TICKS_PER_STEP};
use crate::watch::{EnergyWatch, energy_of};
use cloth_bodies::bodies::prescribed::{ObstacleSetup, PrescribedPose};
use cloth_bodies::contact::fail_safe::FailSafe;
use cloth_collision::candidates::{SearchObserver, SearchProcessors};
use cloth_collision::collision::CandidateFinder;
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_core::partition::{Layout, Partition};
use cloth_core::ranks::WorldHandle;
use cloth_core::threads::Threads;

/// One rank's simulation: its rows of the linear system, its share of the
/// hierarchy tests, and copies of all positions and bounds.
pub struct Simulation<'w> {
    /// What all ranks know alike.
    model: Arc<Model>,
    rank: ThisRank<'w>,
    /// The state between two steps.
    #[doc(hidden)] // for the tests
    pub state: State,
    /// The stages of a step.
    stages: Stages,
    /// The work of the patches, if they may change their ranks.
    balance: Option<Balance>,
}

impl<'w> Simulation<'w> {
    /// This rank's part of `model` at t = 0, with `threads` threads. `world` is borrowed, or owned:
    /// with [`in_process::alone`](cloth_core::ranks::in_process::alone) the simulation can be kept in a
    /// struct, as a `Simulation<'static>`.
    ///
    /// # Errors
    /// When the threads cannot be started or the matrix is too large.
    pub fn new(
        model: Arc<Model>,
        world: impl Into<WorldHandle<'w>>,
        threads: usize,
    ) -> Result<Self> {
        let world = world.into();
        let threads = Threads::new(threads)?;
        let (partition, start) = (model.partition.clone(), Instant::now());
        let OwnRows { layout, system, gather } = OwnRows::new(&model, &partition, world.rank())?;
        let built_s = start.elapsed().as_secs_f64();
        let processors = SearchProcessors::new(&model.settings.collision, &threads, &*world);
        let watch = EnergyWatch::new(&model);
        let rank = ThisRank { world, threads, partition, layout };
        Ok(Self {
            state: State::start(&model),
            stages: Stages {
                motion: StepMotion::new(&model),
                search: CandidateSearch::new(CandidateFinder::new(&model.surfaces), processors),
                contacts: ContactStage::new(&model),
                system,
                gather,
                impulses: ImpulseStage::default(),
                fail_safe: FailSafe::default(),
                watch,
            },
            balance: Balance::new(&model, &rank, built_s)?,
            rank,
            model,
        })
    }

    /// Positions of all cloth vertices, m, in the mesh's own numbering.
    pub fn positions(&self) -> &[Vec3] {
        &self.state.positions
    }

    /// Velocities of all cloth vertices, m/s, in the mesh's own numbering.
    pub fn velocities(&self) -> &[Vec3] {
        self.state.cloth_velocities()
    }

    /// The places where the vertices of pin group `group` are held, m: where they are now if the
    /// next step is the first one that holds them, and none before. The groups of all cloths are
    /// numbered in scene order.
    pub fn handle(&self, group: usize) -> Vec<Vec3> {
        let State { captured, positions, .. } = &self.state;
        let places = captured.get(group).cloned().unwrap_or_default();
        match self.model.cloth.pins.groups.get(group) {
            Some(pin) if places.is_empty() && pin.is_active(self.time_s()) => pin.places(positions),
            _ => places,
        }
    }

    /// Leads the vertices of pin group `group`, numbered as for [`Self::handle`], to `places` (m)
    /// in the next step, and holds them there. The group must hold now and have no motion of its
    /// own; at the start, pins that start at 0 hold. Every rank must give the same places.
    ///
    /// # Errors
    /// When there is no such group, it does not hold now, it has a motion of its own, its number
    /// of vertices is not that of `places`, or a place is not finite. Then nothing changes.
    pub fn set_handle(&mut self, group: usize, places: &[Vec3]) -> Result<()> {
        let refused =
            |cause: String, remedy| Error::input(format!("pin group {group}"), cause, remedy);
        let now_s = self.time_s();
        let pin = self.model.cloth.pins.groups.get(group).filter(|pin| pin.is_active(now_s));
        let held = self.handle(group);
        let fits = !places.is_empty() && held.len() == places.len();
        let Some(pin) = pin.filter(|_| fits) else {
            let cause = format!("it does not hold {} vertices now", places.len());
            return Err(refused(cause, "give a place for each vertex of a pin that holds now"));
        };
        if pin.motion.is_some() || pin.follow.is_some() {
            let remedy = "leave the motion out of the scene to lead the vertices yourself";
            return Err(refused("it has a motion of its own".to_owned(), remedy));
        }
        if let Some(at) = places.iter().position(|place| !place.iter().all(|x| x.is_finite())) {
            let cause = format!("place {at} is not finite");
            return Err(refused(cause, "give finite places, in m"));
        }
        self.state.captured[group] = held;
        self.state.lead(&self.model, group, places.iter().copied());
        Ok(())
    }

    /// Bodies that are behind their motion now: obstacles, then pins.
    pub fn waiting(&self) -> Vec<WaitingBody> {
        waiting_bodies(&self.model, &self.state)
    }

    /// Obstacles whose skin gives way now.
    pub fn yielding(&self) -> Vec<YieldingObstacle> {
        yielding(&self.model, &self.state)
    }

    /// The present owners of all patches.
    pub fn partition(&self) -> &Partition {
        &self.rank.partition
    }

    /// Gives each patch to the rank in `rank_of_patch`. Every rank must give the same. The state
    /// and all further frames have the same bits as without the call. Collective.
    ///
    /// # Errors
    /// When there is not one owner for each patch or an owner is no rank; then nothing changes.
    /// When another rank has failed, or the matrix of a rank is too large.
    pub fn repartition(&mut self, rank_of_patch: &[u32]) -> Result<()> {
        let to = self.rank.partition.with_owners(rank_of_patch)?;
        if to == self.rank.partition {
            return Ok(());
        }
        let contacts = &mut self.state.contacts;
        repartition(&self.model, to, &mut self.rank, &mut self.stages, contacts)
    }

    /// The state between two steps.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Time since the start, s.
    pub fn time_s(&self) -> f64 {
        self.model.clock.seconds(self.state.ticks)
    }

    /// Where each obstacle is on its way; None if it has no motion. It is where its motion has it
    /// now, unless the obstacle is behind ([`Simulation::waiting`]).
    pub fn obstacle_poses(&self) -> Vec<Option<PrescribedPose>> {
        let obstacles = self.model.obstacles.iter().enumerate();
        let pose = |(number, obstacle): (usize, &ObstacleSetup)| {
            self.state.pose_of_waiting(number).or_else(|| obstacle.pose_at(self.time_s()))
        };
        obstacles.map(pose).collect()
    }

    /// Refuses a state in which surfaces cross or are nearer than the clearance, as
    /// [`Model::check_start`] does for the start. Call it for a state that was saved with another
    /// scene.
    ///
    /// # Errors
    /// What is wrong, where, and what to do.
    pub fn check_state(&self) -> Result<Vec<String>> {
        self.check_state_at("the start of the scene")
    }

    /// The same check. Errors are `at` this place.
    fn check_state_at(&self, at: &str) -> Result<Vec<String>> {
        self.model.check_state(&self.rank.threads, &self.state, at)
    }

    /// Whole steps since the start. A step that the run chooses may count as several.
    pub fn steps(&self) -> u64 {
        self.state.ticks / TICKS_PER_STEP
    }

    /// Advances by one whole step, or by a larger one if the run chooses its steps
    /// ([`crate::StepsPerFrame`]). If the solve fails or the fail-safe takes too much, it is
    /// divided into smaller ones, which then grow again. Collective.
    ///
    /// # Errors
    /// [`cloth_core::error::Error::Step`] when the smallest step fails too,
    /// [`cloth_core::error::Error::Rank`] when another rank has failed.
    pub fn step(&mut self) -> Result<StepReport> {
        self.step_observed(&mut ())
    }

    /// One whole step like [`Simulation::step`]. The `observer` sees its searches. It changes
    /// neither the state nor the report. Collective.
    ///
    /// # Errors
    /// As for [`Simulation::step`], and those of the observer.
    pub fn step_observed(&mut self, observer: &mut dyn SearchObserver) -> Result<StepReport> {
        let mut report = StepReport::default();
        let mut is_done = false;
        while !is_done {
            let (size, end) = (self.state.control.ticks, self.state.control.end(self.state.ticks));
            if let Some((trouble, next)) = self.attempt(&mut report, observer)? {
                report.count(trouble.counter(), 1);
                self.recover(&trouble, next, end)?;
            } else {
                let may_double = may_double(&self.model, &self.stages.motion, size);
                self.state.control.grow(self.state.ticks, end, may_double);
                is_done = self.state.ticks == end;
                self.state.let_go(&self.model, size);
            }
            self.state.change_size(&self.model, size);
        }
        let Self { model, rank, state, stages, balance } = self;
        if !state.released.is_empty() {
            release::follow(model, &rank.threads, &stages.motion, state);
        }
        if let Some(balance) = balance {
            rebalance(balance, model, rank, state, stages, &mut report)?;
        }
        state.follow_welds(model);
        self.weld(&mut report)?;
        Ok(report)
    }

    /// Prepares the next attempt after `trouble`, in a whole step that ends at `end` (ticks).
    fn recover(&mut self, trouble: &Trouble, next: Next, end: u64) -> Result<()> {
        let Self { model, rank, state, stages, .. } = self;
        let (threads, start) = (&rank.threads, &stages.motion.start);
        let failed = &mut Failed { model, threads, start, state, end };
        let is_prepared = match next {
            Next::Halve(cause) => failed.shrink(cause),
            Next::MakeRoom => make_room(failed, trouble),
            _ => false,
        };
        match is_prepared {
            true => Ok(()),
            false => Err(step_error(failed, trouble, worst_vertex(rank, &stages.system)?)),
        }
    }

    /// One step of the present size.
    fn attempt(
        &mut self,
        report: &mut StepReport,
        observer: &mut dyn SearchObserver,
    ) -> Result<Option<(Trouble, Next)>> {
        let Self { model, rank, state, stages, .. } = self;
        let control = state.control;
        let integrator = model.settings.solver.integrator;
        let span = &Span::new(&model.clock, integrator, state.ticks, control.ticks);
        let of = &Attempt { model, rank, span, control: &control };
        stages.attempt(of, state, report, observer)
    }

    /// Advances by `steps` whole steps and calls `hook` after each, with the report of the step.
    /// The hook must do the same on every rank. Collective.
    ///
    /// # Errors
    /// As for [`Simulation::step`], and those of the hook.
    pub fn run(
        &mut self,
        steps: u64,
        mut hook: impl FnMut(&mut Self, &StepReport) -> Result<()>,
    ) -> Result<()> {
        for _ in 0..steps {
            let report = self.step()?;
            hook(self, &report)?;
        }
        Ok(())
    }

    /// The number of this rank.
    pub fn rank(&self) -> usize {
        self.rank.world.rank()
    }

    /// What all ranks know alike.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// This rank's numbering.
    pub fn layout(&self) -> &Layout {
        &self.rank.layout
    }

    /// This rank's linear system, as assembled in the last step.
    pub fn system(&self) -> &StepSystem {
        &self.stages.system
    }

    /// Kinetic, gravitational and elastic energy of cloths and bodies, J. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn total_energy(&mut self) -> Result<f64> {
        let Self { model, rank, state, stages, .. } = self;
        Ok(energy_of(model, rank, state, &mut stages.system)?.total_j)
    }

    /// Hash of the state over all ranks: simulations with equal hashes go on alike. It is the same
    /// for any number of ranks. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn hash(&self) -> Result<u64> {
        saved::hash(&self.rank, &self.state)
    }

    /// The state over all ranks as bytes on rank 0, none elsewhere. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn save(&self) -> Result<Vec<u8>> {
        saved::save(&self.rank, &self.state)
    }

    /// Goes on from the state that [`Simulation::save`] gave for the same model, on any number of
    /// ranks. All ranks get the same bytes. Collective.
    ///
    /// # Errors
    /// When the bytes are damaged or belong to another model; then nothing changes. When another
    /// rank has failed, or the matrix of a rank is too large.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<()> {
        let saved = saved::read(bytes, &self.model)?;
        // The patches go back to their saved ranks, unless their number or that of ranks is different.
        let (ranks, partition) = (self.rank.world.size(), &self.rank.partition);
        let owners = saved.owners(ranks, partition.patches.len());
        let to = owners.map(|owners| partition.with_owners(owners)).transpose()?;
        self.weld_as_in(&saved.state)?;
        let Self { model, rank, state, stages, .. } = self;
        if let Some(to) = to.filter(|to| *to != rank.partition) {
            repartition(model, to, rank, stages, &mut Vec::new())?;
        }
        *state = saved.state;
        keep_own(model, rank, &mut state.contacts);
        Ok(())
    }
}
