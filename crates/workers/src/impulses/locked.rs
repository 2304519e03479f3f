//! The held motions of the joints that a worker owns, for
//! [`Islands`](cloth_rigid::solver::nonsmooth::islands::Islands).

use crate::impulses::ImpulseWorker;
use crate::impulses::bodies::Local;
use crate::impulses::constraints::ImpulseValue;
use cloth_core::linear::direct::factor::Part6;
use cloth_rigid::FixedBodies;
use cloth_rigid::simulation::split_step::Middle;
use cloth_rigid::solver::nonsmooth::constraint::Answer;
use cloth_rigid::solver::nonsmooth::islands::{HeldJoint, parts_of};
use cloth_rigid::solver::nonsmooth::joint::JointConstraint;

impl ImpulseWorker {
    /// The joints that the worker owns and that hold a motion: their numbers among its joints,
    /// bodies and answers.
    pub(super) fn holding(
        &self,
    ) -> impl Iterator<Item = (usize, &Local, &Answer<JointConstraint>)> {
        self.joints.own().filter(|(.., answer)| answer.constraint.holds())
    }

    /// What is known of them.
    pub(super) fn held_joints(&self, middle: &Middle) -> Vec<HeldJoint> {
        let Self { bodies, joints, counts, .. } = self;
        let body = |member: u32| {
            let body = &bodies.list()[member as usize];
            (body.id, parts_of(&body.mobility, counts[member as usize]))
        };
        let held = self.holding().map(|(number, local, answer)| {
            let number = middle.joints[joints.place(number)].ends.number;
            answer.constraint.held(number, local.members().map(|member| member.map(body)))
        });
        held.collect()
    }

    /// Their numbers among all joints.
    pub(super) fn held_numbers(&self, middle: &Middle) -> Vec<u32> {
        let place = |(number, ..): (usize, _, _)| self.joints.place(number);
        self.holding().map(place).map(|place| middle.joints[place].ends.number).collect()
    }

    /// A value of each of them.
    pub(super) fn held(&self, value: impl Fn(&Answer<JointConstraint>) -> Part6) -> Vec<Part6> {
        self.holding().map(|(.., answer)| value(answer)).collect()
    }

    /// Before: impulses are proposed for contacts, limits and motors. After: members have their old
    /// velocities. Returns how fast held motions open too fast with the proposed impulses.
    pub(super) fn held_open(&mut self, fixed: &FixedBodies) -> Vec<Part6> {
        let twists = self.twists.clone();
        self.update_velocities(ImpulseValue::Proposed);
        let open = self.holding().map(|(_, local, Answer { constraint, impulse, .. })| {
            constraint.held_open(&impulse.value, local.twists(fixed, &self.twists))
        });
        let open = open.collect();
        self.twists = twists;
        open
    }

    /// Calls `work` with each of the joints, its present impulse with what is proposed, and its
    /// value.
    fn with_values(
        &mut self,
        values: &[Part6],
        work: impl Fn(&mut Answer<JointConstraint>, &mut [f64; 8], &Part6),
    ) {
        let numbers: Vec<usize> = self.holding().map(|(number, ..)| number).collect();
        for (number, value) in numbers.into_iter().zip(values) {
            let (answer, proposed) = self.joints.with_proposed(number);
            work(answer, proposed, value);
        }
    }

    /// After: the part of their velocities that impulses do not reach is proposed.
    pub(super) fn propose_unreached(&mut self, part: &[Part6]) {
        self.with_values(part, |answer, proposed, part| {
            answer.constraint.set_held(proposed, |row, _| part[row]);
        });
    }

    /// After: the impulses changed by `changes` are proposed.
    pub(super) fn propose_held(&mut self, changes: &[Part6]) {
        self.with_values(changes, |answer, proposed, change| {
            answer.propose_held(proposed, change);
        });
    }

    /// See [`Answer::replace_held`].
    pub(super) fn replace_held(&mut self, changes: &[Part6]) {
        self.with_values(changes, |answer, _, change| answer.replace_held(change));
    }
}
