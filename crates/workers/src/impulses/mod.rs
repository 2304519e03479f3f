//! A coupling in which workers agree on impulses, in rounds.
//!
//! A round asks how all impulses should change. Each worker alone sweeps over the constraints of its
//! active bodies, from the common impulses (Gauss-Seidel, forwards and backwards); beyond them the
//! common impulses stay. Of each constraint the owner's answer counts, which is the home of its
//! first body (a restricted additive Schwarz method, Cai & Sarkis 1999). Then the held motions of all
//! joints are solved at once, see [`islands`](cloth_rigid::solver::nonsmooth::islands). From the second round on, the
//! last two tell how far the impulses should go (Anderson 1965).
//!
//! Without joints or local sweeps, a round is a sweep of the domain run
//! ([`nonsmooth`](cloth_rigid::solver::nonsmooth)), bit by bit.
//!
//! Each impulse acts on both bodies, so momentum is kept to rounding, whatever a worker answers.
//! Rounds end by the rule of the domain run.
//!
//! | module | |
//! |---|---|
//! | `bodies` | the active bodies of a worker |
//! | `constraints` | the constraints of one kind that act on them |
//! | [`locked`] | the held motions of joints, solved at once |
//! | [`rounds`] | the rounds of all ranks |
//!
//! **Tried.** Conjugate gradients over rounds, as over sweeps: friction has no energy that they could
//! make least, and with joints solved at once they stall (ragdoll 16 rounds a step instead of 9; a
//! wall of bricks beside a chain 37 instead of 72). Anderson's method with a memory of four rounds
//! needs fewer rounds for that wall (44), and three times as many for a tower of boxes.

mod bodies;
mod constraints;
pub mod locked;
pub mod rounds;

use std::time::Instant;

use self::bodies::{Member, MemberBodies};
use self::constraints::{Constraints, ImpulseValue};
use crate::impulses::bodies::{Local, Second};
use crate::report::WorkerReport;
use crate::sets::Sets;
use cloth_core::ExactSums;
use cloth_rigid::constraint::{Between, Bodies, KeptImpulse, KeptJoint};
use cloth_rigid::motion::{drift, precess};
use cloth_rigid::simulation::split_step::Middle;
use cloth_rigid::solver::nonsmooth::constraint::{Change, Wrench};
use cloth_rigid::solver::nonsmooth::contact::{ContactConstraint, Pressing};
use cloth_rigid::solver::nonsmooth::foreseen;
use cloth_rigid::solver::nonsmooth::joint::JointConstraint;
use cloth_rigid::solver::nonsmooth::joint::rows::Motions;
use cloth_rigid::solver::nonsmooth::search::Progress;
use cloth_rigid::{BodyState, FixedBodies, Twist};

/// A worker, on the rank that has it.
#[derive(Debug)]
pub(super) struct ImpulseWorker {
    /// What it did in the last step.
    pub report: WorkerReport,
    bodies: MemberBodies,
    contacts: Constraints<ContactConstraint>,
    joints: Constraints<JointConstraint>,
    /// Velocities of the members.
    twists: Vec<Twist>,
    /// The number of constraints of each member, if sweeps treat all at the same time. Else 1.
    counts: Vec<u32>,
    progress: Progress,
}

impl ImpulseWorker {
    /// Worker `number`.
    pub fn new(number: usize) -> Self {
        Self {
            report: WorkerReport { worker: number as u64, ..WorkerReport::default() },
            bodies: MemberBodies::default(),
            contacts: Constraints::default(),
            joints: Constraints::default(),
            twists: Vec::new(),
            counts: Vec::new(),
            progress: Progress::default(),
        }
    }

