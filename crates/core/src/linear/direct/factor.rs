//! The numbers of a sparse symmetric matrix of blocks of six rows, and its elimination.

use nalgebra::{SMatrix, SVector};

use crate::linear::direct::order::Order;

/// A block.
pub type BodyBlock = SMatrix<f64, 6, 6>;
/// The part of a vector of one block.
pub type Part6 = SVector<f64, 6>;

/// A matrix, and then its factor `L S L^T`, where `S` has the sign of each block: bodies are positive,
/// joints negative definite.
#[derive(Debug, Default)]
pub struct BlockFactor {
    /// The blocks on the diagonal, by position. Those of eliminated blocks become the inverse of
    /// their triangular factor.
    diagonal: Vec<BodyBlock>,
    /// The signs of eliminated blocks.
    signs: Vec<f64>,
    /// The blocks below the diagonal. Those of eliminated blocks become `L`.
    below: Vec<BodyBlock>,
    /// The position of each block.
    positions: Vec<u32>,
    /// The rows of each block that count, by position. In the others the matrix is that of identity.
    rows: Vec<usize>,
}

impl BlockFactor {
    /// Sets all blocks to zero.
    pub fn clear(&mut self, order: &Order) {
        self.diagonal.clear();
        self.diagonal.resize(order.blocks.len(), BodyBlock::zeros());
        self.below.clear();
        self.below.resize(order.neighbours.len(), BodyBlock::zeros());
        self.rows.clear();
        self.rows.resize(order.blocks.len(), 6);
        self.positions.clear();
        self.positions.resize(order.blocks.len(), 0);
        for (&block, at) in order.blocks.iter().zip(0..) {
            self.positions[block as usize] = at;
        }
    }

    /// The position of a block.
    pub fn position(&self, block: u32) -> usize {
        self.positions[block as usize] as usize
    }

    /// Says that only the first `rows` rows of the block at a position count. In the others it is
    /// identity, and blocks beside it are 0.
    pub fn set_rows(&mut self, at: usize, rows: usize) {
        self.rows[at] = rows;
    }

    /// The block on the diagonal at a position.
    pub fn diagonal_mut(&mut self, at: usize) -> &mut BodyBlock {
        &mut self.diagonal[at]
    }

    /// Adds `value` to the block in row `row` and column `column`, and its transpose to the block
    /// opposite. Both are blocks that the order knows as an edge.
    pub fn add(&mut self, order: &Order, row: u32, column: u32, value: &BodyBlock) {
        let [row, column] = [row, column].map(|block| self.positions[block as usize]);
        let (place, value) = match row > column {
            true => (order.place(column, row), *value),
            false => (order.place(row, column), value.transpose()),
        };
        if let Some(place) = place {
            self.below[place] += value;
        }
    }

    /// Eliminates the blocks. After: the diagonal and the blocks below it among those kept are the
    /// matrix that is left for them (the Schur complement).
    pub fn eliminate(&mut self, order: &Order) {
        let mut targets = order.targets.iter();
        self.signs.clear();
        for at in 0..order.eliminated {
            let (sign, inverse) = inverse_factor(&self.diagonal[at]);
            self.signs.push(sign);
            self.diagonal[at] = inverse;
            let (rows, below) = (self.rows[at], order.below(at));
            for block in &mut self.below[below.clone()] {
                let own = std::mem::replace(block, BodyBlock::zeros());
                add_product(block, &own, &inverse, [rows; 2], 1.0);
            }
            for (b, &second) in order.neighbours[below.clone()].iter().enumerate() {
                let own = self.below[below.start + b];
                for a in 0..b {
                    let Some(&target) = targets.next() else { return };
                    let first = self.below[below.start + a];
                    let sizes = [self.rows[order.neighbours[below.start + a] as usize], rows];
                    add_product(&mut self.below[target as usize], &own, &first, sizes, -sign);
                }
                let second = second as usize;
                let sizes = [self.rows[second], rows];
                add_product(&mut self.diagonal[second], &own, &own, sizes, -sign);
            }
        }
    }

