//! The constraints of one kind that a worker knows.

use bytemuck::Zeroable;

use crate::impulses::bodies::{Local, MemberBodies};
use cloth_core::ExactSums;
use cloth_rigid::constraint::Between;
use cloth_rigid::simulation::split_step::Middle;
use cloth_rigid::solver::by_body::ByBody;
use cloth_rigid::solver::nonsmooth::announced::{BodyConstraint, StartOf, starts_of, touches};
use cloth_rigid::solver::nonsmooth::constraint::{
    Answer, Change, Constraint, Found, Law, Value, Wrench, add_all, difference, keep, numbers,
    numbers_mut,
};
use cloth_rigid::solver::nonsmooth::search::{Progress, Swept};
use cloth_rigid::{FixedBodies, Twist};

/// The constraints of one kind that act on the active bodies of a worker.
#[derive(Debug)]
pub(super) struct Constraints<C: Constraint> {
    /// Their places in the list of all constraints, rising.
    places: Vec<u32>,
    /// Their bodies.
    ends: Vec<Local>,
    answers: Vec<Answer<C>>,
    by_body: ByBody<BodyConstraint>,
    /// Those that the worker owns: the home of their first body is its own. Rising.
    own: Vec<u32>,
    /// Those whose movable bodies are all active, rising.
    inside: Vec<u32>,
    /// The impulses that were found for them in another way than by a sweep, and the change of the
    /// sweep before.
    proposed: Vec<Value<C>>,
    last: Vec<Value<C>>,
}

/// What owners send to the other workers, and what gives bodies their velocities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ImpulseValue {
    /// The impulses.
    Present,
    /// The directions in which they change.
    Direction,
    /// The impulses that are proposed.
    Proposed,
}

impl<C: Constraint> Default for Constraints<C> {
    fn default() -> Self {
        let (places, ends, answers, by_body) = Default::default();
        let (own, inside, proposed, last) = Default::default();
        Self { places, ends, answers, by_body, own, inside, proposed, last }
    }
}

impl<C: Constraint> Constraints<C> {
    /// Finds the constraints among `all`.
    pub fn find(&mut self, middle: &Middle, bodies: &MemberBodies, all: &[impl Between]) {
        let Self { places, ends, by_body, own, inside, .. } = self;
        places.clear();
        ends.clear();
        own.clear();
        inside.clear();
        by_body.clear();
        for (of, place) in all.iter().map(Between::ends).zip(0..) {
            let local = bodies.local(&of);
            if !local.touches() {
                continue;
            }
            let number = places.len() as u32;
            if local.is_inside() {
                inside.push(number);
            }
            if local.first.is_some_and(|member| bodies.list()[member as usize].is_home) {
                own.push(number);
            }
            places.push(place);
            ends.push(local);
            let touches = touches(&of, &middle.bodies, middle.fixed, 0, number.into());
            for (member, touch) in local.members().into_iter().zip(touches) {
                if let Some(member) = member {
                    by_body.push(member, touch);
                }
            }
        }
        by_body.order(bodies.list().len());
    }

    /// Number of constraints of a member.
    pub fn count(&self, member: usize) -> u32 {
        self.by_body.of(member).len() as u32
    }

    /// Number of constraints whose movable bodies are all active.
    pub fn inside_count(&self) -> u64 {
        self.inside.len() as u64
    }

    /// Makes the answers. `make` gets the place of a constraint, its bodies, and what it begins
    /// with.
    pub fn make(
        &mut self,
        bodies: &MemberBodies,
        kept: &[C::Kept],
        make: impl Fn(usize, &Local, &StartOf<C::Kept>) -> Answer<C>,
    ) {
        let zero = Value::<C>::zeroed();
        let mut starts = vec![StartOf::<C::Kept>::zeroed(); self.places.len()];
        for (member, body) in bodies.list().iter().enumerate() {
            let touches = self.by_body.of(member);
            for (touch, start) in touches.clone().zip(starts_of(kept, body.id, touches)) {
                if touch.is_first() {
                    starts[touch.place()] = start;
                }
            }
        }
        self.answers.clear();
        let all = self.places.iter().zip(&self.ends).zip(&starts);
        self.answers.extend(all.map(|((&place, local), start)| make(place as usize, local, start)));
        self.proposed.clear();
        self.proposed.resize(self.places.len(), zero);
        self.last.clear();
        self.last.resize(self.places.len(), zero);
    }

