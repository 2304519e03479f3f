//! The forces of contacts and joints in the last step.

use crate::math::Vec3;
use crate::rigid::body::BodyId;
use crate::rigid::constraint::kept::{KeptImpulse, KeptJoint};
use crate::rigid::simulation::RigidSimulation;

/// The mean force of a contact in the last step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactForce {
    /// The two bodies. The second one may be fixed.
    pub bodies: [BodyId; 2],
    /// Vector from the centre of mass of the first body to the contact, m.
    pub arm: Vec3,
    /// Force on the first body, N. The second one gets the opposite.
    pub force: Vec3,
}

/// The mean force and torque of a joint on its first body in the last step, along and about the
/// axes of the frame on the second body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointForce {
    /// The number of the joint.
    pub joint: u32,
    /// Force at the first point of the joint, N. It contains limits and motor of a translation.
    pub force: Vec3,
    /// Torque, N m. It contains limits and motor of a rotation.
    pub torque: Vec3,
}

impl RigidSimulation<'_> {
    /// The forces of the contacts whose first bodies this rank owns. Only `Response::Nonsmooth`
    /// knows them. It forgets those of bodies that moved by more than their radius in the step.
    pub fn contact_forces(&self) -> impl Iterator<Item = ContactForce> {
        let h = self.model.settings.contacts.step_s;
        let force = move |&KeptImpulse { body, partner, arm, impulse }: &KeptImpulse| {
            ContactForce { bodies: [body, partner], arm, force: impulse / h }
        };
        self.state.impulses.iter().map(force)
    }

    /// The forces of the joints whose first bodies this rank owns, as
    /// [`RigidSimulation::contact_forces`].
    pub fn joint_forces(&self) -> impl Iterator<Item = JointForce> {
        let h = self.model.settings.contacts.step_s;
        self.state.joint_impulses.iter().map(move |&KeptJoint { joint, impulse, .. }| {
            let mut rows: [f64; 6] = std::array::from_fn(|row| impulse[row] / h);
            let kind = self.model.joints.all()[joint as usize].settings.kind;
            if let Some(along) = kind.along().row() {
                rows[along] += (impulse[6] + impulse[7]) / h;
            }
            let [x, y, z, a, b, c] = rows;
            let (force, torque) = (Vec3::new(x, y, z), Vec3::new(a, b, c));
            JointForce { joint: joint as u32, force, torque }
        })
    }
}
