//! The parts of a step of a simulation that each rank has whole. The workers of the crate
//! `cloth-workers` answer its contacts.
//!
//! The world of such a simulation is one rank. The ranks of the run share the search for contacts;
//! all other parts are the same on all ranks.

use crate::body::{BodyId, BodyState};
use crate::broad::Bound;
use crate::constraint::contact::Contact;
use crate::constraint::joint::active::ActiveJoint;
use crate::constraint::kept::{KeptImpulse, KeptJoint};
use crate::fixed::FixedBodies;
use crate::simulation::{RigidModel, RigidSimulation};
use crate::sync::Traffic;
use crate::table::BodyList;
use cloth_core::error::Result;

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
    /// As `impulses`, of joints.
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

    /// Finds all joints, in the order of their numbers, and the contacts whose first bodies satisfy `treats`.
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
