//! Joints that hang together.

use std::collections::BTreeMap;

use bytemuck::{Pod, Zeroable};
use nalgebra::Matrix3;

use crate::BodyId;
use crate::solver::nonsmooth::islands::Words;
use cloth_core::linear::direct::factor::{BlockFactor, BodyBlock, Part6};
use cloth_core::linear::direct::order::{Order, Turn};
use cloth_core::{Mat3, Vec3};

/// The least softness of a joint, as a part of what its bodies give way. Joints that say the same
/// twice have a solution only with it.
const LEAST_SOFTNESS: f64 = 1e-6;

/// A body with more joints is a hub, see [`Turn::Hub`].
const MOST_NEIGHBOURS: usize = 32;

/// In the place of a body that does not give way.
pub const NO_BODY: BodyId = BodyId::MAX;

/// A joint that holds motions.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct HeldJoint {
    /// Its number.
    pub number: u64,
    /// Its bodies, or [`NO_BODY`].
    pub bodies: [BodyId; 2],
    /// How impulses move them, 1/kg and 1/(kg m^2).
    pub inverse_masses: [f64; 2],
    /// See `inverse_masses`.
    pub inverse_inertias: [Mat3; 2],
    /// How far it is open, beside a length of the size of its bodies.
    pub open: f64,
    /// The axes of its motions.
    pub axes: Mat3,
    /// Vectors from the centres of both bodies to its point, m.
    pub arms: [Vec3; 2],
    /// What compliance adds to the velocity of each held motion by a unit impulse, below 0 for free
    /// motions.
    pub soft: [f64; 6],
}

/// Joints that hang together.
#[derive(Debug)]
pub struct Island {
    /// By rising id. They are the first blocks.
    bodies: Vec<BodyId>,
    /// Places of its joints, rising, with the blocks of their bodies. They are the other blocks.
    pub joints: Vec<(u32, [Option<u32>; 2])>,
    order: Order,
    factor: BlockFactor,
    side: Vec<Part6>,
}

impl Island {
    fn new(joints: Vec<(u32, &HeldJoint)>) -> Self {
        let is_body = |&id: &BodyId| id != NO_BODY;
        let ends = joints.iter().flat_map(|(_, joint)| joint.bodies);
        let mut bodies: Vec<BodyId> = ends.filter(is_body).collect();
        bodies.sort_unstable();
        bodies.dedup();
        let block = |id: BodyId| bodies.binary_search(&id).ok().map(|block| block as u32);
        let joints: Vec<(u32, [Option<u32>; 2])> =
            joints.into_iter().map(|(place, joint)| (place, joint.bodies.map(block))).collect();
        let mut counts = vec![0; bodies.len()];
        let ends = joints.iter().flat_map(|(_, ends)| ends.iter().flatten());
        ends.for_each(|&body| counts[body as usize] += 1);
        let is_hub = |&count: &usize| if count > MOST_NEIGHBOURS { Turn::Hub } else { Turn::Any };
        let turns = counts.iter().map(is_hub);
        let turns: Vec<Turn> = turns.chain(joints.iter().map(|it| Turn::Joint(it.1))).collect();
        let edges = joints
            .iter()
            .zip(bodies.len() as u32..)
            .flat_map(|((_, ends), block)| ends.iter().flatten().map(move |&body| [body, block]));
        let order = Order::new(&turns, &edges.collect::<Vec<_>>());
        Self { bodies, joints, order, factor: BlockFactor::default(), side: Vec::new() }
    }

    /// Its joints with their blocks.
    fn blocks(&self) -> impl Iterator<Item = (u32, &(u32, [Option<u32>; 2]))> {
        (self.bodies.len() as u32..).zip(&self.joints)
    }

    /// `all` has all joints.
    pub fn eliminate(&mut self, all: &[HeldJoint]) {
        let mut factor = std::mem::take(&mut self.factor);
        factor.clear(&self.order);
        let mut is_known = vec![false; self.bodies.len()];
        for (block, &(place, ends)) in self.blocks() {
            let joint = &all[place as usize];
            let at = factor.position(block);
            let held = joint.soft.iter().rposition(|&soft| soft >= 0.0);
            factor.set_rows(at, held.map_or(0, |row| row + 1));
            *factor.diagonal_mut(at) -= joint.softness();
            for (side, body) in ends.into_iter().enumerate() {
                let Some(body) = body else { continue };
                factor.add(&self.order, block, body, &-joint.block(side));
                if !std::mem::replace(&mut is_known[body as usize], true) {
                    let at = factor.position(body);
                    *factor.diagonal_mut(at) += joint.mass(side);
                }
            }
        }
        factor.eliminate(&self.order);
        self.factor = factor;
    }

