//! The matrix of a group of nodes, and its exact inverse.

use wide::f32x4;

use crate::linear::preconditioner::multilevel::motion::{Block6, GROUP, GroupMotions, transposed};

/// Numbers of the motions of a group.
pub const SIZE: usize = 6 * GROUP;
const CHUNKS: usize = SIZE / 4;
/// Chunks of the rows of an upper triangle.
const ROW_CHUNKS: usize = 2 * CHUNKS * (CHUNKS + 1);

/// A motion whose pivot is smaller, as a share of its diagonal entry, is left out: the nodes cannot
/// move like that, or other motions already do.
const SMALLEST_PIVOT: f64 = 1e-9;

/// The upper triangle of the matrix of a group, row by row, while it is being summed.
pub struct GroupMatrix(pub [[f64; SIZE]; SIZE]);

impl GroupMatrix {
    /// Zero.
    pub fn new() -> Self {
        Self([[0.0; SIZE]; SIZE])
    }

    /// Adds the block of two different nodes.
    pub fn add_pair(&mut self, a: usize, b: usize, block: &Block6) {
        if a < b {
            self.add_at(a, b, block);
        } else {
            self.add_at(b, a, &transposed(block));
        }
    }

    /// Adds to the block of a node.
    pub fn add_diagonal(&mut self, node: usize, block: &Block6) {
        self.add_at(node, node, block);
    }

    fn add_at(&mut self, a: usize, b: usize, block: &Block6) {
        for (row, block) in self.0[6 * a..].iter_mut().zip(block) {
            row[6 * b..].iter_mut().zip(block).for_each(|(sum, more)| *sum += more);
        }
    }

    /// The block of two nodes, `a <= b`.
    pub fn block(&self, a: usize, b: usize) -> Block6 {
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let (row, column) = (6 * a + i, 6 * b + j);
                self.0[row.min(column)][row.max(column)]
            })
        })
    }
}

/// `V V^T`, the inverse of `U^T U` (Cholesky), where `V = U^-1` is upper triangular. In this form
/// rounding cannot make it indefinite.
#[derive(Debug, Clone)]
pub struct Factor {
    /// Row `i` of `V` from the chunk of its diagonal on.
    rows: [f32x4; ROW_CHUNKS],
}

/// The first chunk of row `i` among the columns.
const fn first_chunk(i: usize) -> usize {
    i / 4
}

/// Where row `i` begins.
const fn start(i: usize) -> usize {
    let (whole, rest) = (i / 4, i % 4);
    // Four rows each of CHUNKS, CHUNKS - 1, .. chunks come before.
    4 * (whole * CHUNKS - whole * whole.saturating_sub(1) / 2) + rest * (CHUNKS - whole)
}

impl Factor {
    /// The inverse of zero, which is zero.
    pub fn new() -> Self {
        Self { rows: [f32x4::ZERO; ROW_CHUNKS] }
    }

    /// Factors `matrix`, and spoils it.
    pub fn refill(&mut self, matrix: &mut GroupMatrix) {
        let inverse_pivots = cholesky(&mut matrix.0);
        invert(&mut matrix.0, &inverse_pivots);
        for (i, row) in matrix.0.iter().enumerate() {
            let to = &mut self.rows[start(i)..start(i + 1)];
            for (k, to) in (first_chunk(i)..).zip(to) {
                let at = |lane: usize| {
                    let column = 4 * k + lane;
                    if column < i { 0.0 } else { row[column] as f32 }
                };
                *to = f32x4::new([at(0), at(1), at(2), at(3)]);
            }
        }
    }

    /// The product of the inverse with `right`.
    pub fn solve(&self, right: &GroupMotions) -> GroupMotions {
        let right: &[f32; SIZE] = bytemuck::must_cast_ref(right);
        let mut y = [f32x4::ZERO; CHUNKS];
        for (i, &r) in right.iter().enumerate() {
            let r = f32x4::splat(r);
            let row = &self.rows[start(i)..start(i + 1)];
            y[first_chunk(i)..].iter_mut().zip(row).for_each(|(y, v)| *y += *v * r);
        }
        let mut solution = [f32x4::ZERO; CHUNKS];
        for (chunk, solution) in solution.iter_mut().enumerate() {
            let mut sums = [f32x4::ZERO; 4];
            for (lane, sum) in sums.iter_mut().enumerate() {
                let row = &self.rows[start(4 * chunk + lane)..start(4 * chunk + lane + 1)];
                row.iter().zip(&y[chunk..]).for_each(|(v, y)| *sum += *v * *y);
            }
            let [a, b, c, d] = f32x4::transpose(sums);
            *solution = (a + b) + (c + d);
        }
        bytemuck::must_cast(solution)
    }
}

