//! Rigid motions of groups of nodes.
//!
//! A node at the arm `a` from the centre of its group moves by `T m = t + w x a` if the group has
//! the motion `m = (t, w)`. The transpose takes an impulse at the node to the impulse and the
//! moment of momentum about the centre.

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
