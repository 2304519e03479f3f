//! The engine `Rapier` (crate `rapier3d-f64`): another solver, seen from outside.
//!
//! It gets the states of the start of a step, and its own step of the same length is the whole
//! step of its bodies, with gravity and forces. It finds contacts of its own. So its free fall is
//! that of its integrator: `n` substeps, each of which changes the velocity first. A step ends
//! `a h^2 / (2 n)` past the parabola of a constant acceleration `a`. There are as many substeps as
//! `sweeps` of the response, because each has one sweep over the constraints.
//!
//! A body whose state nobody has changed since the last step is not touched: one worker with this
//! engine does what Rapier does alone. What it remembers from step to step (contacts, impulses of
//! contacts, the tree of its broad phase) follows from the bodies that it had before, in their
//! order. So it does not depend on ranks, but it is not part of a saved state.
//!
//! Bodies are inserted by rising id and removed when they are no longer active.

mod joints;
mod shapes;

use std::collections::BTreeMap;
use std::fmt::{Debug, Formatter};

use rapier3d_f64::math::Vector;
use rapier3d_f64::prelude::{
    ColliderBuilder, ImpulseJointHandle, MassProperties, PhysicsWorld, RigidBodyBuilder,
    RigidBodyHandle, SpringCoefficients,
};

use self::shapes::{Surfaces, pose_of, state_of, vector};
use crate::engine::WorkerEngine;
use cloth_core::{Error, Place, Result, Threads};
use cloth_rigid::constraint::joint::Second;
use cloth_rigid::motion::drift;
use cloth_rigid::simulation::split_step::{Members, Middle};
use cloth_rigid::solver::Solved;
use cloth_rigid::{
    Body, BodyId, BodyList, BodyState, Load, MaterialId, Response, RigidModel, RigidSimulation,
};

/// The engine `Rapier` of a worker.
pub(super) struct Rapier {
    world: PhysicsWorld,
    /// Fixed bodies by their places, and space as the last one.
    fixed: Vec<RigidBodyHandle>,
    /// The active bodies, with the states that the last step gave them.
    active: BTreeMap<BodyId, (RigidBodyHandle, BodyState)>,
    /// The active joints by their numbers.
    joints: BTreeMap<u32, ImpulseJointHandle>,
    /// Of rigid joints.
    softness: SpringCoefficients<f64>,
    /// The states at the start of the step, by id.
    starts: Vec<BodyState>,
}

impl Debug for Rapier {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Rapier").field("active", &self.active.len()).finish_non_exhaustive()
    }
}

impl WorkerEngine for Rapier {
    fn begin(&mut self, bodies: BodyList) {
        let last = bodies.iter().map(|body| body.id).max().map_or(0, |id| id as usize + 1);
        self.starts.resize(last, BodyState::AT_REST);
        for (place, state) in bodies.states().iter().enumerate() {
            self.starts[bodies.id(place) as usize] = *state;
        }
    }

    fn advance(
        &mut self,
        middle: &Middle,
        of: &Members,
        _: &Threads,
        states: &mut Vec<BodyState>,
    ) -> Result<Solved> {
        self.take_bodies(middle, of)?;
        self.take_joints(middle, of);
        self.place_fixed(middle);
        self.world.step_with_events(&Surfaces(&middle.model.materials), &());
        states.clear();
        for (&id, (handle, state)) in &mut self.active {
            let body = &self.world.bodies[*handle];
            if !body.is_enabled() {
                let cause = "`Rapier` found a state for it that is no number";
                return Err(Error::input(Place::Body(id), cause, "raise `steps_per_frame`"));
            }
            *state = state_of(body);
            states.push(*state);
            if body.user_force() != Vector::ZERO || body.user_torque() != Vector::ZERO {
                let body = &mut self.world.bodies[*handle];
                body.reset_forces(false);
                body.reset_torques(false);
            }
        }
        let sweeps = self.world.integration_parameters.num_solver_iterations as u64;
        let constraints = of.contacts.len() + of.joints.len();
        Ok(Solved { constraints: constraints as u64, sweeps, stopped: 0 })
    }
}

impl Rapier {
    /// The engine for all bodies of `whole`, or for some of them, whose states are blended with those
    /// of other workers.
    ///
    /// # Errors
    /// If a fixed body is a closed mesh.
    pub fn new(whole: &RigidSimulation<'static>, has_all: bool) -> Result<Self> {
        let Middle { model, bodies, fixed, .. } = whole.middle();
        let mut world = PhysicsWorld::new();
        world.gravity = vector(&model.settings.contacts.gravity);
        let settings = &mut world.integration_parameters;
        settings.dt = model.settings.contacts.step_s;
        if let Response::Nonsmooth { sweeps } = model.settings.response {
            settings.num_solver_iterations = sweeps as usize;
        }
        // The run refuses bodies that pass through others. A body is not stopped or slowed.
        settings.max_ccd_substeps = 0;
        settings.normalized_max_linear_velocity = f64::MAX;
        // Its tolerances are for bodies of about this size.
        let reaches = bodies.iter().map(|body| model.solids.reach(&body.shape));
        settings.length_unit = 2.0 * reaches.fold(f64::INFINITY, f64::min);
        let softness = match has_all {
            true => SpringCoefficients::joint_defaults(),
            false => joints::slow(settings.dt),
        };
        let (active, joints, starts) = Default::default();
        let mut made = Self { world, fixed: Vec::new(), active, joints, softness, starts };
        for (body, state) in fixed.bodies().iter().zip(fixed.states()) {
            let builder = match body.motion {
                None => RigidBodyBuilder::fixed(),
                Some(_) => RigidBodyBuilder::kinematic_position_based(),
            };
            let shapes = shapes::of_fixed(model, body)?;
            let handle = made.world.insert_body(builder.pose(pose_of(state)));
            made.add_shapes(model, handle, body.material, shapes);
            made.fixed.push(handle);
        }
        made.fixed.push(made.world.insert_body(RigidBodyBuilder::fixed()));
        Ok(made)
    }