/// Replaces the upper triangle of `a` by `U` with `a = U^T U`, but for the diagonal. Returns the
/// inverse of the diagonal of `U`; zero for motions that are left out, whose row of `U` is zero.
fn cholesky(a: &mut [[f64; SIZE]; SIZE]) -> [f64; SIZE] {
    let diagonal: [f64; SIZE] = std::array::from_fn(|i| a[i][i]);
    let mut inverse_pivots = [0.0; SIZE];
    for k in 0..SIZE {
        let pivot = a[k][k];
        // False for NaN as well.
        let is_safe = pivot > SMALLEST_PIVOT * diagonal[k] && pivot > 0.0;
        inverse_pivots[k] = if is_safe { 1.0 / pivot.sqrt() } else { 0.0 };
        a[k][k + 1..].iter_mut().for_each(|it| *it *= inverse_pivots[k]);
        let (above, below) = a.split_at_mut(k + 1);
        let row = &above[k];
        for (i, below) in (k + 1..).zip(below) {
            let factor = row[i];
            if factor != 0.0 {
                below[i..].iter_mut().zip(&row[i..]).for_each(|(it, u)| *it -= factor * u);
            }
        }
    }
    inverse_pivots
}

/// Replaces `U` by its inverse.
fn invert(u: &mut [[f64; SIZE]; SIZE], inverse_pivots: &[f64; SIZE]) {
    for i in (0..SIZE).rev() {
        let (above, below) = u.split_at_mut(i + 1);
        let row = &mut above[i];
        let of_u = *row;
        row[i] = 1.0;
        row[i + 1..].fill(0.0);
        for (k, below) in (i + 1..).zip(below) {
            let factor = of_u[k];
            if factor != 0.0 {
                row[k..].iter_mut().zip(&below[k..]).for_each(|(it, v)| *it -= factor * v);
            }
        }
        row[i..].iter_mut().for_each(|it| *it *= inverse_pivots[i]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::test_systems::noise;

    /// `B^T B` of a random `B`, without the rows and columns `out`.
    fn matrix(out: &[usize]) -> Vec<Vec<f64>> {
        let b = |i: usize, j: usize| noise((SIZE * i + j) as u64) + if i == j { 4.0 } else { 0.0 };
        let is_in = |i: usize| !out.contains(&i);
        let entry = |i: usize, j: usize| (0..SIZE).map(|k| b(k, i) * b(k, j)).sum::<f64>();
        let kept = |i: usize, j: usize| if is_in(i) && is_in(j) { entry(i, j) } else { 0.0 };
        (0..SIZE).map(|i| (0..SIZE).map(|j| kept(i, j)).collect()).collect()
    }

    #[test]
    fn the_product_with_the_inverse_is_the_identity_where_there_are_motions() {
        for out in [&[][..], &[0, 7, 42, 43, 44, 45, 46, 47]] {
            let dense = matrix(out);
            let mut upper = GroupMatrix::new();
            for i in 0..SIZE {
                upper.0[i][i..].copy_from_slice(&dense[i][i..]);
            }
            let mut factor = Factor::new();
            factor.refill(&mut upper);
            let right: [f32; SIZE] = std::array::from_fn(|i| noise(9000 + i as u64) as f32);
            let solution: [f32; SIZE] =
                bytemuck::must_cast(factor.solve(&bytemuck::must_cast(right)));
            for i in 0..SIZE {
                let sum: f64 = dense[i].iter().zip(solution).map(|(a, x)| a * f64::from(x)).sum();
                let expected = if out.contains(&i) { 0.0 } else { f64::from(right[i]) };
                assert!((sum - expected).abs() < 1e-4, "{i}: {sum} {expected}");
                assert!(!out.contains(&i) || solution[i] == 0.0);
            }
        }
    }

    #[test]
    fn a_motion_that_another_one_makes_too_is_left_out() {
        let mut upper = GroupMatrix::new();
        (upper.0[0][0], upper.0[0][1], upper.0[1][1]) = (4.0, 4.0, 4.0);
        let mut factor = Factor::new();
        factor.refill(&mut upper);
        let mut right = GroupMotions::default();
        right[0] = [8.0, 8.0, 1.0, 0.0, 0.0, 0.0];
        assert_eq!(factor.solve(&right)[0], [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }
}
