//! The response of some of the bodies, by the solver of the model.

use crate::body::{BodyId, BodyState, Twist};
use crate::constraint::contact::Contact;
use crate::constraint::joint::active::ActiveJoint;
use crate::constraint::kept::{KeptImpulse, KeptJoint};
use crate::constraint::pair::Partner;
use crate::simulation::RigidSimulation;
use crate::simulation::replica::Middle;
use crate::solver::{Answered, Solved, Solver, StepParts};
use crate::sync::{Population, Synchroniser};
use cloth_core::error::{Error, Result};
use cloth_core::ranks::in_process;
use cloth_core::threads::Threads;

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
                match ends.second {
                    Partner::Movable(second) => counts(first, bodies.id(second as usize)),
                    Partner::Fixed(_) => counts(first, first),
                }
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
            let all = middle.impulses;
            let own = &all[all.partition_point(|kept| kept.body < id)..];
            self.impulses.extend(own.iter().take_while(|kept| kept.body == id));
            let all = middle.joint_impulses;
            let own = &all[all.partition_point(|kept| kept.body < id)..];
            self.joint_impulses.extend(own.iter().take_while(|kept| kept.body == id));
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
