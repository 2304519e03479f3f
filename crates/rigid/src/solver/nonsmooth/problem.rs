//! What the sweeps need of a constraint and its impulse.

use std::fmt::Debug;

use bytemuck::Pod;

use crate::solver::nonsmooth::announced::Kept;
use crate::solver::nonsmooth::search::Swept;
use crate::{Mobility, Twist};
use cloth_core::Vec3;

/// What gives bodies their velocities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// The forces and the impulses.
    Impulses,
    /// The directions in which the impulses change, alone.
    Directions,
}

/// How all impulses change.
#[derive(Debug, Clone, Copy)]
pub enum Change {
    /// By this multiple of their directions. See [`Impulse::advance`].
    Advance(f64),
    /// They are remembered.
    Mark,
    /// They become what was remembered last.
    GoBack,
}

/// A constraint with its impulse, on the rank that treats it.
pub trait Problem: Debug + Copy + Send + Sync {
    /// Its impulse.
    type Impulse: Impulse;
    /// What is kept of it for the next step.
    type Kept: Kept<Value = <Self::Impulse as Impulse>::Value>;

    /// The impulse.
    fn impulse(&self) -> &Self::Impulse;
    /// The impulse, to be changed.
    fn impulse_mut(&mut self) -> &mut Self::Impulse;
    /// One sweep. `twists` are the velocities that the impulses give both bodies.
    fn sweep(&mut self, twists: [&Twist; 2]);
    /// The error that a sweep finds, m/s, if both bodies have these velocities.
    fn error_m_s(&self, twists: [&Twist; 2]) -> f64;
    /// The change of the impulse by the last sweep.
    fn change(&self) -> &Value<Self>;
    /// Adds this change to the impulse at once.
    fn take(&mut self);
    /// Replaces this change by the one to `value`, found in another way. `last` is the change
    /// before it.
    fn propose(&mut self, value: &Value<Self>, last: &Value<Self>);
    /// The product of two changes of the impulse that bounds allow, J. It has no part of locked
    /// motions.
    fn product(&self, a: &Value<Self>, b: &Value<Self>) -> f64;
    /// Vectors from the centres of both bodies to the point of the constraint, m.
    fn arms(&self) -> &[Vec3; 2];
    /// What the last sweep did.
    fn swept(&self) -> Swept;
    /// Makes the direction from the change `z` of the last sweep and `share` of the last direction.
    fn turn(&mut self, share: f64);
    /// `-g.p` and `p.Ap`, J. `twists` are the velocities that the directions of all impulses give
    /// both bodies.
    fn along_direction(&self, twists: [&Twist; 2]) -> [f64; 2];
}

/// The impulse of a constraint. All ranks know it that are involved in one of its bodies.
pub trait Impulse: Debug + Pod + Send + Sync {
    /// Its numbers.
    type Value: Debug + Pod + PartialEq + Send + Sync;

    /// The impulse.
    fn value(&self) -> &Self::Value;
    /// The impulse, to be changed to one that the constraint can give.
    fn value_mut(&mut self) -> &mut Self::Value;
    /// The direction in which it changes.
    fn direction(&self) -> &Self::Value;
    /// The direction, to be changed.
    fn direction_mut(&mut self) -> &mut Self::Value;
    /// Adds what `value` (an impulse or a direction) does to a body. `sign` is 1 for the first body
    /// and -1 for the second. `arm` (m) is the vector from its centre of mass to the point of the
    /// constraint.
    fn act(&self, value: &Self::Value, sign: f64, arm: &Vec3, sum: &mut Wrench);
    /// Changes the impulse along its direction, and then to one that the constraint can give.
    fn advance(&mut self, length: f64);
    /// Remembers the value.
    fn mark(&mut self);
    /// Takes the value that was remembered last.
    fn go_back(&mut self);

    /// The part that gives bodies their velocities.
    fn of(&self, driver: Driver) -> &Self::Value {
        match driver {
            Driver::Impulses => self.value(),
            Driver::Directions => self.direction(),
        }
    }

    /// Makes a change.
    fn apply(&mut self, change: Change) {
        match change {
            Change::Advance(length) => self.advance(length),
            Change::Mark => self.mark(),
            Change::GoBack => self.go_back(),
        }
    }
}

/// The numbers of the impulse of a constraint.
pub type Value<C> = <<C as Problem>::Impulse as Impulse>::Value;

/// The sum of the impulses on a body.
#[derive(Debug, Clone, Copy)]
pub struct Wrench {
    /// Impulse, N s.
    pub linear: Vec3,
    /// Moment about the centre of mass, N m s.
    pub angular: Vec3,
}

impl Wrench {
    /// Nothing.
    pub const ZERO: Self =
        Self { linear: Vec3::new(0.0, 0.0, 0.0), angular: Vec3::new(0.0, 0.0, 0.0) };

    /// Changes a velocity by these impulses.
    #[inline]
    pub fn add_to(&self, twist: &mut Twist, mobility: &Mobility) {
        twist.angular += mobility.inverse_inertia * self.angular;
        twist.linear += self.linear * mobility.inverse_mass;
    }
}
