//! The held motions of all joints, solved at once. See [`crate::workers::direct`].
//!
//! **Targets.** Joints aim at velocities `t` that close them. Where joints hold more than they need,
//! these contradict each other a little: foreseen motion is not exact, least of all in an impact. No
//! impulses reach such velocities; with `A = J M^-1 J^T`, those that nearly do have the energy
//! `t.t / (2 a)` in a motion with a small eigenvalue `a` of `A`. Rounds would find them. (They did: a
//! rigid bridge that a ball hit gained 190 kJ, and came apart.) So targets are made smaller by what
//! softness leaves of them after one solve, once a step:
//!
//! ```text
//! (A + C) d = t
//! t <- t - C d
//! ```
//!
//! Rounds then remove the error that softness leaves, and energy is at most `t.t / (8 C)`.

use nalgebra::Matrix3;

use crate::linear::direct::factor::{BlockFactor, BodyBlock, Part6};
use crate::rigid::motion::Mobility;
use crate::rigid::simulation::replica::Middle;
use crate::rigid::solver::nonsmooth::joint::JointProblem;
use crate::workers::direct::between::{BlockWords, PartWords};
use crate::workers::direct::plan::PartPlan;
use crate::workers::impulses::Part;
use crate::workers::impulses::bodies::{Local, MemberBodies};

/// The least softness of a joint, as a part of what its bodies give way. Joints that say the same
/// twice have a solution only with it.
const LEAST_SOFTNESS: f64 = 1e-6;

/// The system of one worker.
#[derive(Debug, Default)]
pub(super) struct Locked {
    factor: BlockFactor,
    side: Vec<Part6>,
}

impl Part {
    /// After: the joints that the worker owns are eliminated. Returns what is left for the blocks
    /// kept.
    pub(super) fn eliminate_joints(&mut self, plan: &PartPlan) -> Vec<BlockWords> {
        let Self { bodies, joints, locked: Locked { factor, .. }, .. } = self;
        let order = &plan.order;
        factor.clear(order);
        for (&id, block) in plan.bodies.iter().zip(0..) {
            let Some(member) = bodies.with_id(id) else { continue };
            let at = factor.position(block);
            *factor.diagonal_mut(at) += mass(bodies.mobility(member));
        }
        for (block, joint) in plan.joint_blocks() {
            let Some((local, problem)) = joints.at(joint.place) else { continue };
            let sides = problem.blocks();
            let held = problem.softness().iter().rposition(Option::is_some);
            factor.set_rows(factor.position(block), held.map_or(0, |row| row + 1));
            for (body, side) in joint.bodies.iter().zip(&sides) {
                body.iter().for_each(|&body| factor.add(order, block, body, &-side));
            }
            if joint.is_own {
                let at = factor.position(block);
                *factor.diagonal_mut(at) -= softness(problem, bodies, local);
            }
        }
        factor.eliminate(order);
        factor.kept(order).map(|block| (*block).into()).collect()
    }

    /// As [`Part::eliminate_side`], of the velocities that close joints.
    pub(super) fn eliminate_targets(&mut self, plan: &PartPlan) -> Vec<PartWords> {
        self.eliminate(plan, |problem, _| -problem.held_targets())
    }

    /// As [`Part::propose_joints`]: the part of the velocities that impulses do not reach.
    pub(super) fn propose_unreached(&mut self, plan: &PartPlan, between: &[Part6]) {
        self.solve(plan, between);
        let Self { bodies, joints, locked: Locked { factor, side }, .. } = self;
        for (block, joint) in plan.joint_blocks().filter(|(_, joint)| joint.is_own) {
            let Some((local, problem)) = joints.at(joint.place) else { continue };
            let (least, impulse) =
                (least_softness(problem, bodies, local), side[factor.position(block)]);
            let is_rigid = problem.softness().map(|soft| soft == Some(0.0));
            let part = |row| if is_rigid[row] { least[row] * impulse[row] } else { 0.0 };
            joints.propose(joint.place, |problem, proposed| {
                problem.set_held(proposed, |row, _| part(row));
            });
        }
    }