    /// Calls `work`, and adds the time that it takes to the report.
    pub fn timed<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let start = Instant::now();
        let result = work(self);
        self.report.seconds += start.elapsed().as_secs_f64();
        result
    }

    /// After: it knows the constraints of its active bodies, with the impulses to begin with if it
    /// owns them. `is_split` tells whether sweeps treat all constraints at the same time.
    fn begin(&mut self, middle: &Middle, sets: &Sets, homes: &[u8], is_split: bool) {
        let Self { bodies, contacts, joints, counts: all_counts, .. } = self;
        bodies.take(middle, sets, self.report.worker as usize, homes);
        contacts.find(middle, bodies, middle.contacts);
        joints.find(middle, bodies, middle.joints);
        all_counts.clear();
        all_counts.extend((0..bodies.list().len()).map(|member| match is_split {
            true => contacts.count(member) + joints.count(member).min(1),
            false => 1,
        }));
        let counts = |local: &Local| {
            local.members().map(|member| member.map_or(0, |it| all_counts[it as usize]))
        };
        let settings = &middle.model.settings.contacts;
        let materials = &middle.model.materials;
        let all = Bodies { movable: middle.bodies, fixed: middle.fixed, materials };
        contacts.make(bodies, middle.impulses, |place, local, start| {
            let contact = &middle.contacts[place];
            let sides = all.sides(&contact.ends(), &settings.gravity);
            let surface = materials.surface(sides[0].material, sides[1].material);
            ContactConstraint::new(contact, &sides, &surface, counts(local), start, settings)
        });
        joints.make(bodies, middle.joint_impulses, |place, local, start| {
            let joint = &middle.joints[place];
            let sides = all.sides(&joint.ends, &settings.gravity);
            JointConstraint::new(joint, &sides, counts(local), start, settings)
        });
        self.count(sets);
    }

    fn count(&mut self, sets: &Sets) {
        let Self { bodies, contacts, joints, report, .. } = self;
        let number = report.worker as usize;
        let shared = sets.members(number).iter().filter(|&&body| sets.is_shared(body)).count();
        let of = |member: usize| u64::from(contacts.count(member) + joints.count(member));
        let members = bodies.list();
        let home = (0..members.len()).filter(|&member| members[member].is_home);
        *report = WorkerReport {
            home: home.clone().count() as u64,
            active: members.len() as u64,
            shared: shared as u64,
            contacts: contacts.inside_count(),
            joints: joints.inside_count(),
            constraints: home.map(of).sum(),
            ..*report
        };
    }

    /// After: joints know the velocities that close them. See the solver of the domain run.
    fn aim(&mut self, middle: &Middle, is_known: bool) {
        self.update_velocities(ImpulseValue::Present);
        let Self { bodies, joints, twists, .. } = self;
        let (fixed, settings) = (middle.fixed, &middle.model.settings.contacts);
        for (place, local, answer) in joints.inside_mut() {
            let joint = &middle.joints[place];
            let of_model = &middle.model.joints.all()[joint.ends.number as usize];
            let curvature = |is_applied: bool| {
                let active = |member: u32| {
                    let Member { free, inertia, .. } = &bodies.list()[member as usize];
                    let twist = if is_applied { twists[member as usize] } else { free.twist };
                    (BodyState { twist, ..*free }, Some(inertia))
                };
                let (first, inertia) = local.first.map_or((BodyState::AT_REST, None), active);
                let (mut second, of_second) = match local.second {
                    Second::Member(member) => active(member),
                    Second::Fixed(place) => (*fixed.state_at(place), None),
                    Second::Outside => (BodyState::AT_REST, None),
                };
                second.position += joint.ends.shift;
                let (states, inertias) = ([first, second], [inertia, of_second]);
                joint.curvature(of_model, &states, inertias, settings.step_s)
            };
            let applied = curvature(true);
            let curvature = if is_known { applied } else { foreseen(&curvature(false), &applied) };
            answer.constraint.aim(joint, &curvature, settings);
        }
    }

    /// After: members have the velocities that these values give them.
    fn update_velocities(&mut self, which: ImpulseValue) {
        let Self { bodies, contacts, joints, twists, .. } = self;
        twists.clear();
        for (member, body) in bodies.list().iter().enumerate() {
            let mut sum = Wrench::ZERO;
            let mut is_constrained = contacts.apply(member, which, &mut sum);
            is_constrained |= joints.apply(member, which, &mut sum);
            let is_direction = which == ImpulseValue::Direction;
            let mut twist = if is_direction { Twist::ZERO } else { body.free.twist };
            if is_constrained {
                sum.add_to(&mut twist, &body.mobility);
            }
            twists.push(twist);
        }
    }

    /// Before: members have the velocities of the impulses. After: impulses are proposed for the
    /// constraints inside, by `sweeps` pairs of sweeps forwards and backwards.
    fn solve_alone(&mut self, middle: &Middle, sweeps: u32) {
        let Self { bodies, contacts, joints, twists, .. } = self;
        let mut local = twists.clone();
        contacts.begin_local();
        joints.begin_local();
        // Joints alone need no sweeps: they are solved at once.
        let is_needed = contacts.inside_count() > 0
            || joints.inside_mut().any(|(_, _, answer)| answer.constraint.has_bounds());
        for _ in 0..if is_needed { sweeps } else { 0 } {
            contacts.relax(bodies, middle.fixed, &mut local, false);
            joints.relax(bodies, middle.fixed, &mut local, false);
            joints.relax(bodies, middle.fixed, &mut local, true);
            contacts.relax(bodies, middle.fixed, &mut local, true);
        }
        contacts.end_local();
        joints.end_local();
    }

    /// Before: members have the velocities of the impulses. After: own constraints know how their
    /// impulses change in this round.
    fn sweep(&mut self, middle: &Middle) {
        let Self { contacts, joints, twists, .. } = self;
        contacts.sweep(middle.fixed, twists);
        joints.sweep(middle.fixed, twists);
    }

    /// After: `progress` knows what the round does. See [`Constraints::add_progress`].
    fn find_progress(&mut self, is_proposed: bool) {
        self.progress = Progress::default();
        let Self { contacts, joints, progress, .. } = self;
        contacts.add_progress(is_proposed, progress);
        joints.add_progress(is_proposed, progress);
    }

    /// The largest error at own constraints, m/s. Before: members have the velocities of the impulses.
    fn residual_m_s(&self, fixed: &FixedBodies) -> f64 {
        let Self { contacts, joints, twists, .. } = self;
        contacts.residual_m_s(fixed, twists).max(joints.residual_m_s(fixed, twists))
    }

    /// Gives own constraints their directions.
    fn set_directions(&mut self, share: f64) {
        self.contacts.set_directions(share);
        self.joints.set_directions(share);
    }

    /// Adds `-g.p` and `p.Ap` of own constraints. Before: members have the velocities of the
    /// directions.
    fn add_products(&self, all: &mut ExactSums<2>) {
        self.contacts.add_products(&self.twists, all);
        self.joints.add_products(&self.twists, all);
    }

    /// See [`Constraints::add_changes`].
    fn add_changes(&self, all: &mut ExactSums<2>) {
        self.contacts.add_changes(all);
        self.joints.add_changes(all);
    }

    /// See [`Constraints::accelerate`].
    fn accelerate(&mut self, share: f64) {
        self.contacts.accelerate(share);
        self.joints.accelerate(share);
    }

    /// After: the present impulses of motions that are solved at once are proposed.
    fn propose_held_again(&mut self) {
        let none = Motions::zeros();
        self.joints.each_with_proposed(|answer, proposed| answer.propose_held(proposed, &none));
    }

    /// Before: the part of their velocities that joints do not reach is proposed. After: they aim at
    /// the rest.
    fn close_less(&mut self) {
        self.joints.each_with_proposed(|answer, part| answer.constraint.close_less(part));
    }

    /// Changes all impulses.
    fn change(&mut self, change: Change) {
        self.contacts.change(change);
        self.joints.change(change);
    }

    /// The states of the bodies at home at the end of the step. Before: members have the
    /// velocities of the impulses.
    fn ends(&self, h_s: f64) -> impl Iterator<Item = BodyState> {
        let Self { bodies, twists, .. } = self;
        let home = bodies.list().iter().zip(twists).filter(|(body, _)| body.is_home);
        home.map(move |(body, twist)| {
            let mut state = BodyState { twist: *twist, ..body.free };
            precess(&mut state, &body.inertia, 0.5 * h_s);
            drift(&mut state, 0.5 * h_s);
            state
        })
    }

    /// The impulses that the next step begins with.
    fn keep(
        &self,
        middle: &Middle,
        impulses: &mut Vec<KeptImpulse>,
        joint_impulses: &mut Vec<KeptJoint>,
    ) {
        let h = middle.model.settings.contacts.step_s;
        let is_slow = |member: usize| {
            let radius = middle.bounds[self.bodies.list()[member].place].radius;
            self.twists[member].linear.norm() * h <= radius
        };
        self.contacts.keep(&self.bodies, is_slow, impulses);
        self.joints.keep(&self.bodies, is_slow, joint_impulses);
    }
}