    /// After: the active bodies are the members, in the states of the start of the step.
    fn take_bodies(&mut self, middle: &Middle, of: &Members) -> Result<()> {
        let mut before = std::mem::take(&mut self.active);
        let ids = of.bodies.iter().map(|&place| middle.bodies.id(place as usize));
        for (id, &place) in ids.zip(of.bodies) {
            let start = self.starts[id as usize];
            let kept = before.remove(&id);
            let body = middle.bodies.at(place as usize);
            let handle = match kept {
                Some((handle, _)) => handle,
                None => self.insert(middle.model, &body, &start)?,
            };
            // Rapier forgets things about a body that is only looked at in a way that may change it.
            if body.load != Load::NONE || kept.is_some_and(|(_, state)| state != start) {
                let inside = &mut self.world.bodies[handle];
                inside.set_position(pose_of(&start), true);
                inside.set_linvel(vector(&start.twist.linear), true);
                inside.set_angvel(vector(&start.twist.angular), true);
                inside.add_force(vector(&body.load.force), true);
                inside.add_torque(vector(&body.load.torque), true);
            }
            self.active.insert(id, (handle, start));
        }
        for (handle, _) in before.into_values() {
            self.world.remove_body(handle);
        }
        Ok(())
    }

    fn insert(
        &mut self,
        model: &RigidModel,
        body: &Body,
        start: &BodyState,
    ) -> Result<RigidBodyHandle> {
        let mass = MassProperties::new(Vector::ZERO, body.mass, vector(&body.inertia));
        let builder = RigidBodyBuilder::dynamic()
            .pose(pose_of(start))
            .linvel(vector(&start.twist.linear))
            .angvel(vector(&start.twist.angular))
            .additional_mass_properties(mass)
            .can_sleep(false);
        let shapes = shapes::of_movable(model, body)?;
        let handle = self.world.insert_body(builder);
        self.add_shapes(model, handle, body.material, shapes);
        Ok(handle)
    }

    /// Adds shapes without mass to a body.
    fn add_shapes(
        &mut self,
        model: &RigidModel,
        body: RigidBodyHandle,
        material: MaterialId,
        shapes: shapes::Shapes,
    ) {
        let surface = model.materials.surface(material, material);
        for (pose, shape) in shapes {
            let collider = ColliderBuilder::new(shape)
                .position(pose)
                .density(0.0)
                .friction(surface.friction)
                .restitution(surface.restitution)
                .active_hooks(shapes::hooks(&model.materials))
                .user_data(material.into());
            self.world.insert_collider(collider, Some(body));
        }
    }

    /// After: the active joints are those of the members. A removed body has taken its joints along.
    fn take_joints(&mut self, middle: &Middle, of: &Members) {
        let mut before = std::mem::take(&mut self.joints);
        for place in of.joints {
            let number = middle.joints[*place as usize].ends.number;
            let joint = &middle.model.joints.all()[number as usize];
            let first = self.active[&joint.first].0;
            let second = match joint.second {
                Second::Movable(id) => self.active[&id].0,
                Second::Fixed(place) => self.fixed[place as usize],
                Second::Space => self.fixed[self.fixed.len() - 1],
            };
            let known = before.remove(&number);
            let known = known.filter(|&it| self.world.impulse_joints.get(it).is_some());
            let handle = known.unwrap_or_else(|| {
                let made = joints::made(joint, self.softness);
                self.world.insert_impulse_joint(second, first, made)
            });
            self.joints.insert(number, handle);
        }
        for handle in before.into_values() {
            self.world.remove_impulse_joint(handle);
        }
    }

    /// Moves bodies with keyframes from the start of the step to its end.
    fn place_fixed(&mut self, middle: &Middle) {
        let half = 0.5 * middle.model.settings.contacts.step_s;
        let states = middle.fixed.bodies().iter().zip(middle.fixed.states());
        for ((body, state), &handle) in states.zip(&self.fixed) {
            if body.motion.is_some() {
                let [start, end] = [-half, half].map(|time_s| {
                    let mut state = *state;
                    drift(&mut state, time_s);
                    pose_of(&state)
                });
                let inside = &mut self.world.bodies[handle];
                inside.set_position(start, true);
                inside.set_next_kinematic_position(end);
            }
        }
    }
}
