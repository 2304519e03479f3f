//! The system between workers: the blocks that they keep.

use crate::linear::direct::factor::{BlockFactor, BodyBlock, Part6};
use crate::workers::direct::plan::Plan;

/// A block in a message.
pub type BlockWords = [[f64; 6]; 6];
/// A part of a vector in a message.
pub type PartWords = [f64; 6];

/// The system of the blocks that workers keep. It is the same on all ranks.
#[derive(Debug, Default)]
pub struct BetweenWorkers {
    factor: BlockFactor,
    solution: Vec<Part6>,
}

impl BetweenWorkers {
    /// Takes what all workers have left, by rising worker.
    pub fn eliminate(&mut self, plan: &Plan, left: &[BlockWords]) {
        let (order, factor) = (&plan.between, &mut self.factor);
        factor.clear(order);
        let mut left = left.iter().map(|words| BodyBlock::from(*words));
        for part in &plan.parts {
            for (&block, value) in part.kept.iter().zip(&mut left) {
                let at = factor.position(block);
                *factor.diagonal_mut(at) += value;
            }
            let pairs =
                (0..part.kept.len()).flat_map(|a| (a + 1..part.kept.len()).map(move |b| [a, b]));
            for ([column, row], value) in pairs.zip(&mut left) {
                factor.add(order, part.kept[row], part.kept[column], &value);
            }
        }
        factor.eliminate(order);
    }

    /// The solution by block, for what all workers have left of the right side, by rising worker.
    pub fn solve(&mut self, plan: &Plan, left: &[PartWords]) -> &[Part6] {
        let Self { factor, solution } = self;
        let order = &plan.between;
        let mut side = vec![Part6::zeros(); order.blocks.len()];
        let kept = plan.parts.iter().flat_map(|part| &part.kept);
        kept.zip(left)
            .for_each(|(&block, words)| side[factor.position(block)] += Part6::from(*words));
        factor.forward(order, &mut side);
        factor.backward(order, &mut side);
        solution.clear();
        solution.extend((0..side.len() as u32).map(|block| side[factor.position(block)]));
        solution
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};

    use super::*;
    use crate::math::mix;
    use crate::workers::direct::plan::{Link, PartPlan};

    fn number(k: u64) -> f64 {
        (mix(k.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }

    fn block(k: u64) -> BodyBlock {
        BodyBlock::from_fn(|i, j| number(36 * k + (6 * i + j) as u64))
    }

    fn mass(body: u64) -> BodyBlock {
        block(body) * block(body).transpose() + BodyBlock::identity()
    }

    /// Bodies 0 to 16 in a tree, joints from each to one before it, and two loops.
    fn links(workers: usize) -> Vec<Link> {
        let of = |joint: u32| {
            let first = u64::from(joint) % 16 + 1;
            let second = mix(u64::from(joint) + 99) % first;
            let home = |body: u64| (mix(body + 5) % workers as u64) as usize;
            let bodies = [first, second].map(|body| Some((body, home(body))));
            Link { place: joint, number: joint, bodies }
        };
        (0..18).map(of).collect()
    }

    fn coupling(joint: u32, side: usize) -> BodyBlock {
        block(1000 + 2 * u64::from(joint) + side as u64)
    }

    fn right(joint: u32) -> Part6 {
        Part6::from_fn(|row, _| number(7000 + 6 * u64::from(joint) + row as u64))
    }

    /// The solution for the joints, by one dense matrix.
    fn dense(links: &[Link]) -> Vec<Part6> {
        let bodies = 17;
        let size = 6 * (bodies + links.len());
        let (mut matrix, mut side) = (DMatrix::zeros(size, size), DVector::zeros(size));
        for body in 0..bodies {
            matrix.view_mut((6 * body, 6 * body), (6, 6)).copy_from(&mass(body as u64));
        }
        for link in links {
            let row = 6 * (bodies + link.place as usize);
            matrix.view_mut((row, row), (6, 6)).copy_from(&(BodyBlock::identity() * -1e-3));
            side.rows_mut(row, 6).copy_from(&right(link.place));
            for (k, (body, _)) in link.bodies.iter().flatten().enumerate() {
                let (column, value) = (6 * *body as usize, coupling(link.place, k));
                matrix.view_mut((row, column), (6, 6)).copy_from(&value);
                matrix.view_mut((column, row), (6, 6)).copy_from(&value.transpose());
            }
        }
        let solution = matrix.lu().solve(&side).unwrap();
        let joint = |k: usize| solution.fixed_rows::<6>(6 * (bodies + k)).into_owned();
        (0..links.len()).map(joint).collect()
    }

    /// The factor and the eliminated right side of a worker.
    fn eliminated(part: &PartPlan) -> (BlockFactor, Vec<Part6>) {
        let mut factor = BlockFactor::default();
        factor.clear(&part.order);
        for (&id, block) in part.bodies.iter().zip(0..) {
            let at = factor.position(block);
            *factor.diagonal_mut(at) += mass(id);
        }
        let mut side = vec![Part6::zeros(); part.order.blocks.len()];
        for (block, joint) in part.joint_blocks() {
            let at = factor.position(block);
            if joint.is_own {
                *factor.diagonal_mut(at) -= BodyBlock::identity() * 1e-3;
                side[at] = right(joint.place);
            }
            for (k, body) in joint.bodies.iter().enumerate() {
                let value = coupling(joint.place, k);
                body.iter().for_each(|&body| factor.add(&part.order, block, body, &value));
            }
        }
        factor.eliminate(&part.order);
        factor.forward(&part.order, &mut side);
        (factor, side)
    }

    #[test]
    fn workers_together_solve_what_one_dense_matrix_does() {
        for workers in 1..6 {
            let links = links(workers);
            let expected = dense(&links);
            let plan = Plan::new(links, workers);
            let parts: Vec<_> = plan.parts.iter().map(eliminated).collect();
            let (mut left, mut left_side) = (Vec::<BlockWords>::new(), Vec::<PartWords>::new());
            for (part, (factor, side)) in plan.parts.iter().zip(&parts) {
                left.extend(factor.kept(&part.order).map(|block| BlockWords::from(*block)));
                let kept = side[part.order.eliminated..].iter();
                left_side.extend(kept.map(|part| PartWords::from(*part)));
            }
            let mut between = BetweenWorkers::default();
            between.eliminate(&plan, &left);
            let solution = between.solve(&plan, &left_side).to_vec();
            for (part, (factor, mut side)) in plan.parts.iter().zip(parts) {
                let kept = side[part.order.eliminated..].iter_mut().zip(&part.kept);
                kept.for_each(|(value, &block)| *value = solution[block as usize]);
                factor.backward(&part.order, &mut side);
                for (block, joint) in part.joint_blocks() {
                    let expected = expected[joint.place as usize];
                    let error = (side[factor.position(block)] - expected).norm();
                    assert!(error < 1e-8 * expected.norm(), "{workers} workers: {error}");
                }
            }
        }
    }
}
