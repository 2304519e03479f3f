//! Rigid motions of groups of nodes, and the matrix of a group with its exact inverse.
//!
//! A node at the arm `a` from the centre of its group moves by `T m = t + w x a` if the group has
//! the motion `m = (t, w)`. The transpose takes an impulse at the node to the impulse and the
//! moment of momentum about the centre.

use wide::f32x4;

use crate::{Mat3, Vec3};

/// Most nodes of a group.
pub const GROUP: usize = 8;

/// A velocity and an angular velocity, or an impulse and a moment of momentum.
pub type Motion = [f32; 6];

/// The motions of the nodes of a group, zero where there is no node.
pub type GroupMotions = [Motion; GROUP];

/// What couples two rigid motions: kg, kg m, kg m^2. Row by row.
pub type Block6 = [[f64; 6]; 6];

/// `T_a^T B T_b` for the `block` of two vertices.
pub fn of_vertices(block: &Mat3, a: &Vec3, b: &Vec3) -> Block6 {
    let [x, y, z] = [0, 1, 2].map(|k| Vec3::from(block.column(k)));
    let columns = [x, y, z, z * b.y - y * b.z, x * b.z - z * b.x, y * b.x - x * b.y];
    let mut result = Block6::default();
    for (k, impulse) in columns.iter().enumerate() {
        let moment = a.cross(impulse);
        for i in 0..3 {
            result[i][k] = impulse[i];
            result[i + 3][k] = moment[i];
        }
    }
    result
}

/// `T_a^T B T_b` for the `block` of two groups, whose centres have the arms `a` and `b` from those
/// of the groups that they belong to.
pub fn of_groups(block: &Block6, a: &Vec3, b: &Vec3) -> Block6 {
    let part = |rows: usize, columns: usize| Mat3::from_fn(|i, j| block[rows + i][columns + j]);
    let mut sum = of_vertices(&part(0, 0), a, b);
    let (tr, rt, rr) = (part(0, 3), part(3, 0), part(3, 3));
    let (right, below) = (a.cross_matrix() * tr, -rt * b.cross_matrix());
    for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
        sum[i][3 + j] += tr[(i, j)];
        sum[3 + i][j] += rt[(i, j)];
        sum[3 + i][3 + j] += rr[(i, j)] + right[(i, j)] + below[(i, j)];
    }
    sum
}

/// Adds `block` to `sum`.
pub fn add(sum: &mut Block6, block: &Block6) {
    sum.as_flattened_mut().iter_mut().zip(block.as_flattened()).for_each(|(a, b)| *a += b);
}

/// The block of column and row.
pub fn transposed(block: &Block6) -> Block6 {
    std::array::from_fn(|i| std::array::from_fn(|j| block[j][i]))
}

/// `T m` for a group whose centre has the arm `a`.
pub fn lift(m: &Motion, a: &[f32; 3]) -> Motion {
    let [x, y, z, p, q, r] = *m;
    let moved = [q * a[2] - r * a[1], r * a[0] - p * a[2], p * a[1] - q * a[0]];
    [x + moved[0], y + moved[1], z + moved[2], p, q, r]
}

/// Adds `T^T m` to `sum`, for a group whose centre has the arm `a`.
pub fn add_impulse(sum: &mut Motion, m: &Motion, a: &[f32; 3]) {
    let [x, y, z, p, q, r] = *m;
    let moment = [a[1] * z - a[2] * y, a[2] * x - a[0] * z, a[0] * y - a[1] * x];
    let all = [x, y, z, p + moment[0], q + moment[1], r + moment[2]];
    sum.iter_mut().zip(all).for_each(|(sum, more)| *sum += more);
}

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

    fn moved(m: &[f64; 6], a: &Vec3) -> Vec3 {
        Vec3::new(m[0], m[1], m[2]) + Vec3::new(m[3], m[4], m[5]).cross(a)
    }

    #[test]
    fn blocks_of_groups_are_those_of_their_vertices() {
        let block = Mat3::new(2.0, 0.3, -1.0, 0.7, 1.5, 0.2, 0.1, -0.4, 3.0);
        let [a, b] = [Vec3::new(0.2, -0.5, 0.9), Vec3::new(-1.1, 0.4, 0.3)];
        let [m, n] = [[0.3, -0.2, 0.5, 1.0, -0.7, 0.4], [-0.1, 0.8, 0.6, 0.2, 0.5, -0.9]];
        let product = |blocks: &Block6| -> f64 {
            (0..6)
                .flat_map(|i| (0..6).map(move |j| (i, j)))
                .map(|(i, j)| m[i] * blocks[i][j] * n[j])
                .sum()
        };
        let exact = moved(&m, &a).dot(&(block * moved(&n, &b)));
        assert!((product(&of_vertices(&block, &a, &b)) - exact).abs() < 1e-14);
        // The same motion about other centres.
        let [c, d] = [Vec3::new(0.6, 0.1, -0.3), Vec3::new(0.5, -0.8, 0.2)];
        let of_parts = of_vertices(&block, &(a - c), &(b - d));
        assert!((product(&of_groups(&of_parts, &c, &d)) - exact).abs() < 1e-14);
    }

    #[test]
    fn impulses_are_the_transpose_of_motions() {
        let (m, n): (Motion, Motion) =
            ([0.3, -0.2, 0.5, 1.0, -0.7, 0.4], [-0.1, 0.8, 0.6, 0.2, 0.5, -0.9]);
        let arm = [0.2, -0.5, 0.9];
        let dot = |a: &Motion, b: &Motion| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let mut sum = Motion::default();
        add_impulse(&mut sum, &n, &arm);
        assert!((dot(&lift(&m, &arm), &n) - dot(&m, &sum)).abs() < 1e-6);
    }

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
