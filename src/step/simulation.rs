//! One rank's simulation: what it holds and what can be asked of it.

use std::sync::Arc;

use crate::bodies::cloth::energy::EnergyMeter;
use crate::bodies::cloth::{ContactSpring, Integrator};
use crate::collision::{Detector, Test};
use crate::contact::candidates::SearchProcessors;
use crate::contact::fail_safe::FailSafe;
use crate::contact::spring::{ContactLaw, StandingContact};
use crate::contact::{Contact, Friction, VertexResponse};
use crate::error::{Error, Result};
use crate::ids::VertexId;
use crate::linear::Tolerance;
use crate::math::Vec3;
use crate::partition::{Gather, Layout};
use crate::ranks::World;
use crate::step::clock::TICKS_PER_STEP;
use crate::step::model::Model;
use crate::step::motion::Motion;
use crate::step::report::StepReport;
use crate::step::state::{ContactMemory, State};
use crate::threads::Threads;

/// Fastest push-out of what starts nearer than the contact distance, m/s; or half of that
/// distance in a whole step, if that is faster. A step that is redone in parts must not
/// push faster: what is pressed together would burst.
const PUSH_SPEED_M_PER_S: f64 = 0.2;

/// One rank's simulation: its rows of the linear system, its share of the
/// hierarchy tests, and copies of all positions and bounds.
pub struct Simulation<'w> {
    pub(super) model: Arc<Model>,
    pub(super) world: &'w dyn World,
    pub(super) threads: Threads,
    pub(super) layout: Layout,
    pub(super) gather: Gather,
    pub(super) integrator: Integrator,
    pub(super) detector: Detector,
    pub(super) processors: SearchProcessors,
    pub(super) law: ContactLaw,
    pub(super) energy: EnergyMeter,
    pub(super) state: State,
    pub(super) motion: Motion,
    pub(super) fail_safe: FailSafe,
    /// Whether obstacles and handles wait for the rest of this step.
    pub(super) held: bool,
    /// Size of the next step, ticks.
    pub(super) step_ticks: u64,
    pub(super) lists: Lists,
}

/// Lists that are reused from step to step.
#[derive(Default)]
pub(super) struct Lists {
    /// Pinned vertices and where they are at the end of the step.
    pub targets: Vec<(VertexId, Vec3)>,
    /// This rank's root tests.
    pub roots: Vec<Test>,
    /// Contacts that this rank found.
    pub found: Vec<Contact>,
    /// Contacts that touch its vertices, by rising pair, and their springs.
    pub standing: Vec<StandingContact>,
    pub springs: Vec<ContactSpring>,
    /// What these contacts remember of the step.
    pub memories: Vec<ContactMemory>,
    /// Velocities of the own vertices in parallel numbering.
    pub own_velocities: Vec<Vec3>,
    pub responses: Vec<VertexResponse>,
}

impl<'w> Simulation<'w> {
    /// This rank's part of `model` at t = 0, with `threads` threads.
    ///
    /// # Errors
    /// When the threads cannot be started or the matrix is too large.
    pub fn new(model: Arc<Model>, world: &'w dyn World, threads: usize) -> Result<Self> {
        let (settings, cloth) = (&model.settings, &model.cloth);
        let threads = Threads::new(threads)?;
        let layout = Layout::new(&model.graph, &model.partition, world.rank());
        let tolerance = Tolerance {
            relative_residual: settings.solver.relative_residual,
            max_iterations: settings.solver.max_iterations as usize,
        };
        let distance_m = settings.contact.distance_m;
        let half_in_a_step = 0.5 * distance_m / model.clock.seconds(TICKS_PER_STEP);
        let law = ContactLaw {
            distance_m,
            friction: Friction {
                cloth: settings.contact.friction_cloth,
                obstacle: settings.contact.friction_obstacle,
                cloth_vertices: cloth.vertex_count() as u32,
            },
            push_speed_m_per_s: PUSH_SPEED_M_PER_S.max(half_in_a_step),
        };
        let state = State {
            ticks: 0,
            lag_ticks: 0,
            positions: model.initial.clone(),
            velocities: vec![Vec3::zeros(); model.initial.len()],
            captured: cloth.pins.nothing_captured(),
            contacts: Vec::new(),
        };
        Ok(Self {
            gather: Gather::new(&model.partition),
            integrator: Integrator::new(
                cloth,
                &model.graph,
                &model.partition,
                &layout,
                settings.solver.preconditioner,
                tolerance,
            )?,
            detector: Detector::new(&model.surfaces),
            processors: SearchProcessors::new(&settings.collision, &threads, world),
            energy: EnergyMeter::new(cloth, &layout),
            threads,
            motion: Motion::new(&model),
            fail_safe: FailSafe::default(),
            held: false,
            step_ticks: TICKS_PER_STEP,
            lists: Lists::default(),
            layout,
            law,
            state,
            world,
            model,
        })
    }