    /// Before: impulses are proposed for contacts, limits and motors. After: the right side of the
    /// joints is eliminated. Returns what is left for the blocks kept.
    pub(super) fn eliminate_side(&mut self, middle: &Middle, plan: &PartPlan) -> Vec<PartWords> {
        self.drive_as_proposed();
        let twists = std::mem::take(&mut self.twists);
        let left = self.eliminate(plan, |problem, local| {
            problem.held_open(local.twists(middle.fixed, &twists))
        });
        self.twists = twists;
        left
    }

    /// `between` is the solution of the blocks that workers keep. After: the impulses of the held
    /// motions are proposed.
    pub(super) fn propose_joints(&mut self, plan: &PartPlan, between: &[Part6]) {
        self.solve(plan, between);
        let Self { joints, locked: Locked { factor, side }, .. } = self;
        for (block, joint) in plan.joint_blocks() {
            let change = side[factor.position(block)];
            joints
                .propose(joint.place, |problem, proposed| problem.propose_held(proposed, &change));
        }
    }

    /// Eliminates the right side that `of` gives for own joints.
    fn eliminate(
        &mut self,
        plan: &PartPlan,
        of: impl Fn(&JointProblem, &Local) -> Part6,
    ) -> Vec<PartWords> {
        let Self { joints, locked: Locked { factor, side }, .. } = self;
        side.clear();
        side.resize(plan.order.blocks.len(), Part6::zeros());
        for (block, joint) in plan.joint_blocks().filter(|(_, joint)| joint.is_own) {
            if let Some((local, problem)) = joints.at(joint.place) {
                side[factor.position(block)] = of(problem, local);
            }
        }
        factor.forward(&plan.order, side);
        side[plan.order.eliminated..].iter().map(|part| (*part).into()).collect()
    }

    /// After: the side is the solution.
    fn solve(&mut self, plan: &PartPlan, between: &[Part6]) {
        let Locked { factor, side } = &mut self.locked;
        let kept = side[plan.order.eliminated..].iter_mut().zip(&plan.kept);
        kept.for_each(|(part, &block)| *part = between[block as usize]);
        factor.backward(&plan.order, side);
    }
}

/// What the motions of a joint give way by themselves. The impulse of a free motion is 0.
fn softness(problem: &JointProblem, bodies: &MemberBodies, local: &Local) -> BodyBlock {
    let least = least_softness(problem, bodies, local);
    let of_row =
        |(row, soft): (usize, Option<f64>)| soft.map_or(1.0, |soft: f64| soft + least[row]);
    let rows = problem.softness().into_iter().enumerate().map(of_row);
    BodyBlock::from_diagonal(&Part6::from_iterator(rows))
}

/// [`LEAST_SOFTNESS`] of what the bodies of a joint give way.
fn least_softness(problem: &JointProblem, bodies: &MemberBodies, local: &Local) -> Part6 {
    let mut give = Part6::zeros();
    for (member, side) in local.members().into_iter().zip(problem.blocks()) {
        if let Some(member) = member {
            let inverse = inverse_mass(bodies.mobility(member as usize));
            give += (side * inverse * side.transpose()).diagonal();
        }
    }
    give * LEAST_SOFTNESS
}

/// The mass matrix of a body, for linear and angular velocities.
fn mass(mobility: &Mobility) -> BodyBlock {
    let mut block = BodyBlock::zeros();
    let inertia = mobility.inverse_inertia.try_inverse().unwrap_or_else(Matrix3::zeros);
    block.fixed_view_mut::<3, 3>(0, 0).fill_diagonal(1.0 / mobility.inverse_mass);
    block.fixed_view_mut::<3, 3>(3, 3).copy_from(&inertia);
    block
}

/// Its inverse.
fn inverse_mass(mobility: &Mobility) -> BodyBlock {
    let mut block = BodyBlock::zeros();
    block.fixed_view_mut::<3, 3>(0, 0).fill_diagonal(mobility.inverse_mass);
    block.fixed_view_mut::<3, 3>(3, 3).copy_from(&mobility.inverse_inertia);
    block
}