    /// The constraints inside: their places in the list of all constraints, bodies and answers.
    pub fn inside_mut(&mut self) -> impl Iterator<Item = (usize, &Local, &mut Answer<C>)> {
        let all = self.places.iter().zip(&self.ends).zip(&mut self.answers);
        let all = all.map(|((&place, local), answer)| (place as usize, local, answer));
        all.filter(|(_, local, _)| local.is_inside())
    }

    /// The constraints that the worker owns: their numbers, bodies and answers.
    pub fn own(&self) -> impl Iterator<Item = (usize, &Local, &Answer<C>)> {
        let own = self.own.iter().map(|&number| number as usize);
        own.map(|number| (number, &self.ends[number], &self.answers[number]))
    }

    /// The place of a constraint in the list of all constraints.
    pub fn place(&self, number: usize) -> usize {
        self.places[number] as usize
    }

    /// A constraint, with what is proposed for it.
    pub fn with_proposed(&mut self, number: usize) -> (&mut Answer<C>, &mut Value<C>) {
        (&mut self.answers[number], &mut self.proposed[number])
    }

    /// Calls `work` for all constraints, with what is proposed for them.
    pub fn each_with_proposed(&mut self, work: impl Fn(&mut Answer<C>, &mut Value<C>)) {
        let all = self.answers.iter_mut().zip(&mut self.proposed);
        all.for_each(|(answer, proposed)| work(answer, proposed));
    }

    fn value(&self, number: usize, which: ImpulseValue) -> &Value<C> {
        let impulse = &self.answers[number].impulse;
        match which {
            ImpulseValue::Present => &impulse.value,
            ImpulseValue::Direction => &impulse.direction,
            ImpulseValue::Proposed => &self.proposed[number],
        }
    }

    /// What the owner sends to the other workers of each own constraint.
    pub fn sent(&self, which: ImpulseValue) -> impl Iterator<Item = Value<C>> {
        self.own.iter().map(move |&number| *self.value(number as usize, which))
    }

    /// Takes what the owners of all constraints have sent, by place in the list of all constraints.
    pub fn receive(&mut self, which: ImpulseValue, all: &[Value<C>]) {
        let known = self.answers.iter_mut().zip(&mut self.proposed).zip(&self.places);
        for ((answer, proposed), &place) in known {
            *match which {
                ImpulseValue::Present => &mut answer.impulse.value,
                ImpulseValue::Direction => &mut answer.impulse.direction,
                ImpulseValue::Proposed => proposed,
            } = all[place as usize];
        }
    }

    /// Adds what these values do to a member, in the order of (partner, number). Returns false if
    /// the body has no constraint.
    pub fn apply(&self, member: usize, which: ImpulseValue, sum: &mut Wrench) -> bool {
        add_all(self.by_body.of(member), sum, |touch| {
            let number = touch.place();
            (self.answers[number].constraint.law(), self.value(number, which))
        })
    }

    /// Begins a local search: the impulses are those that are proposed so far.
    pub fn begin_local(&mut self) {
        for &number in &self.inside {
            let number = number as usize;
            self.last[number] = self.answers[number].found.change;
            self.proposed[number] = self.answers[number].impulse.value;
        }
    }

    /// Ends a local search: the impulses of the constraints inside are proposed, and those before
    /// the search count again.
    pub fn end_local(&mut self) {
        for &number in &self.inside {
            let number = number as usize;
            let value = &mut self.answers[number].impulse.value;
            std::mem::swap(value, &mut self.proposed[number]);
        }
    }

    /// One sweep of Gauss-Seidel over the constraints inside, forwards or backwards. Changes the
    /// impulses and `twists`.
    pub fn relax(
        &mut self,
        bodies: &MemberBodies,
        fixed: &FixedBodies,
        twists: &mut [Twist],
        is_backward: bool,
    ) {
        let count = self.inside.len();
        for k in 0..count {
            let number = self.inside[if is_backward { count - 1 - k } else { k }] as usize;
            let (local, answer) = (&self.ends[number], &mut self.answers[number]);
            answer.sweep(local.twists(fixed, twists));
            answer.take();
            let Answer { constraint, found, .. } = answer;
            for (side, member) in local.members().into_iter().enumerate() {
                let Some(member) = member else { continue };
                let mut sum = Wrench::ZERO;
                let sign = if side == 0 { 1.0 } else { -1.0 };
                constraint.law().apply(&found.change, sign, &constraint.arms()[side], &mut sum);
                let member = member as usize;
                sum.add_to(&mut twists[member], &bodies.list()[member].mobility);
            }
        }
    }

