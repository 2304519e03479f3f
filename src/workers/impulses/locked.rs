//! The locked motions of all joints, solved at once. See [`crate::workers::direct`].

use nalgebra::Matrix3;

use crate::rigid::motion::Mobility;
use crate::rigid::simulation::replica::Middle;
use crate::rigid::solver::nonsmooth::joint::JointProblem;
use crate::workers::direct::between::{BlockWords, PartWords};
use crate::workers::direct::factor::{Block, Factor, Part6};
use crate::workers::direct::plan::PartPlan;
use crate::workers::impulses::Part;
use crate::workers::impulses::bodies::{Local, MemberBodies};

/// The least softness of a joint, as a part of what its bodies give way. Joints that say the same
/// twice have a solution only with it.
const LEAST_SOFTNESS: f64 = 1e-6;

/// The system of one worker.
#[derive(Debug, Default)]
pub(super) struct Locked {
    factor: Factor,
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

    /// Before: impulses are proposed for contacts, limits and motors. After: the right side of the
    /// joints is eliminated. Returns what is left for the blocks kept.
    pub(super) fn eliminate_side(&mut self, middle: &Middle, plan: &PartPlan) -> Vec<PartWords> {
        self.drive_as_proposed();
        let Self { joints, twists, locked: Locked { factor, side }, .. } = self;
        side.clear();
        side.resize(plan.order.blocks.len(), Part6::zeros());
        for (block, joint) in plan.joint_blocks().filter(|(_, joint)| joint.is_own) {
            if let Some((local, problem)) = joints.at(joint.place) {
                side[factor.position(block)] =
                    problem.held_open(local.twists(middle.fixed, twists));
            }
        }
        factor.forward(&plan.order, side);
        side[plan.order.eliminated..].iter().map(|part| (*part).into()).collect()
    }

    /// `between` is the solution of the blocks that workers keep. After: the impulses of the locked
    /// motions are proposed.
    pub(super) fn propose_joints(&mut self, plan: &PartPlan, between: &[Part6]) {
        let Self { joints, locked: Locked { factor, side }, .. } = self;
        let kept = side[plan.order.eliminated..].iter_mut().zip(&plan.kept);
        kept.for_each(|(part, &block)| *part = between[block as usize]);
        factor.backward(&plan.order, side);
        for (block, joint) in plan.joint_blocks() {
            let change = side[factor.position(block)];
            joints
                .propose(joint.place, |problem, proposed| problem.propose_held(proposed, &change));
        }
    }
}

/// What the motions of a joint give way by themselves. The impulse of a free motion is 0.
fn softness(problem: &JointProblem, bodies: &MemberBodies, local: &Local) -> Block {
    let mut give = Part6::zeros();
    for (member, side) in local.members().into_iter().zip(problem.blocks()) {
        if let Some(member) = member {
            let inverse = inverse_mass(bodies.mobility(member as usize));
            give += (side * inverse * side.transpose()).diagonal();
        }
    }
    let of_row = |(row, soft): (usize, Option<f64>)| {
        soft.map_or(1.0, |soft| soft + LEAST_SOFTNESS * give[row])
    };
    let rows = problem.softness().into_iter().enumerate().map(of_row);
    Block::from_diagonal(&Part6::from_iterator(rows))
}

/// The mass matrix of a body, for linear and angular velocities.
fn mass(mobility: &Mobility) -> Block {
    let mut block = Block::zeros();
    let inertia = mobility.inverse_inertia.try_inverse().unwrap_or_else(Matrix3::zeros);
    block.fixed_view_mut::<3, 3>(0, 0).fill_diagonal(1.0 / mobility.inverse_mass);
    block.fixed_view_mut::<3, 3>(3, 3).copy_from(&inertia);
    block
}

/// Its inverse.
fn inverse_mass(mobility: &Mobility) -> Block {
    let mut block = Block::zeros();
    block.fixed_view_mut::<3, 3>(0, 0).fill_diagonal(mobility.inverse_mass);
    block.fixed_view_mut::<3, 3>(3, 3).copy_from(&mobility.inverse_inertia);
    block
}