    /// Positions of all cloth vertices, m, in the mesh's own numbering.
    pub fn positions(&self) -> &[Vec3] {
        &self.state.positions
    }

    /// Velocities of all cloth vertices, m/s, in the mesh's own numbering.
    pub fn velocities(&self) -> &[Vec3] {
        &self.state.velocities
    }

    /// Sets positions (m) and velocities (m/s) of all cloth vertices; every rank
    /// must be given the same.
    pub fn set_motion(&mut self, positions: &[Vec3], velocities: &[Vec3]) {
        self.state.positions.copy_from_slice(positions);
        self.state.velocities.copy_from_slice(velocities);
    }

    /// Leads the vertices of pin group `group` (in scene order, of all cloths) to
    /// `places` (m) in the next step, and holds them there. The group must have
    /// taken hold and have no motion of its own; every rank must say the same.
    ///
    /// # Errors
    /// When there is no such group or its size is another.
    pub fn set_handle(&mut self, group: usize, places: &[Vec3]) -> Result<()> {
        let held = self.state.captured.get_mut(group).filter(|held| held.len() == places.len());
        let held = held.ok_or_else(|| {
            Error::input(
                format!("pin group {group}"),
                format!("it does not hold {} vertices now", places.len()),
                "give a place for each vertex of a pin that has taken hold",
            )
        })?;
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

    /// The time that obstacles and handles have reached, s: behind
    /// [`Simulation::time_s`] by as long as they were held.
    pub fn scene_time_s(&self) -> f64 {
        self.model.clock.seconds(self.state.ticks - self.state.lag_ticks)
    }

    /// Whole steps since the start.
    pub fn steps(&self) -> u64 {
        self.state.ticks / TICKS_PER_STEP
    }

    /// Advances by one whole step. Where the solve fails or the fail-safe takes too much, the
    /// step is done in smaller ones, which then grow again.
    ///
    /// # Errors
    /// [`crate::error::Error::Step`] when the smallest step fails too,
    /// [`crate::error::Error::Rank`] when another rank has failed.
    pub fn step(&mut self) -> Result<StepReport> {
        self.step_observed(&mut ())
    }

    /// What all ranks know alike.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// This rank's numbering.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// This rank's linear system, as assembled in the last step.
    pub fn integrator(&self) -> &Integrator {
        &self.integrator
    }

    /// Kinetic, gravitational and elastic energy of all cloths, J. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn total_energy(&mut self) -> Result<f64> {
        let (state, model) = (&self.state, &self.model);
        self.energy.total(
            self.world,
            &self.threads,
            &model.cloth,
            &self.layout,
            (&state.positions, &state.velocities),
            model.gravity(),
        )
    }

    /// Hash of the state over all ranks, equal on any number of them. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn state_hash(&self) -> Result<u64> {
        self.state.hash(self.world, |vertex| self.layout.own_index(vertex).is_some())
    }
}