    /// Before: members have the velocities `twists` of the impulses. After: each own constraint
    /// knows how a sweep changes its impulse.
    pub fn sweep(&mut self, fixed: &FixedBodies, twists: &[Twist]) {
        for number in self.own.iter().map(|&number| number as usize) {
            self.answers[number].sweep(self.ends[number].twists(fixed, twists));
        }
    }

    /// Adds what the sweep did to `all`. If `is_proposed`, impulses change as the local search has
    /// proposed.
    pub fn add_progress(&mut self, is_proposed: bool, all: &mut Progress) {
        let mut swept = Vec::with_capacity(self.own.len());
        for number in self.own.iter().map(|&number| number as usize) {
            let answer = &mut self.answers[number];
            // The error is that of the velocity. What is proposed may change the impulse by more.
            let error = answer.swept().error;
            if is_proposed {
                answer.propose(&self.proposed[number], &self.last[number]);
            }
            swept.push(Swept { error, ..answer.swept() });
        }
        all.add(&Progress::of(swept.into_iter()));
    }

    /// The largest error at own constraints, m/s, if members have the velocities `twists`.
    pub fn residual_m_s(&self, fixed: &FixedBodies, twists: &[Twist]) -> f64 {
        let errors = self.own().map(|(_, local, it)| {
            it.constraint.error_m_s(&it.impulse.value, local.twists(fixed, twists))
        });
        errors.fold(0.0, f64::max)
    }

    /// Gives own constraints their directions. See [`Answer::set_direction`].
    pub fn set_directions(&mut self, share: f64) {
        self.own.iter().for_each(|&number| self.answers[number as usize].set_direction(share));
    }

    /// Adds `z.(z - z_last)` and the square of `z - z_last` of own constraints, where `z` is the
    /// change that this round proposes.
    pub fn add_changes(&self, all: &mut ExactSums<2>) {
        for (number, _, Answer { constraint, found: Found { change, .. }, .. }) in self.own() {
            let turned = difference(change, &self.last[number]);
            all.add([constraint.product(change, &turned), constraint.product(&turned, &turned)]);
        }
    }

    /// Gives own constraints the direction `z - g (p + z - z_last)`, where `p` is the last one.
    pub fn accelerate(&mut self, share: f64) {
        for number in self.own.iter().map(|&number| number as usize) {
            let Answer { impulse, found: Found { change, .. }, .. } = &mut self.answers[number];
            let turned = difference(change, &self.last[number]);
            let direction = numbers_mut(&mut impulse.direction).iter_mut();
            let all = direction.zip(numbers(change)).zip(numbers(&turned));
            all.for_each(|((p, z), turned)| *p = z - share * (*p + turned));
        }
    }

    /// Adds `-g.p` and `p.Ap` of own constraints, J. `twists` are the velocities of the directions.
    pub fn add_products(&self, twists: &[Twist], all: &mut ExactSums<2>) {
        for (_, local, answer) in self.own() {
            let of = |member: Option<u32>| member.map_or(&Twist::ZERO, |it| &twists[it as usize]);
            all.add(answer.along_direction(local.members().map(of)));
        }
    }

    /// Changes all impulses.
    pub fn change(&mut self, change: Change) {
        self.answers.iter_mut().for_each(|answer| answer.change(change));
    }

    /// The impulses of the bodies whose home is the worker, in the order of (partner, number).
    /// `is_slow` tells of which bodies impulses are kept.
    pub fn keep(
        &self,
        bodies: &MemberBodies,
        is_slow: impl Fn(usize) -> bool,
        kept: &mut Vec<C::Kept>,
    ) {
        for (member, body) in bodies.list().iter().enumerate() {
            if body.is_home && is_slow(member) {
                let value = |touch: &BodyConstraint| &self.answers[touch.place()].impulse.value;
                keep::<C>(body.id, self.by_body.of(member), value, kept);
            }
        }
    }
}