    /// The matrix that is left for the blocks kept: those on the diagonal, then those below.
    pub fn kept(&self, order: &Order) -> impl Iterator<Item = &BodyBlock> {
        let start = order.starts[order.eliminated] as usize;
        self.diagonal[order.eliminated..].iter().chain(&self.below[start..])
    }

    /// Eliminates the right side, by position. After: the part of the blocks kept is the right side
    /// that is left for them.
    pub fn forward(&self, order: &Order, side: &mut [Part6]) {
        for at in 0..order.eliminated {
            let own = self.diagonal[at] * side[at] * self.signs[at];
            for place in order.below(at) {
                side[order.neighbours[place] as usize] -= self.below[place] * own;
            }
            side[at] = own;
        }
    }

    /// Turns the right side into the solution. Before: the part of the blocks kept is the solution.
    pub fn backward(&self, order: &Order, side: &mut [Part6]) {
        for at in (0..order.eliminated).rev() {
            let mut own = side[at];
            for place in order.below(at) {
                let later = &side[order.neighbours[place] as usize];
                own -= self.below[place].tr_mul(later) * self.signs[at];
            }
            side[at] = self.diagonal[at].tr_mul(&own);
        }
    }
}

/// Adds `factor a b^T`, where `b` has numbers in its first `rows` rows and `columns` columns alone. (The
/// library's product of this size copies both first.)
fn add_product(
    sum: &mut BodyBlock,
    a: &BodyBlock,
    b: &BodyBlock,
    [rows, columns]: [usize; 2],
    factor: f64,
) {
    for j in 0..rows {
        let mut column: [f64; 6] = sum.column(j).into_owned().into();
        for k in 0..columns {
            let part = factor * b[(j, k)];
            (0..6).for_each(|i| column[i] += a[(i, k)] * part);
        }
        sum.column_mut(j).copy_from_slice(&column);
    }
}

