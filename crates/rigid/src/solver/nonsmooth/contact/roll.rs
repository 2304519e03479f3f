//! A contact that resists rolling: besides its force, a torque on both bodies, in a ball.
//!
//! | symbol | |
//! |---|---|
//! | `t` | angular impulse on the first body, `abs(t) <= a l_n`; the second gets the opposite |
//! | `a` | lever arm of the rolling resistance, m |
//! | `w` | angular velocity of the first body minus that of the second |
//! | `A` | change of `w` by a unit angular impulse on the parts |
//!
//! ```text
//! w <- w + (what the change of the force does to it)
//! t <- t - w / (bound of the eigenvalues of A), shortened to at most a l_n
//! ```
//!
//! So the torque follows friction as friction follows the normal impulse. It begins with zero in
//! each step, so that states keep what they keep without rolling resistance.

use bytemuck::{Pod, Zeroable};

use super::{Begun, Cone, ContactConstraint, Pressing};
use crate::constraint::{Contact, ContactSettings, KeptImpulse, Side};
use crate::solver::nonsmooth::announced::BodyConstraint;
use crate::solver::nonsmooth::constraint::{Answer, Constraint, Found, Law, Wrench};
use crate::solver::nonsmooth::search::Swept;
use crate::{Surface, Twist};
use cloth_core::{Mat3, Vec3};

/// An impulse (N s) and an angular impulse (N m s) on the first body.
type Push = [Vec3; 2];

/// What the impulse of a contact that resists rolling can be.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ConeAndBall {
    cone: Cone,
    /// Lever arm, m.
    arm: f64,
}

impl Law for ConeAndBall {
    type Value = Push;

    fn apply(&self, [force, torque]: &Push, sign: f64, arm: &Vec3, sum: &mut Wrench) {
        self.cone.apply(force, sign, arm, sum);
        sum.angular += torque * sign;
    }

    fn allowed(&self, [force, torque]: Push) -> Push {
        let force = self.cone.allowed(force);
        [force, self.in_ball(&force, torque)]
    }
}

impl ConeAndBall {
    /// `torque`, shortened to what the contact can give with this `force`.
    fn in_ball(&self, force: &Vec3, torque: Vec3) -> Vec3 {
        // Rounding may leave a normal part below 0.
        let along = force.dot(&self.cone.normal).max(0.0);
        let (length, reach) = (torque.norm(), self.arm * along);
        if length > reach { torque * (reach / length) } else { torque }
    }
}

/// A contact that resists rolling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RollingConstraint {
    /// Its force.
    contact: ContactConstraint,
    law: ConeAndBall,
    /// Inverse inertias of the parts, (kg m^2)^-1.
    inverse_inertias: [Mat3; 2],
    /// At least the largest eigenvalue of `A`, (kg m^2)^-1.
    bound: f64,
    /// `w` without impulses, rad/s.
    free_spin: Vec3,
}

impl Pressing for RollingConstraint {
    fn new(
        contact: &Contact,
        sides: &[Side; 2],
        surface: &Surface,
        counts: [u32; 2],
        start: &Begun,
        settings: &ContactSettings,
    ) -> Answer<Self> {
        let force = ContactConstraint::new(contact, sides, surface, counts, start, settings);
        let (contact, value) = (force.constraint, [force.impulse.value, Vec3::zeros()]);
        let inverse_inertias =
            [0, 1].map(|i| sides[i].mobility.inverse_inertia * f64::from(counts[i]));
        // No eigenvalue is above the largest sum of a row. For balls both are equal.
        let rows = (inverse_inertias[0] + inverse_inertias[1]).abs() * Vec3::repeat(1.0);
        let free_spin = sides[0].twist.angular - sides[1].twist.angular;
        let law = ConeAndBall { cone: contact.cone, arm: surface.rolling };
        Answer::new(Self { contact, law, inverse_inertias, bound: rows.max(), free_spin }, value)
    }
}

impl RollingConstraint {
    /// The error of velocity that this change of the impulse removes, m/s.
    fn error(&self, [change, turned]: &Push) -> f64 {
        let of_torque = turned.norm() * self.bound * self.contact.arms[0].norm();
        self.contact.error(change).max(of_torque)
    }
}

impl Constraint for RollingConstraint {
    type Law = ConeAndBall;
    type Kept = KeptImpulse;

    const HAS_ROWS: bool = false;

    fn law(&self) -> &ConeAndBall {
        &self.law
    }

    fn start([force, _]: &Push, touch: &BodyConstraint) -> Begun {
        ContactConstraint::start(force, touch)
    }

    fn sweep(&mut self, [force, torque]: &Push, twists: [&Twist; 2]) -> [Push; 2] {
        let [gradient, change] = self.contact.sweep(force, twists);
        let before = twists[0].angular - twists[1].angular;
        let by_force =
            [0, 1].map(|i| self.inverse_inertias[i] * self.contact.arms[i].cross(&change));
        let spin = before + by_force[0] + by_force[1];
        let turned = self.law.in_ball(&(force + change), torque - spin / self.bound) - torque;
        [[gradient, before], [change, turned]]
    }

    fn error_m_s(&self, value: &Push, twists: [&Twist; 2]) -> f64 {
        let [_, change] = { *self }.sweep(value, twists);
        self.error(&change)
    }

    fn arms(&self) -> &[Vec3; 2] {
        self.contact.arms()
    }

    fn product(&self, a: &Push, b: &Push) -> f64 {
        self.contact.product(&a[0], &b[0]) + self.bound * a[1].dot(&b[1])
    }

    fn swept(&self, [force, torque]: &Push, found: &Found<Push>) -> Swept {
        let &Found { gradient: [gradient, spin], change: [change, turned], last } = found;
        let of_force = Found { gradient, change, last: last[0] };
        let of_force = self.contact.swept(force, &of_force);
        Swept {
            descent: of_force.descent - spin.dot(&turned),
            conjugacy: of_force.conjugacy + spin.dot(&(last[1] - turned)),
            energy: of_force.energy + 0.5 * torque.dot(&(spin + self.free_spin)),
            error: self.error(&found.change),
            ..of_force
        }
    }

    fn along_direction(
        &self,
        [gradient, before]: &Push,
        [along, turn]: &Push,
        twists: [&Twist; 2],
    ) -> [f64; 2] {
        let spin = twists[0].angular - twists[1].angular;
        [
            -gradient.dot(along) - before.dot(turn),
            self.contact.relative(twists).dot(along) + spin.dot(turn),
        ]
    }
}
