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

use super::{Begun, ContactImpulse, ContactProblem, Pressing};
use crate::constraint::{Contact, ContactSettings, KeptImpulse, Side};
use crate::solver::nonsmooth::announced::{BodyConstraint, Kept};
use crate::solver::nonsmooth::problem::{Impulse, Problem, Wrench};
use crate::solver::nonsmooth::search::Swept;
use crate::{BodyId, Surface, Twist};
use cloth_core::{Mat3, Vec3};

/// An impulse (N s) and an angular impulse (N m s) on the first body.
type Push = [Vec3; 2];

/// The impulse of a contact that resists rolling.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct RollImpulse {
    /// Of its own numbers only the normal and the friction count.
    contact: ContactImpulse,
    /// Lever arm, m.
    arm: f64,
    value: Push,
    direction: Push,
    best: Push,
}

impl Impulse for RollImpulse {
    type Value = Push;

    fn value(&self) -> &Push {
        &self.value
    }

    fn value_mut(&mut self) -> &mut Push {
        &mut self.value
    }

    fn direction(&self) -> &Push {
        &self.direction
    }

    fn direction_mut(&mut self) -> &mut Push {
        &mut self.direction
    }

    fn act(&self, [force, torque]: &Push, sign: f64, arm: &Vec3, sum: &mut Wrench) {
        self.contact.act(force, sign, arm, sum);
        sum.angular += torque * sign;
    }

    fn advance(&mut self, length: f64) {
        let ([force, torque], [along, turn]) = (self.value, self.direction);
        let mut contact = ContactImpulse { value: force, direction: along, ..self.contact };
        contact.advance(length);
        self.value = [contact.value, self.in_ball(&contact.value, torque + turn * length)];
    }

    fn mark(&mut self) {
        self.best = self.value;
    }

    fn go_back(&mut self) {
        self.value = self.best;
    }
}

impl RollImpulse {
    /// `torque`, shortened to what the contact can give with this `force`.
    fn in_ball(&self, force: &Vec3, torque: Vec3) -> Vec3 {
        // Rounding may leave a normal part below 0.
        let along = force.dot(&self.contact.normal).max(0.0);
        let (length, reach) = (torque.norm(), self.arm * along);
        if length > reach { torque * (reach / length) } else { torque }
    }
}

/// A contact that resists rolling, and its impulse.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RollProblem {
    /// Its force.
    contact: ContactProblem,
    impulse: RollImpulse,
    /// Inverse inertias of the parts, (kg m^2)^-1.
    gives: [Mat3; 2],
    /// At least the largest eigenvalue of `A`, (kg m^2)^-1.
    bound: f64,
    /// `w`, rad/s: without impulses, and before the last sweep.
    free_spin: Vec3,
    spin: Vec3,
    change: Push,
    turn: f64,
}

impl Pressing for RollProblem {
    fn begin(
        contact: &Contact,
        sides: &[Side; 2],
        surface: &Surface,
        counts: [u32; 2],
        start: &Begun,
        settings: &ContactSettings,
    ) -> Self {
        let contact = ContactProblem::new(contact, sides, surface, counts, start, settings);
        let zero = Push::zeroed();
        let impulse = RollImpulse {
            contact: contact.impulse,
            arm: surface.rolling,
            value: [contact.impulse.value, Vec3::zeros()],
            direction: zero,
            best: zero,
        };
        let gives = [0, 1].map(|i| sides[i].mobility.inverse_inertia * f64::from(counts[i]));
        // No eigenvalue is above the largest sum of a row. For balls both are equal.
        let rows = (gives[0] + gives[1]).abs() * Vec3::repeat(1.0);
        let free_spin = sides[0].twist.angular - sides[1].twist.angular;
        let (bound, spin) = (rows.max(), free_spin);
        Self { contact, impulse, gives, bound, free_spin, spin, change: zero, turn: 0.0 }
    }

    fn kept(impulse: KeptImpulse) -> KeptForce {
        KeptForce(impulse)
    }

