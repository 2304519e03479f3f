//! What the sweeps need of a constraint and its impulse.

use std::fmt::Debug;

use bytemuck::{Pod, Zeroable};

use crate::solver::nonsmooth::announced::{BodyConstraint, Kept, StartOf};
use crate::solver::nonsmooth::search::Swept;
use crate::{BodyId, Mobility, Twist};
use cloth_core::Vec3;

/// What gives bodies their velocities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// The forces and the impulses.
    Impulses,
    /// The directions in which the impulses change, alone.
    Directions,
}

/// How all impulses change.
#[derive(Debug, Clone, Copy)]
pub enum Change {
    /// By this multiple of their directions, and then to what the constraints can give.
    Advance(f64),
    /// They are remembered.
    Mark,
    /// They become what was remembered last.
    GoBack,
}

/// What the impulse of a constraint can be, and what it does to a body. All ranks know it that are
/// involved in one of the bodies.
pub trait Law: Debug + Pod + Send + Sync {
    /// The numbers of an impulse.
    type Value: Debug + Pod + PartialEq + Send + Sync;

    /// Adds what `value` (an impulse or a direction) does to a body. `sign` is 1 for the first body
    /// and -1 for the second. `arm` (m) is the vector from its centre of mass to the point of the
    /// constraint.
    fn apply(&self, value: &Self::Value, sign: f64, arm: &Vec3, sum: &mut Wrench);
    /// The impulse near `value` that the constraint can give.
    fn allowed(&self, value: Self::Value) -> Self::Value;
}

/// The impulse of a constraint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Impulse<V> {
    /// The impulse on the first body. The second one gets the opposite.
    pub value: V,
    /// The direction in which it changes.
    pub direction: V,
    /// The value of least energy in this step.
    best: V,
}

impl<V: Pod> Impulse<V> {
    /// An impulse with this value.
    pub fn new(value: V) -> Self {
        Self { value, direction: V::zeroed(), best: V::zeroed() }
    }

    /// The part that gives bodies their velocities.
    pub fn of(&self, applied: Applied) -> &V {
        match applied {
            Applied::Impulses => &self.value,
            Applied::Directions => &self.direction,
        }
    }

    /// Makes a change of an impulse with this law.
    #[inline(always)]
    pub fn change(&mut self, law: &impl Law<Value = V>, change: Change) {
        match change {
            Change::Advance(length) => {
                let mut next = self.value;
                let numbers = numbers_mut(&mut next).iter_mut().zip(numbers(&self.direction));
                numbers.for_each(|(next, direction)| *next += direction * length);
                self.value = law.allowed(next);
            }
            Change::Mark => self.best = self.value,
            Change::GoBack => self.value = self.best,
        }
    }
}

/// A constraint on the rank that treats it: what does not depend on its impulse.
pub trait Constraint: Debug + Copy + Send + Sync {
    /// What its impulse can be.
    type Law: Law;
    /// What is kept of it for the next step.
    type Kept: Kept;
    /// True if each number of the impulse has a direction of its own, which ends if the number does
    /// not change. Else all end together.
    const HAS_ROWS: bool;

    /// What its impulse can be.
    fn law(&self) -> &Self::Law;
    /// What the next step begins with, after this impulse.
    fn start(value: &Value<Self>, touch: &BodyConstraint) -> StartOf<Self::Kept>;
    /// The gradient `g` and the change `z` of the impulse in a sweep. `twists` are the velocities
    /// that the impulses give both bodies.
    fn sweep(&mut self, value: &Value<Self>, twists: [&Twist; 2]) -> [Value<Self>; 2];
    /// The error that a sweep finds, m/s, if both bodies have these velocities.
    fn error_m_s(&self, value: &Value<Self>, twists: [&Twist; 2]) -> f64;
    /// What the last sweep did.
    fn swept(&self, value: &Value<Self>, found: &Found<Value<Self>>) -> Swept;
    /// The product of two changes of the impulse that bounds allow, J. It has no part of locked
    /// motions.
    fn product(&self, a: &Value<Self>, b: &Value<Self>) -> f64;
    /// Vectors from the centres of both bodies to the point of the constraint, m.
    fn arms(&self) -> &[Vec3; 2];
    /// `-g.p` and `p.Ap`, J, for the gradient `g` and the direction `p`. `twists` are the velocities
    /// that the directions of all impulses give both bodies.
    fn along_direction(
        &self,
        gradient: &Value<Self>,
        direction: &Value<Self>,
        twists: [&Twist; 2],
    ) -> [f64; 2];
}

/// What a sweep found for a constraint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found<V> {
    /// The gradient `g`.
    pub gradient: V,
    /// The change `z` of the impulse.
    pub change: V,
    /// The change of the sweep before.
    pub last: V,
}

