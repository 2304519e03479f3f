//! Solves against dense ones, residuals, and the trouble that is named.

use nalgebra::DVector;

use super::*;
use crate::linear::block_csr::BlockCsr;
use crate::linear::couplings::Couplings;
use crate::linear::preconditioner::{Preconditioner, PreconditionerKind};
use crate::linear::test_systems::{dense, grid, noise3, springs};
use crate::ranks::Halo;
use crate::ranks::in_process as ranks;
use crate::threads::Threads;

/// A system on one rank, its right-hand side and its workspace.
struct Case {
    layout: Layout,
    matrix: BlockCsr,
    preconditioner: Box<dyn Preconditioner>,
    threads: Threads,
    rhs: Vec<Vec3>,
}

impl Case {
    fn new(nx: u32, ny: u32, mass: f64, kind: PreconditionerKind) -> Self {
        let (graph, partition) = grid(nx, ny, 12, 1);
        let layout = Layout::new(&graph, &partition, 0);
        let matrix = springs(&layout, &graph, mass);
        let threads = Threads::new(2).unwrap();
        let mut preconditioner = kind.build(&matrix);
        preconditioner.factor(&threads, &matrix);
        let rhs = layout.own.iter().map(|&v| noise3(u64::from(v) + 77)).collect();
        Self { layout, matrix, preconditioner, threads, rhs }
    }

    fn solve(&self, fixed: &[u32], x: &mut [Vec3], relative_residual: f64) -> CgReport {
        let start = x.to_vec();
        let mut solved = ranks::run(1, |world| {
            let mut system = System {
                world,
                threads: &self.threads,
                matrix: &self.matrix,
                couplings: &Couplings::default(),
                halo: &mut Halo::default(),
                preconditioner: &*self.preconditioner,
                fixed,
                any_fixed: !fixed.is_empty(),
            };
            let mut workspace = CgWorkspace::new(&self.layout);
            let tolerance =
                Tolerance { relative_residual, least_reference: 0.0, max_iterations: 5000 };
            let mut x = start.clone();
            let report = workspace.solve(&mut system, &self.rhs, &mut x, tolerance)?;
            Ok((report, x))
        });
        let (report, solution) = solved.as_mut().unwrap().swap_remove(0);
        x.copy_from_slice(&solution);
        report
    }

    fn true_residual(&self, x: &[Vec3]) -> f64 {
        let mut product = vec![Vec3::zeros(); x.len()];
        self.matrix.multiply(&self.threads, x, &mut product);
        let squares = product.iter().zip(&self.rhs).map(|(a, b)| (b - a).norm_squared());
        squares.sum::<f64>().sqrt()
    }
}

#[test]
fn solution_agrees_with_a_dense_solve_and_fixed_vertices_keep_their_value() {
    for &kind in PreconditionerKind::ALL {
        let case = Case::new(8, 7, 0.1, kind);
        let dense = dense(&case.matrix);
        for fixed in [&[][..], &[3, 17, 40, 41]] {
            // Dense reference: the row of a fixed vertex is x = prescribed value.
            let prescribed = |row: u32| noise3(1000 + u64::from(row));
            let (mut reference, mut right) = (dense.clone(), DVector::zeros(3 * 56));
            for (row, &v) in case.layout.own.iter().enumerate() {
                let at = 3 * v as usize;
                right.fixed_rows_mut::<3>(at).copy_from(&case.rhs[row]);
                if fixed.contains(&(row as u32)) {
                    reference.fixed_rows_mut::<3>(at).fill(0.0);
                    reference.fixed_view_mut::<3, 3>(at, at).fill_with_identity();
                    right.fixed_rows_mut::<3>(at).copy_from(&prescribed(row as u32));
                }
            }
            let exact = reference.lu().solve(&right).unwrap();

            let mut x = vec![Vec3::zeros(); 56];
            fixed.iter().for_each(|&row| x[row as usize] = prescribed(row));
            assert!(case.solve(fixed, &mut x, 1e-12).converged());
            for (row, &v) in case.layout.own.iter().enumerate() {
                let error = x[row] - exact.fixed_rows::<3>(3 * v as usize);
                assert!(error.norm() < 1e-10 * exact.norm());
                assert!(!fixed.contains(&(row as u32)) || x[row] == prescribed(row as u32));
            }
        }
    }
}

#[test]
fn the_residual_of_the_recurrence_is_the_true_one() {
    for &kind in PreconditionerKind::ALL {
        let case = Case::new(40, 40, 1e-3, kind);
        for relative_residual in [1e-4, 1e-6, 1e-8, 1e-10] {
            let mut x = vec![Vec3::zeros(); case.rhs.len()];
            let report = case.solve(&[], &mut x, relative_residual);
            assert!(report.converged());
            assert!(case.true_residual(&x) < 1.01 * relative_residual * report.reference);
        }
    }
}

#[test]
fn a_solved_system_and_a_zero_system_take_no_iteration() {
    let mut case = Case::new(6, 6, 1.0, PreconditionerKind::BlockJacobi);
    let mut x = vec![Vec3::zeros(); 36];
    assert!(case.solve(&[], &mut x, 1e-12).iterations > 0);
    assert_eq!(case.solve(&[], &mut x, 1e-8).iterations, 0);
    case.rhs.fill(Vec3::zeros());
    let report = case.solve(&[], &mut [Vec3::zeros(); 36], 1e-8);
    assert_eq!((report.end, report.iterations), (End::Converged, 0));
}

#[test]
fn trouble_is_named() {
    let mut case = Case::new(6, 6, 1.0, PreconditionerKind::BlockJacobi);
    case.rhs[7].y = f64::NAN;
    assert_eq!(case.solve(&[], &mut [Vec3::zeros(); 36], 1e-8).end, End::NotFinite);
    case.rhs[7].y = f64::INFINITY;
    assert_eq!(case.solve(&[], &mut [Vec3::zeros(); 36], 1e-8).end, End::NotFinite);
    case.rhs[7].y = 1.0;
    case.matrix.values_mut().iter_mut().for_each(|block| *block = -*block);
    assert_eq!(case.solve(&[], &mut [Vec3::zeros(); 36], 1e-8).end, End::Indefinite);
}

/// A preconditioner of which the solver does not know that it couples no patches.
struct Hidden(Box<dyn Preconditioner>);

impl Preconditioner for Hidden {
    fn factor(&mut self, threads: &Threads, matrix: &BlockCsr) -> usize {
        self.0.factor(threads, matrix)
    }

    fn apply(
        &self,
        world: &dyn World,
        threads: &Threads,
        r: &[Vec3],
        u: &mut [Vec3],
    ) -> Result<()> {
        self.0.apply(world, threads, r, u)
    }
}

#[test]
fn whole_vectors_and_patches_give_the_same_bits() {
    for kind in PreconditionerKind::ALL.iter().copied() {
        let mut case = Case::new(20, 15, 0.05, kind);
        let fixed = [3, 4, 50];
        let mut by_patch = vec![Vec3::zeros(); case.rhs.len()];
        by_patch[50] = Vec3::new(0.1, -0.2, 0.3);
        let mut whole = by_patch.clone();
        let first = case.solve(&fixed, &mut by_patch, 1e-10);
        case.preconditioner = Box::new(Hidden(case.preconditioner));
        let second = case.solve(&fixed, &mut whole, 1e-10);
        assert_eq!((first, by_patch), (second, whole), "{kind:?}");
    }
}