/// The sign of a definite block, and the inverse of the triangular factor of the block with this sign.
/// (The inverse of the block itself loses more digits: joints that say the same twice need them.) The
/// unknowns of a block stay 0 if rounding has left it not definite.
fn inverse_factor(block: &BodyBlock) -> (f64, BodyBlock) {
    let sign = block[(0, 0)].signum();
    let inverse = (block * sign).cholesky().map(|factor| {
        let lower = factor.unpack();
        lower.solve_lower_triangular(&BodyBlock::identity()).unwrap_or_else(BodyBlock::zeros)
    });
    (sign, inverse.unwrap_or_else(BodyBlock::zeros))
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    use super::*;
    use crate::linear::direct::order::Turn;

    /// A random quasi-definite matrix: bodies with positive blocks, joints with small negative
    /// ones, each between two bodies.
    fn matrix(
        bodies: usize,
        joints: &[[u32; 2]],
        number: impl Fn(u64) -> f64,
    ) -> (Vec<BodyBlock>, Vec<[BodyBlock; 2]>) {
        let block = |k: u64| BodyBlock::from_fn(|i, j| number(k * 36 + (6 * i + j) as u64) - 0.5);
        let mass = |k: u64| {
            let half = block(k);
            half * half.transpose() + BodyBlock::identity()
        };
        let diagonal = (0..bodies as u64).map(mass).collect();
        let of_joints =
            (0..joints.len() as u64).map(|k| [block(1000 + 2 * k), block(1001 + 2 * k)]);
        (diagonal, of_joints.collect())
    }

    proptest! {
        #[test]
        fn the_solution_is_that_of_a_dense_matrix_with_and_without_kept_blocks(
            bodies in 2usize..9,
            joints in prop::collection::vec((0u32..100, 0u32..100), 1..12),
            kept in 0usize..4,
            seed in 0u64..1000,
        ) {
            let number = |k: u64| {
                let mixed = crate::math::mix((k + 7919 * seed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
                (mixed >> 11) as f64 / (1u64 << 53) as f64
            };
            let count = bodies as u32;
            let joints: Vec<[u32; 2]> = joints.into_iter()
                .map(|(a, b)| [a % count, b % count]).filter(|[a, b]| a != b).collect();
            let (masses, couplings) = matrix(bodies, &joints, number);
            let blocks = bodies + joints.len();
            // 1. Dense.
            let mut dense = DMatrix::zeros(6 * blocks, 6 * blocks);
            for (k, mass) in masses.iter().enumerate() {
                dense.view_mut((6 * k, 6 * k), (6, 6)).copy_from(mass);
            }
            for (k, (ends, of)) in joints.iter().zip(&couplings).enumerate() {
                let row = bodies + k;
                dense.view_mut((6 * row, 6 * row), (6, 6)).copy_from(&(BodyBlock::identity() * -0.01));
                for side in 0..2 {
                    let at = (6 * row, 6 * ends[side] as usize);
                    dense.view_mut(at, (6, 6)).copy_from(&of[side]);
                    dense.view_mut((at.1, at.0), (6, 6)).copy_from(&of[side].transpose());
                }
            }
            let side = DVector::from_fn(6 * blocks, |k, _| number(5000 + k as u64) - 0.5);
            let expected = dense.clone().lu().solve(&side).unwrap();
            let kept = kept.min(joints.len());
            // 2. Sparse. The system of the kept blocks is solved densely.
            let turn = |block: usize| match block {
                0 => Turn::Hub,
                _ if block < bodies => Turn::Any,
                _ if block < blocks - kept => Turn::Joint(joints[block - bodies].map(Some)),
                _ => Turn::Never,
            };
            let edges: Vec<[u32; 2]> = joints.iter().enumerate()
                .flat_map(|(k, [a, b])| [[*a, count + k as u32], [*b, count + k as u32]]).collect();
            let order = Order::new(&(0..blocks).map(turn).collect::<Vec<_>>(), &edges);
            let mut factor = BlockFactor::default();
            factor.clear(&order);
            for (k, mass) in masses.iter().enumerate() {
                let at = factor.position(k as u32);
                *factor.diagonal_mut(at) += mass;
            }
            for (k, (ends, of)) in (count..).zip(joints.iter().zip(&couplings)) {
                let at = factor.position(k);
                *factor.diagonal_mut(at) -= BodyBlock::identity() * 0.01;
                (0..2).for_each(|side| factor.add(&order, k, ends[side], &of[side]));
            }
            factor.eliminate(&order);
            let mut found: Vec<Part6> = order.blocks.iter()
                .map(|&block| side.fixed_rows::<6>(6 * block as usize).into_owned()).collect();
            factor.forward(&order, &mut found);
            let left = order.kept();
            let mut small = DMatrix::zeros(6 * left, 6 * left);
            for at in 0..left {
                let own = factor.diagonal[order.eliminated + at];
                small.view_mut((6 * at, 6 * at), (6, 6)).copy_from(&own);
                for place in order.below(order.eliminated + at) {
                    let row = order.neighbours[place] as usize - order.eliminated;
                    let block = factor.below[place];
                    small.view_mut((6 * row, 6 * at), (6, 6)).copy_from(&block);
                    small.view_mut((6 * at, 6 * row), (6, 6)).copy_from(&block.transpose());
                }
            }
            if left > 0 {
                let rows = found[order.eliminated..].iter().flat_map(|part| part.iter().copied());
                let solved = small.lu().solve(&DVector::from_iterator(6 * left, rows)).unwrap();
                for at in 0..left {
                    found[order.eliminated + at] = solved.fixed_rows::<6>(6 * at).into_owned();
                }
            }
            factor.backward(&order, &mut found);
            for (part, &block) in found.iter().zip(&order.blocks) {
                let expected = expected.fixed_rows::<6>(6 * block as usize);
                let scale = 1.0 + expected.norm();
                prop_assert!((part - expected).norm() < 1e-8 * scale, "{} {}", part, expected);
            }
        }
    }
}