    /// After: the side is the solution for what `open` gives for the joints.
    pub fn solve(&mut self, open: impl Fn(u32) -> Part6) {
        let mut side = std::mem::take(&mut self.side);
        side.clear();
        side.resize(self.order.blocks.len(), Part6::zeros());
        for (block, &(place, _)) in self.blocks() {
            side[self.factor.position(block)] = open(place);
        }
        self.factor.forward(&self.order, &mut side);
        self.factor.backward(&self.order, &mut side);
        self.side = side;
    }

    /// The solution for its joints.
    pub fn solution(&self) -> impl Iterator<Item = Words> {
        self.blocks().map(|(block, _)| self.side[self.factor.position(block)].into())
    }
}

impl HeldJoint {
    /// The matrix that gives the held motions from the linear and angular velocity of a body. Rows
    /// of free motions are 0.
    fn block(&self, side: usize) -> BodyBlock {
        let across = self.axes.transpose();
        let axes = if side == 0 { across } else { -across };
        let mut block = BodyBlock::zeros();
        block.fixed_view_mut::<3, 3>(0, 0).copy_from(&axes);
        let turn = -(axes * self.arms[side].cross_matrix());
        block.fixed_view_mut::<3, 3>(0, 3).copy_from(&turn);
        block.fixed_view_mut::<3, 3>(3, 3).copy_from(&axes);
        let free = (0..6).filter(|&row| self.soft[row] < 0.0);
        free.for_each(|row| block.row_mut(row).fill(0.0));
        block
    }

    /// The mass matrix of a body, for linear and angular velocities.
    fn mass(&self, side: usize) -> BodyBlock {
        let mut block = BodyBlock::zeros();
        let inertia = self.inverse_inertias[side].try_inverse().unwrap_or_else(Matrix3::zeros);
        block.fixed_view_mut::<3, 3>(0, 0).fill_diagonal(1.0 / self.inverse_masses[side]);
        block.fixed_view_mut::<3, 3>(3, 3).copy_from(&inertia);
        block
    }

    /// What its motions give way by themselves. The impulse of a free motion is 0.
    fn softness(&self) -> BodyBlock {
        let least = self.least();
        let of_row = |row: usize| match self.soft[row] {
            soft if soft >= 0.0 => soft + least[row],
            _ => 1.0,
        };
        BodyBlock::from_diagonal(&Part6::from_fn(|row, _| of_row(row)))
    }

    /// [`LEAST_SOFTNESS`] of what the bodies of the joint give way.
    fn least(&self) -> Part6 {
        let mut give = Part6::zeros();
        for side in (0..2).filter(|&side| self.bodies[side] != NO_BODY) {
            let mut inverse = BodyBlock::zeros();
            inverse.fixed_view_mut::<3, 3>(0, 0).fill_diagonal(self.inverse_masses[side]);
            inverse.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.inverse_inertias[side]);
            let block = self.block(side);
            give += (block * inverse * block.transpose()).diagonal();
        }
        give * LEAST_SOFTNESS
    }

    /// [`LEAST_SOFTNESS`] of its rigid motions, 0 for the others.
    pub fn least_of_rigid(&self) -> Part6 {
        let least = self.least();
        Part6::from_fn(|row, _| if self.soft[row] == 0.0 { least[row] } else { 0.0 })
    }
}

/// The islands of all joints, by the number of their first joint.
pub fn islands_of(all: &[HeldJoint]) -> Vec<Island> {
    // The island of each body, and the one that has taken an island up.
    let (mut of_body, mut taken) = (BTreeMap::<BodyId, usize>::new(), Vec::<usize>::new());
    let root = |taken: &[usize], mut island: usize| {
        while taken[island] != island {
            island = taken[island];
        }
        island
    };
    let mut of_joint = Vec::with_capacity(all.len());
    for joint in all {
        let new = taken.len();
        let bodies = joint.bodies.into_iter().filter(|&id| id != NO_BODY);
        let known: Vec<usize> =
            bodies.clone().filter_map(|id| of_body.get(&id)).map(|&it| root(&taken, it)).collect();
        let island = known.iter().copied().min().unwrap_or(new);
        if island == new {
            taken.push(new);
        }
        known.iter().for_each(|&other| taken[other] = island);
        bodies.for_each(|id| {
            of_body.insert(id, island);
        });
        of_joint.push(island);
    }
    let mut joints = BTreeMap::<usize, Vec<(u32, &HeldJoint)>>::new();
    for ((place, joint), island) in (0..).zip(all).zip(of_joint) {
        joints.entry(root(&taken, island)).or_default().push((place, joint));
    }
    joints.into_values().map(Island::new).collect()
}
