//! The levels against dense matrices.

use nalgebra::{DMatrix, DVector};

use super::*;
use crate::PatchId;
use crate::linear::test_systems::{dense, grid, noise, positions, springs};
use crate::linear::vectors::{Triple, row};
use crate::ranks::in_process as ranks;

/// A crumpled sheet of springs.
struct Sheet {
    graph: Graph,
    partition: Partition,
    layout: Layout,
    matrix: BlockMatrix,
    x: Vec<Vec3>,
}

impl Sheet {
    fn new(nx: u32, ny: u32, per_patch: usize) -> Self {
        let (graph, partition) = grid(nx, ny, per_patch, 1);
        let layout = Layout::new(&graph, &partition, 0);
        let matrix = springs(&layout, &graph, 0.01);
        Self { graph, partition, layout, matrix, x: positions(nx, ny) }
    }

    fn rows(&self, patch: usize) -> std::ops::Range<usize> {
        let ends = &self.layout.patch_offsets[patch..patch + 2];
        ends[0] as usize..ends[1] as usize
    }

    /// What the levels make of each residual, without block Jacobi.
    fn apply(&self, fixed: &[u32], residuals: &[Vec<Row>]) -> Vec<Vec<Row>> {
        let Self { graph, layout, partition, matrix, x } = self;
        let mesh = Mesh { layout, partition, graph, rest: x };
        let mut results = ranks::run(1, |world| {
            let mut levels = Multilevel::new(matrix, &mesh);
            levels.factor(Terms {
                world,
                threads: &Threads::new(2)?,
                matrix,
                halo: &mut Halo::default(),
                fixed,
                positions: x,
                scratch: &mut vec![Row::ZERO; layout.own.len()],
            })?;
            let mut apply = |r: &Vec<Row>| -> Result<Vec<Row>> {
                let patches = 0..layout.own_patches.len();
                let sums: Vec<PatchSums> =
                    patches.clone().map(|it| levels.sum(it, &r[self.rows(it)])).collect();
                levels.solve(world, &sums)?;
                let mut u = vec![Row::ZERO; r.len()];
                patches.for_each(|it| levels.add_motions(it, &sums[it], &mut u[self.rows(it)]));
                Ok(u)
            };
            residuals.iter().map(&mut apply).collect::<Result<Vec<_>>>()
        });
        results.as_mut().unwrap().swap_remove(0)
    }

    /// Rigid motions of parts, as columns in the order of the rows; fixed rows do not move.
    fn rigid_motions(&self, part_of: &[usize], fixed: &[u32]) -> DMatrix<f64> {
        let parts = part_of.iter().max().unwrap() + 1;
        let mut motions = DMatrix::zeros(3 * part_of.len(), 6 * parts);
        for (row, &part) in part_of.iter().enumerate() {
            if !fixed.contains(&(row as u32)) {
                let turn = -self.x[self.layout.own[row] as usize].cross_matrix();
                motions.fixed_view_mut::<3, 3>(3 * row, 6 * part).fill_with_identity();
                motions.fixed_view_mut::<3, 3>(3 * row, 6 * part + 3).copy_from(&turn);
            }
        }
        motions
    }

    /// The matrix in the order of the rows.
    fn dense(&self) -> DMatrix<f64> {
        let (own, all) = (&self.layout.own, dense(&self.matrix));
        let size = 3 * own.len();
        let at = |i: usize| 3 * own[i / 3] as usize + i % 3;
        DMatrix::from_fn(size, size, |i, j| all[(at(i), at(j))])
    }
}

fn random(rows: usize, key: u64) -> Vec<Row> {
    (0..rows as u64).map(|it| row(&Vec3::from_fn(|k, _| noise(key + 3 * it + k as u64)))).collect()
}

fn flat(rows: &[Row]) -> DVector<f64> {
    DVector::from_iterator(3 * rows.len(), rows.iter().flat_map(|it| it.wide().data.0[0]))
}

/// Up to eight patches are one group, which is solved exactly.
#[test]
fn levels_of_few_patches_are_the_exact_inverses_on_rigid_motions() {
    let sheet = Sheet::new(16, 12, 32);
    let patches = sheet.layout.own_patches.len();
    assert!((3..=8).contains(&patches), "{patches}");
    let a = sheet.dense();
    for fixed in [&[][..], &[1, 2, 30, 31, 100]] {
        let mut r = random(192, 5);
        fixed.iter().for_each(|&row| r[row as usize] = Row::ZERO);
        let (mut of_aggregate, mut of_patch) = (Vec::new(), Vec::new());
        for patch in 0..patches {
            let vertices = sheet.partition.patches.vertices(patch as PatchId);
            let rest: Vec<Vec3> = vertices.iter().map(|&v| sheet.x[v as usize]).collect();
            of_aggregate.extend(halves(&rest, GROUP).iter().map(|&it| GROUP * patch + it as usize));
            of_patch.extend(vertices.iter().map(|_| patch));
        }
        let p = sheet.rigid_motions(&of_aggregate, fixed);
        let q = sheet.rigid_motions(&of_patch, fixed);
        let mut exact =
            &q * (q.transpose() * &a * &q).cholesky().unwrap().solve(&(q.transpose() * flat(&r)));
        for patch in 0..patches {
            let p = p.columns(6 * GROUP * patch, 6 * GROUP);
            let a_p = (p.transpose() * &a * p).cholesky().unwrap();
            exact += p * a_p.solve(&(p.transpose() * flat(&r)));
        }
        let mut u = sheet.apply(fixed, &[r]).swap_remove(0);
        fixed.iter().for_each(|&row| u[row as usize] = Row::ZERO);
        assert!((flat(&u) - &exact).norm() < 1e-4 * exact.norm());
    }
}

#[test]
fn levels_of_many_patches_are_symmetric_and_positive() {
    let sheet = Sheet::new(60, 50, 12);
    assert!(sheet.layout.own_patches.len() > 8 * 8 * 2);
    let [a, b] = [1, 100_000].map(|key| random(3000, key));
    let [of_a, of_b] = sheet.apply(&[], &[a.clone(), b.clone()]).try_into().unwrap();
    let [a, b, of_a, of_b] = [&a, &b, &of_a, &of_b].map(|it| flat(it));
    let size = a.dot(&of_a);
    assert!(size > 0.0 && b.dot(&of_b) > 0.0);
    assert!((a.dot(&of_b) - b.dot(&of_a)).abs() < 1e-5 * size);
}
