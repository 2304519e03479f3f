//! One rank's simulation: its parts, and its public face.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::collision::CandidateFinder;
use crate::contact::candidates::SearchProcessors;
use crate::contact::fail_safe::FailSafe;
use crate::error::{Error, Result};
use crate::linear::Tolerance;
use crate::math::Vec3;
use crate::partition::Layout;
use crate::ranks::World;
use crate::step::clock::TICKS_PER_STEP;
use crate::step::contacts::ContactStage;
use crate::step::context::ThisRank;
use crate::step::control::StepControl;
use crate::step::gather::VelocityGather;
use crate::step::impulses::ImpulseStage;
use crate::step::model::Model;
use crate::step::motion::StepMotion;
use crate::step::report::StepReport;
use crate::step::search::CandidateSearch;
use crate::step::state::State;
use crate::step::system::StepSystem;
use crate::step::watch::EnergyWatch;
use crate::threads::Threads;

/// One rank's simulation: its rows of the linear system, its share of the
/// hierarchy tests, and copies of all positions and bounds.
pub struct Simulation<'w> {
    /// What all ranks know alike.
    pub(super) model: Arc<Model>,
    pub(super) rank: ThisRank<'w>,
    /// The state between two steps.
    pub(super) state: State,
    /// The size of the next attempt. It outlives a step too.
    pub(super) control: StepControl,
    /// Positions and velocities in the present step.
    pub(super) motion: StepMotion,
    // The stages of a step, in their order, with what each reuses from step to step.
    pub(super) search: CandidateSearch,
    pub(super) contacts: ContactStage,
    pub(super) system: StepSystem,
    pub(super) gather: VelocityGather,
    pub(super) impulses: ImpulseStage,
    pub(super) fail_safe: FailSafe,
    /// The balance of energy. It outlives a step and changes nothing of it.
    pub(super) watch: EnergyWatch,
}

impl<'w> Simulation<'w> {
    /// This rank's part of `model` at t = 0, with `threads` threads.
    ///
    /// # Errors
    /// When the threads cannot be started or the matrix is too large.
    pub fn new(model: Arc<Model>, world: &'w dyn World, threads: usize) -> Result<Self> {
        let settings = &model.settings;
        let threads = Threads::new(threads)?;
        let layout = Layout::new(&model.graph, &model.partition, world.rank());
        let tolerance = Tolerance {
            relative_residual: settings.solver.relative_residual,
            max_iterations: settings.solver.max_iterations as usize,
        };
        let processors = SearchProcessors::new(&settings.collision, &threads, world);
        Ok(Self {
            state: State::start(&model),
            control: StepControl::new(),
            motion: StepMotion::new(&model),
            search: CandidateSearch::new(CandidateFinder::new(&model.surfaces), processors),
            contacts: ContactStage::new(&model),
            system: StepSystem::new(&model, &layout, settings.solver.preconditioner, tolerance)?,
            gather: VelocityGather::new(&model),
            impulses: ImpulseStage::default(),
            fail_safe: FailSafe::default(),
            watch: EnergyWatch::new(&model, &layout),
            rank: ThisRank { world, threads, layout },
            model,
        })
    }

    /// Positions of all cloth vertices, m, in the mesh's own numbering.
    pub fn positions(&self) -> &[Vec3] {
        &self.state.positions
    }

    /// Velocities of all cloth vertices, m/s, in the mesh's own numbering.
    pub fn velocities(&self) -> &[Vec3] {
        &self.state.velocities[..self.model.numbering.cloth()]
    }

    /// Sets positions (m) and velocities (m/s) of all cloth vertices. Every rank must give the
    /// same. Pins and memories of contacts stay as they are.
    ///
    /// # Errors
    /// When there is not one position and one velocity for each cloth vertex. Then nothing
    /// changes. A number that is not finite is an error of the next step.
    pub fn set_motion(&mut self, positions: &[Vec3], velocities: &[Vec3]) -> Result<()> {
        let cloth = self.model.numbering.cloth();
        for (place, vectors) in [("positions", positions), ("velocities", velocities)] {
            if vectors.len() != cloth {
                let cause = format!("{} vectors for {cloth} cloth vertices", vectors.len());
                return Err(Error::input(place, cause, "give one for each cloth vertex"));
            }
        }
        self.state.positions.copy_from_slice(positions);
        self.state.velocities[..cloth].copy_from_slice(velocities);
        self.watch.forget();
        Ok(())
    }

    /// Where the vertices of pin group `group` (in scene order, of all cloths) are held, m; empty
    /// before it takes hold.
    pub fn handle(&self, group: usize) -> &[Vec3] {
        self.state.captured.get(group).map_or(&[], Vec::as_slice)
    }

    /// Leads the vertices of pin group `group` (in scene order, of all cloths) to `places` (m) in
    /// the next step, and holds them there. The group must have taken hold and have no motion of
    /// its own. Every rank must give the same places.
    ///
    /// # Errors
    /// When there is no such group, it does not hold now, it has a motion, its size is another, or
    /// a place is not finite. Then nothing changes.
    pub fn set_handle(&mut self, group: usize, places: &[Vec3]) -> Result<()> {
        let refused =
            |cause: String, remedy| Error::input(format!("pin group {group}"), cause, remedy);
        let now_s = self.scene_time_s();
        let pin = self.model.cloth.pins.groups.get(group).filter(|pin| pin.is_active(now_s));
        let held = self.state.captured.get_mut(group).filter(|held| held.len() == places.len());
        let (Some(pin), Some(held), false) = (pin, held, places.is_empty()) else {
            let cause = format!("it does not hold {} vertices now", places.len());
            return Err(refused(cause, "give a place for each vertex of a pin that holds now"));
        };
        if pin.motion.is_some() {
            let remedy = "leave the motion out of the scene to lead the vertices yourself";
            return Err(refused("it has a motion of its own".to_owned(), remedy));
        }
        if let Some(at) = places.iter().position(|place| !place.iter().all(|x| x.is_finite())) {
            let cause = format!("place {at} is not finite");
            return Err(refused(cause, "give finite places, in m"));
        }
        held.copy_from_slice(places);
        Ok(())
    }

    /// The state between two steps.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Time since the start, s.
    pub fn time_s(&self) -> f64 {
        self.model.clock.seconds(self.state.ticks)
    }

    /// The time that obstacles and handles have reached, s. It is behind [`Simulation::time_s`] by
    /// the time for which they were held.
    pub fn scene_time_s(&self) -> f64 {
        self.model.clock.seconds(self.state.ticks - self.state.lag_ticks)
    }

    /// Whole steps since the start.
    pub fn steps(&self) -> u64 {
        self.state.ticks / TICKS_PER_STEP
    }

    /// Advances by one whole step. Where the solve fails or the fail-safe takes too much, the
    /// step is done in smaller ones, which then grow again. Collective.
    ///
    /// # Errors
    /// [`crate::error::Error::Step`] when the smallest step fails too,
    /// [`crate::error::Error::Rank`] when another rank has failed.
    pub fn step(&mut self) -> Result<StepReport> {
        self.step_observed(&mut ())
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
        &self.system
    }

    /// Kinetic, gravitational and elastic energy of cloths and bodies, J. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn total_energy(&mut self) -> Result<f64> {
        self.watch.total(&self.model, &self.rank, &self.state)
    }

    /// Hash of the state over all ranks. It is the same for any number of them. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn state_hash(&self) -> Result<u64> {
        self.state.hash(self.rank.world, |node| self.rank.layout.own_index(node).is_some())
    }
}
