//! A step in two halves, whose constraints others answer between them: the workers of the crate
//! `cloth-workers`.
//!
//! The world of such a simulation is one rank. The ranks of the run share the search for contacts;
//! all other parts of a step are the same on all ranks. A [`PartSolver`] answers the constraints of
//! some of the bodies by the solver of the model.

use crate::broad::Bound;
use crate::constraint::joint::ActiveJoint;
use crate::constraint::{Contact, KeptImpulse, KeptJoint, Partner};
use crate::solver::nonsmooth::announced::kept_of;
use crate::solver::{Answered, Solved, Solver, StepParts};
use crate::sync::Synchroniser;
use crate::{
    BodyId, BodyList, BodyState, FixedBodies, Population, RigidModel, RigidSimulation, Traffic,
    Twist,
};
use cloth_core::ranks::in_process;
use cloth_core::{Error, Result, Threads};

/// The middle of a step: forces have changed velocities, constraints are known, not yet answered.
#[derive(Clone, Copy)]
pub struct Middle<'a> {
    /// The model.
    pub model: &'a RigidModel,
    /// All movable bodies.
    pub bodies: BodyList<'a>,
    /// Their bounds, by place.
    pub bounds: &'a [Bound],
    /// Fixed bodies in the middle of the step.
    pub fixed: &'a FixedBodies,
    /// All contacts, or those that this rank has found so far.
    pub contacts: &'a [Contact],
    /// All joints.
    pub joints: &'a [ActiveJoint],
    /// Impulses of the last step, by rising id of the first body.
    pub impulses: &'a [KeptImpulse],
    /// Impulses of joints with which the step begins.
    pub joint_impulses: &'a [KeptJoint],
}

impl RigidSimulation<'_> {
    /// The first half of a step, up to the search for contacts.
    ///
    /// # Errors
    /// If a body moves too far.
    pub fn begin_step(&mut self) -> Result<()> {
        self.sum_forces()?;
        self.first_half()?;
        self.synchronise()
    }

    /// Finds all joints, in the order of their numbers, and the contacts whose first bodies satisfy
    /// `treats`.
    ///
    /// # Errors
    /// If two bodies passed through each other, or a joint has come apart.
    pub fn find_constraints_of(&mut self, treats: impl Fn(BodyId) -> bool) -> Result<()> {
        let bodies = self.state.population.bodies();
        self.treated = Some((0..bodies.len()).map(|place| treats(bodies.id(place))).collect());
        self.find_contacts()?;
        self.check_passed()?;
        self.find_joints()?;
        self.joints.sort_unstable_by_key(|joint| joint.ends.number);
        Ok(())
    }

    /// The middle of the step.
    pub fn middle(&self) -> Middle<'_> {
        let population = &self.state.population;
        Middle {
            model: &self.model,
            bodies: population.bodies(),
            bounds: population.bounds(),
            fixed: &self.fixed,
            contacts: &self.contacts,
            joints: &self.joints,
            impulses: &self.state.impulses,
            joint_impulses: &self.state.joint_impulses,
        }
    }

    /// The counts of the communication since the last call. They are the same on all ranks.
    pub fn take_traffic(&mut self) -> Traffic {
        self.synchroniser.take_traffic()
    }

    /// Sets the contacts of all ranks.
    pub fn set_contacts(&mut self, contacts: Vec<Contact>) {
        self.contacts = contacts;
        self.find_deepest();
    }

    /// Ends the step with these states of the bodies, by place, and these impulses. Those of one
    /// pair of bodies are in their order.
    ///
    /// # Errors
    /// If a body moved too far.
    pub fn end_step(
        &mut self,
        states: &[BodyState],
        mut impulses: Vec<KeptImpulse>,
        mut joint_impulses: Vec<KeptJoint>,
    ) -> Result<()> {
        impulses.sort_by_key(|kept| (kept.body, kept.partner));
        joint_impulses.sort_by_key(|kept| (kept.body, kept.joint));
        (self.state.impulses, self.state.joint_impulses) = (impulses, joint_impulses);
        self.note();
        let h = self.model.settings.contacts.step_s;
        self.state.population.clear_loads();
        self.synchroniser.advance(&mut self.state.population, &self.threads, |place, state, _| {
            *state = states[place]
        });
        self.state.time_s += h;
        self.state.steps += 1;
        self.synchronise()
    }
}

/// Answers the constraints of some of the bodies of a [`Middle`], as if there were no others.
#[derive(Debug)]
pub struct PartSolver {
    solver: Box<dyn Solver>,
    synchroniser: Synchroniser,
    population: Population,
    /// The place of each body of the whole among the members, or [`NO_PLACE`].
    places: Vec<u32>,
    contacts: Vec<Contact>,
    joints: Vec<ActiveJoint>,
    impulses: Vec<KeptImpulse>,
    joint_impulses: Vec<KeptJoint>,
}

/// Some of the bodies of a [`Middle`], and the constraints among them and with fixed bodies.
#[derive(Debug, Clone, Copy)]
pub struct Members<'a> {
    /// Places of the bodies, by rising id.
    pub bodies: &'a [u32],
    /// Places of the contacts, rising.
    pub contacts: &'a [u32],
    /// Places of the joints, rising.
    pub joints: &'a [u32],
}

