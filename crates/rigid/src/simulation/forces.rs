//! The forces of contacts and joints in the last step.

use bytemuck::{Pod, Zeroable};

use crate::constraint::joint::{Joint, Second};
use crate::constraint::{Contact, KeptJoint};
use crate::{BodyId, FixedBodies, RigidSimulation};
use cloth_core::{Result, Vec3, message};

/// The mean forces of a step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepForces {
    /// Of contacts that press, by rising ids of both bodies.
    pub contacts: Vec<ContactForce>,
    /// Of joints, by rising number. A joint that does nothing is missing.
    pub joints: Vec<JointForce>,
}

/// The mean force of a contact in a step.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ContactForce {
    /// The two bodies. The second one may be fixed.
    pub bodies: [BodyId; 2],
    /// Number of the contact among those of the two bodies.
    pub feature: u64,
    /// Vector from the centre of mass of the first body to the point, m.
    pub arm: Vec3,
    /// The point in the middle of the step, m.
    pub point: Vec3,
    /// Unit normal, from the second body to the first.
    pub normal: Vec3,
    /// Distance of the surfaces in the middle of the step, m. It is below 0 if they overlap.
    pub gap: f64,
    /// Force on the first body, N. The second one gets the opposite.
    pub force: Vec3,
}

/// The mean force and torque of a joint on its first body in a step, along and about the axes of
/// the frame on the second body.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct JointForce {
    /// The number of the joint.
    pub joint: u64,
    /// Its bodies. Space has the largest number.
    pub bodies: [BodyId; 2],
    /// Force at the first point of the joint, N. It contains limits and motor of a translation.
    pub force: Vec3,
    /// Torque, N m. It contains limits and motor of a rotation.
    pub torque: Vec3,
}

impl RigidSimulation<'_> {
    /// Asks for the forces of each further step.
    pub fn note_forces(&mut self) {
        self.noted = Some(StepForces::default());
    }

    /// The forces of all ranks in the last step, on rank 0; other ranks get none. It is empty
    /// before the first step and after a restore, and `None` if nobody asked for them. Only
    /// `Response::Nonsmooth` knows forces. The result does not depend on the number of ranks. All
    /// ranks call it.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn forces(&self) -> Result<Option<StepForces>> {
        let Some(StepForces { contacts, joints }) = &self.noted else { return Ok(None) };
        let mut joints = message::gather_v(&*self.world, 0, joints)?;
        joints.sort_unstable_by_key(|it| it.joint);
        let mut contacts = message::gather_v(&*self.world, 0, contacts)?;
        // Images of a pair across periodic borders have the same features.
        let key =
            |it: &ContactForce| (it.bodies, it.feature, it.arm.data.0.map(|x| x.map(f64::to_bits)));
        contacts.sort_unstable_by_key(key);
        let mut kept = message::gather_v(&*self.world, 0, &self.state.impulses)?;
        kept.sort_by_key(|it| (it.body, it.partner));
        for contact in &mut contacts {
            let pair = contact.bodies;
            let start = kept.partition_point(|it| [it.body, it.partner] < pair);
            let of_pair = kept[start..].iter_mut().take_while(|it| [it.body, it.partner] == pair);
            // An impulse is taken once: parts of a compound may touch at the same point.
            let mut left = of_pair.filter(|it| it.impulse != Vec3::zeros());
            if let Some(it) = left.find(|it| it.arm == contact.arm) {
                contact.force = std::mem::take(&mut it.impulse) / self.step_s();
            }
        }
        contacts.retain(|it| it.force != Vec3::zeros());
        Ok(Some(StepForces { contacts, joints }))
    }

    /// Before: contacts refer to the present places of bodies, and the impulses of this step are
    /// kept. After: the forces are noted, if somebody asked for them; those of contacts are missing
    /// until ranks meet, because the impulse of a contact is with the owner of its first body.
    pub(super) fn note(&mut self) {
        if self.noted.is_none() {
            return;
        }
        let bodies = self.state.population.bodies();
        let of_contact = |contact: &Contact| {
            let first = bodies.at(contact.first as usize);
            ContactForce {
                bodies: [first.id, self.fixed.id_of(contact.second, &bodies)],
                feature: contact.feature.into(),
                arm: contact.point - first.state.position,
                point: self.region().subdomains().domain().wrap(&contact.point).0,
                normal: contact.normal,
                gap: contact.gap,
                force: Vec3::zeros(),
            }
        };
        let contacts = self.contacts.iter().map(of_contact).collect();
        let joints = self.state.joint_impulses.iter().map(|kept| self.of_joint(kept)).collect();
        self.noted = Some(StepForces { contacts, joints });
    }

    fn of_joint(&self, &KeptJoint { joint, impulse, .. }: &KeptJoint) -> JointForce {
        let Joint { first, second, settings, .. } = &self.model.joints.all()[joint as usize];
        let mut rows: [f64; 6] = std::array::from_fn(|row| impulse[row] / self.step_s());
        if let Some(along) = settings.kind.along().row() {
            rows[along] += (impulse[6] + impulse[7]) / self.step_s();
        }
        let second = match *second {
            Second::Movable(id) => id,
            Second::Fixed(place) => self.fixed.id(place),
            Second::Space => self.fixed.id(FixedBodies::SPACE),
        };
        let [x, y, z, a, b, c] = rows;
        let (force, torque) = (Vec3::new(x, y, z), Vec3::new(a, b, c));
        JointForce { joint, bodies: [*first, second], force, torque }
    }

    fn step_s(&self) -> f64 {
        self.model.settings.contacts.step_s
    }
}