/// A constraint with its impulse.
#[derive(Debug, Clone, Copy)]
pub struct Answer<C: Constraint> {
    /// The constraint.
    pub constraint: C,
    /// Its impulse.
    pub impulse: Impulse<Value<C>>,
    /// What the last sweep found.
    pub found: Found<Value<C>>,
}

impl<C: Constraint> Answer<C> {
    /// A constraint that begins with the impulse `value`.
    pub fn new(constraint: C, value: Value<C>) -> Self {
        let zero = Value::<C>::zeroed();
        let found = Found { gradient: zero, change: zero, last: zero };
        Self { constraint, impulse: Impulse::new(value), found }
    }

    /// One sweep. `twists` are the velocities that the impulses give both bodies.
    #[inline(always)]
    pub fn sweep(&mut self, twists: [&Twist; 2]) {
        let [gradient, change] = self.constraint.sweep(&self.impulse.value, twists);
        self.found = Found { gradient, change, last: self.found.change };
    }

    /// Adds the change of the last sweep to the impulse at once.
    pub fn take(&mut self) {
        let value = numbers_mut(&mut self.impulse.value).iter_mut();
        value.zip(numbers(&self.found.change)).for_each(|(value, change)| *value += change);
    }

    /// Replaces the change of the last sweep by the one to `value`, found in another way. `last` is
    /// the change before it.
    pub fn propose(&mut self, value: &Value<C>, last: &Value<C>) {
        self.found.change = difference(value, &self.impulse.value);
        self.found.last = *last;
    }

    /// What the last sweep did.
    #[inline(always)]
    pub fn swept(&self) -> Swept {
        self.constraint.swept(&self.impulse.value, &self.found)
    }

    /// Makes the direction from the change of the last sweep and `share` of the last direction. A
    /// contact that the sweep does not change gets no direction: most of these are open.
    pub fn set_direction(&mut self, share: f64) {
        let is_fixed = self.found.change == Value::<C>::zeroed();
        let directions = numbers_mut(&mut self.impulse.direction).iter_mut();
        for (direction, change) in directions.zip(numbers(&self.found.change)) {
            let ends = if C::HAS_ROWS { *change == 0.0 } else { is_fixed };
            *direction = change + if ends { 0.0 } else { *direction } * share;
        }
    }

    /// `-g.p` and `p.Ap`, J. `twists` are the velocities that the directions of all impulses give
    /// both bodies.
    pub fn along_direction(&self, twists: [&Twist; 2]) -> [f64; 2] {
        self.constraint.along_direction(&self.found.gradient, &self.impulse.direction, twists)
    }

    /// Changes the impulse.
    pub fn change(&mut self, change: Change) {
        self.impulse.change(self.constraint.law(), change);
    }
}

/// Adds what constraints of a body do to it, in their order. `of` gives the law and the value of
/// each. Returns false if the body has none.
pub fn add_all<'a, L: Law + 'a>(
    touches: impl ExactSizeIterator<Item = &'a BodyConstraint>,
    sum: &mut Wrench,
    of: impl Fn(&BodyConstraint) -> (&'a L, &'a L::Value),
) -> bool {
    let is_constrained = touches.len() > 0;
    for touch in touches {
        let (law, value) = of(touch);
        law.apply(value, touch.sign(), &touch.arm, sum);
    }
    is_constrained
}

/// Adds to `kept` what the next step begins with: the impulses of those constraints of `body` whose
/// first body it is, in their order. `value` gives the impulse of each.
pub fn keep<'a, C: Constraint + 'a>(
    body: BodyId,
    touches: impl Iterator<Item = &'a BodyConstraint>,
    value: impl Fn(&BodyConstraint) -> &'a Value<C>,
    kept: &mut Vec<C::Kept>,
) {
    for touch in touches.filter(|touch| touch.is_first()) {
        let value = value(touch);
        if *value != Value::<C>::zeroed() {
            kept.push(C::Kept::of(body, touch, &C::start(value, touch)));
        }
    }
}

/// The numbers of the impulse of a constraint.
pub type Value<C> = <<C as Constraint>::Law as Law>::Value;

/// The numbers in the value of an impulse.
pub fn numbers<V: Pod>(value: &V) -> &[f64] {
    bytemuck::cast_slice(std::slice::from_ref(value))
}

/// The numbers in the value of an impulse, to be changed.
pub fn numbers_mut<V: Pod>(value: &mut V) -> &mut [f64] {
    bytemuck::cast_slice_mut(std::slice::from_mut(value))
}

/// `a - b`.
pub fn difference<V: Pod>(a: &V, b: &V) -> V {
    let mut result = *a;
    numbers_mut(&mut result).iter_mut().zip(numbers(b)).for_each(|(a, b)| *a -= b);
    result
}

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