/// The place of a body that is no member.
const NO_PLACE: u32 = u32::MAX;

impl RigidSimulation<'_> {
    /// A solver for a part of this simulation, whose world is one rank.
    pub fn part_solver(&self) -> PartSolver {
        let region = self.region().clone();
        let (method, limits) = (self.model.settings.synchronisation, *self.synchroniser.limits());
        PartSolver {
            solver: self.model.settings.response.solver(&self.model.materials),
            synchroniser: Synchroniser::new(method, region, limits),
            population: Population::default(),
            places: Vec::new(),
            contacts: Vec::new(),
            joints: Vec::new(),
            impulses: Vec::new(),
            joint_impulses: Vec::new(),
        }
    }
}

impl PartSolver {
    /// Answers the constraints of the members. After: [`PartSolver::states`] has the states of the
    /// middle of the step with the velocities after the response, and [`PartSolver::impulses`] has
    /// the impulses.
    ///
    /// # Errors
    /// If a place is wrong.
    pub fn solve(&mut self, middle: &Middle, of: &Members, threads: &Threads) -> Result<Solved> {
        self.take(middle, of)?;
        let world = in_process::alone();
        self.solver.solve(&mut StepParts {
            world: &*world,
            threads,
            settings: &middle.model.settings.contacts,
            materials: &middle.model.materials,
            fixed: middle.fixed,
            contacts: &self.contacts,
            joints: &self.joints,
            all_joints: &middle.model.joints,
            synchroniser: &mut self.synchroniser,
            population: &mut self.population,
            impulses: &mut self.impulses,
            joint_impulses: &mut self.joint_impulses,
        })
    }

    /// The residual of the last response ([`Solver::residual_m_s`]) if `changes` are added to the
    /// velocities of the members. `counts` tells by the movable bodies of a constraint, twice the same
    /// if there is one, whether it counts.
    pub fn residual_m_s(
        &self,
        middle: &Middle,
        changes: &[Twist],
        counts: &(dyn Fn(BodyId, BodyId) -> bool + Sync),
        threads: &Threads,
    ) -> f64 {
        let bodies = self.population.bodies();
        let changed = |(state, change): (&BodyState, &Twist)| Twist {
            angular: state.twist.angular + change.angular,
            linear: state.twist.linear + change.linear,
        };
        let twists: Vec<Twist> = bodies.states().iter().zip(changes).map(changed).collect();
        self.solver.residual_m_s(&Answered {
            threads,
            fixed: middle.fixed,
            contacts: &self.contacts,
            joints: &self.joints,
            twists: Some(&twists),
            counts: &|ends| {
                let first = bodies.id(ends.first as usize);
                let second = ends.second.movable().map(|place| bodies.id(place as usize));
                counts(first, second.unwrap_or(first))
            },
        })
    }

    /// The states of the members, in their order.
    pub fn states(&self) -> &[BodyState] {
        self.population.bodies().states()
    }

    /// The impulses of the last response, of contacts and of joints.
    pub fn impulses(&self) -> (&[KeptImpulse], &[KeptJoint]) {
        (&self.impulses, &self.joint_impulses)
    }

    /// Copies the members, their constraints and their last impulses.
    fn take(&mut self, middle: &Middle, of: &Members) -> Result<()> {
        self.population = Population::default();
        self.places.clear();
        self.places.resize(middle.bodies.len(), NO_PLACE);
        for (&place, local) in of.bodies.iter().zip(0..) {
            let (body, radius) =
                (middle.bodies.at(place as usize), middle.bounds[place as usize].radius);
            self.population.insert(body, radius, 0, 0)?;
            self.places[place as usize] = local;
        }
        self.contacts.clear();
        for &place in of.contacts {
            let contact = middle.contacts[place as usize];
            let (first, second) = self.local(contact.first, contact.second)?;
            self.contacts.push(Contact { first, second, ..contact });
        }
        self.joints.clear();
        for &place in of.joints {
            let mut joint = middle.joints[place as usize];
            (joint.ends.first, joint.ends.second) =
                self.local(joint.ends.first, joint.ends.second)?;
            self.joints.push(joint);
        }
        self.impulses.clear();
        self.joint_impulses.clear();
        let bodies = self.population.bodies();
        for id in bodies.iter().map(|body| body.id) {
            self.impulses.extend(kept_of(middle.impulses, id));
            self.joint_impulses.extend(kept_of(middle.joint_impulses, id));
        }
        Ok(())
    }

    /// The bodies of a constraint by their places among the members.
    fn local(&self, first: u32, second: Partner) -> Result<(u32, Partner)> {
        let place = |whole: u32| match self.places.get(whole as usize) {
            Some(&place) if place != NO_PLACE => Ok(place),
            _ => Err(Error::internal("part of the bodies", "a constraint of no member")),
        };
        Ok(match second {
            Partner::Movable(second) => (place(first)?, Partner::Movable(place(second)?)),
            Partner::Fixed(_) => (place(first)?, second),
        })
    }
}
