//! Solves against dense ones, residuals, and the trouble that is named.

use nalgebra::DVector;

use super::*;
use crate::linear::couplings::Couplings;
use crate::linear::joined::Joined;
use crate::linear::matrix::BlockMatrix;
use crate::linear::preconditioner::{Mesh, Preconditioner, PreconditionerKind};
use crate::linear::test_systems::{dense, grid, noise3, positions, springs};
use crate::partition::{Graph, Partition};
use crate::ranks::{Halo, in_process as ranks};
use crate::{Mat3, Threads};

/// A system on one rank, its right-hand side and its workspace.
struct Case {
    graph: Graph,
    partition: Partition,
    layout: Layout,
    matrix: BlockMatrix,
    kind: PreconditionerKind,
    positions: Vec<Vec3>,
    threads: Threads,
    rhs: Vec<Vec3>,
}

impl Case {
    fn new(nx: u32, ny: u32, mass: f64, kind: PreconditionerKind) -> Self {
        let (graph, partition) = grid(nx, ny, 12, 1);
        let layout = Layout::new(&graph, &partition, 0);
        let matrix = springs(&layout, &graph, mass);
        let threads = Threads::new(2).unwrap();
        let rhs = layout.own.iter().map(|&v| noise3(u64::from(v) + 77)).collect();
        let positions = positions(nx, ny);
        Self { graph, partition, layout, matrix, kind, positions, threads, rhs }
    }

    fn solve(&self, fixed: &[u32], x: &mut [Vec3], relative_residual: f64) -> CgReport {
        let start = x.to_vec();
        let mut solved = ranks::run(1, |world| {
            let Self { graph, layout, partition, positions, .. } = self;
            let mesh = Mesh { layout, partition, graph, rest: positions };
            let mut preconditioner = Preconditioner::new(self.kind, &self.matrix, &mesh);
            let mut system = System {
                world,
                threads: &self.threads,
                matrix: &self.matrix,
                couplings: &Couplings::default(),
                joined: &mut Joined::default(),
                halo: &mut Halo::default(),
                preconditioner: &mut preconditioner,
                positions,
                masses: &vec![1.0; self.rhs.len()],
                fixed,
                any_fixed: !fixed.is_empty(),
            };
            let mut workspace = CgWorkspace::new(&self.layout);
            let tolerance = Tolerance {
                relative_residual,
                velocity_m_per_s: f64::INFINITY,
                least_reference: 0.0,
                max_iterations: 5000,
            };
            let mut x = start.clone();
            let report = workspace.solve(&mut system, &self.rhs, &mut x, tolerance)?;
            Ok((report, x))
        });
        let (report, solution) = solved.as_mut().unwrap().swap_remove(0);
        x.copy_from_slice(&solution);
        report
    }

    fn true_residual(&self, x: &[Vec3]) -> f64 {
        let x = DVector::from_iterator(3 * x.len(), self.mesh_order(x).iter().flatten().copied());
        let b = self.mesh_order(&self.rhs);
        let b = DVector::from_iterator(x.len(), b.iter().flatten().copied());
        (b - dense(&self.matrix) * x).norm()
    }

    /// The values of the rows in the mesh's own numbering.
    fn mesh_order(&self, values: &[Vec3]) -> Vec<Vec3> {
        let mut all = vec![Vec3::zeros(); values.len()];
        self.layout.own.iter().zip(values).for_each(|(&v, value)| all[v as usize] = *value);
        all
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
        let case = Case::new(20, 20, 1e-3, kind);
        for relative_residual in [1e-2, 1e-3, 6e-4, 1e-4, 1e-6, 1e-8, 1e-10] {
            let mut x = vec![Vec3::zeros(); case.rhs.len()];
            let report = case.solve(&[], &mut x, relative_residual);
            assert!(report.converged());
            let ratio = case.true_residual(&x) / (relative_residual * report.reference);
            assert!(ratio < 1.01, "{relative_residual}: {ratio}");
        }
    }
}

/// Softer the larger: a system with soft motions of many vertices.
#[test]
fn rigid_motions_save_most_iterations_of_large_sheets() {
    let iterations = |kind| {
        let case = Case::new(80, 60, 1e-4, kind);
        let report = case.solve(&[], &mut vec![Vec3::zeros(); 4800], 1e-4);
        assert!(report.converged());
        report.iterations
    };
    let [jacobi, levels] =
        [PreconditionerKind::BlockJacobi, PreconditionerKind::Multilevel].map(iterations);
    assert!(jacobi > 3 * levels, "{jacobi}, {levels}");
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
    let negative = |v, w| if v == w { -Mat3::identity() } else { Mat3::zeros() };
    case.matrix = BlockMatrix::of_blocks(&case.layout, &case.graph, negative).unwrap();
    assert_eq!(case.solve(&[], &mut [Vec3::zeros(); 36], 1e-8).end, End::Indefinite);
}