    fn impulse_of(KeptForce(impulse): KeptForce) -> KeptImpulse {
        impulse
    }
}

impl Problem for RollProblem {
    type Impulse = RollImpulse;
    type Kept = KeptForce;

    fn impulse(&self) -> &RollImpulse {
        &self.impulse
    }

    fn impulse_mut(&mut self) -> &mut RollImpulse {
        &mut self.impulse
    }

    fn sweep(&mut self, twists: [&Twist; 2]) {
        let Self { contact, impulse, gives, bound, .. } = self;
        let [force, torque] = impulse.value;
        (contact.impulse.value, contact.change) = (force, self.change[0]);
        contact.sweep(twists);
        let change = contact.change;
        self.spin = twists[0].angular - twists[1].angular;
        let by_force = [0, 1].map(|i| gives[i] * contact.arms[i].cross(&change));
        let spin = self.spin + by_force[0] + by_force[1];
        let turned = impulse.in_ball(&(force + change), torque - spin / *bound) - torque;
        self.turn = contact.turn + self.spin.dot(&(self.change[1] - turned));
        self.change = [change, turned];
    }

    fn error_m_s(&self, twists: [&Twist; 2]) -> f64 {
        let mut swept = *self;
        swept.sweep(twists);
        swept.swept().error
    }

    fn change(&self) -> &Push {
        &self.change
    }

    fn take(&mut self) {
        (0..2).for_each(|i| self.impulse.value[i] += self.change[i]);
    }

    fn propose(&mut self, value: &Push, last: &Push) {
        self.change = [0, 1].map(|i| value[i] - self.impulse.value[i]);
        let back = [0, 1].map(|i| last[i] - self.change[i]);
        self.turn = self.contact.gradient.dot(&back[0]) + self.spin.dot(&back[1]);
    }

    fn arms(&self) -> &[Vec3; 2] {
        self.contact.arms()
    }

    fn product(&self, a: &Push, b: &Push) -> f64 {
        self.contact.product(&a[0], &b[0]) + self.bound * a[1].dot(&b[1])
    }

    fn swept(&self) -> Swept {
        let (of_force, [_, torque], [_, turned]) =
            (self.contact.swept(), self.impulse.value, self.change);
        let error = turned.norm() * self.bound * self.contact.arms[0].norm();
        Swept {
            descent: of_force.descent - self.spin.dot(&turned),
            turn: self.turn,
            energy: of_force.energy + 0.5 * torque.dot(&(self.spin + self.free_spin)),
            error: of_force.error.max(error),
            ..of_force
        }
    }

    fn turn(&mut self, share: f64) {
        let last =
            if self.change == Push::zeroed() { Push::zeroed() } else { self.impulse.direction };
        self.impulse.direction = [0, 1].map(|i| self.change[i] + last[i] * share);
    }

    fn along_direction(&self, twists: [&Twist; 2]) -> [f64; 2] {
        let [along, turn] = &self.impulse.direction;
        let spin = twists[0].angular - twists[1].angular;
        [
            -self.contact.gradient.dot(along) - self.spin.dot(turn),
            self.contact.relative(twists).dot(along) + spin.dot(turn),
        ]
    }
}

/// What is kept of such a contact: its force.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(transparent)]
pub struct KeptForce(KeptImpulse);

impl Kept for KeptForce {
    type Value = Push;
    type Start = Begun;

    fn body(&self) -> BodyId {
        self.0.body()
    }

    fn start(&self) -> Begun {
        self.0.start()
    }

    fn touch(&self) -> BodyConstraint {
        self.0.touch()
    }

    fn of(body: BodyId, touch: &BodyConstraint, [force, _]: &Push) -> Self {
        Self(KeptImpulse::of(body, touch, force))
    }

    fn value(start: &Begun) -> Push {
        [start.impulse, Vec3::zeros()]
    }

    fn find(kept: &[&Self], touch: &BodyConstraint) -> Option<usize> {
        KeptImpulse::find(&Vec::from_iter(kept.iter().map(|it| &it.0)), touch)
    }
}
