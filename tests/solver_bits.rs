//! Room `linear`: the bits of a solution do not depend on the number of ranks or threads, nor on
//! the owners of the patches.

mod common;

use std::slice::from_ref;
use std::sync::Arc;

use cloth_core::linear::{
    CgReport, CgWorkspace, Couplings, Joined, Mesh, Preconditioner, PreconditionerKind, System,
    Tolerance,
};
use cloth_core::threads::Threads;
use cloth_sim::math::{Mat3, Vec3};
use cloth_sim::partition::{Gather, Graph, Layout, Partition, Patches};
use cloth_sim::ranks::{Halo, in_process as ranks};
use common::springs::{cells, springs};
use sprs::CsMat;
use sprs::prod::mul_acc_mat_vec_csr;

const SIDE: u32 = 24;
const FIXED: [u32; 3] = [0, 23, 301];

fn graph() -> Graph {
    let cells: Vec<[u32; 4]> = cells(SIDE).collect();
    Graph::from_cliques((SIDE * SIDE) as usize, cells.iter().map(|cell| &cell[..]))
}

/// A pseudo-random number in -1..1.
fn noise(a: u32, b: u32) -> f64 {
    (f64::from(a) * 12.9898 + f64::from(b) * 78.233).sin()
}

fn spring(v: u32, w: u32) -> Mat3 {
    let (low, high) = (v.min(w), v.max(w));
    let along = Vec3::new(noise(low, high), noise(high, low), noise(low, low + high));
    along * along.transpose() + Mat3::identity() * 0.01
}

/// Where a vertex of the grid is, m.
fn position(v: u32) -> Vec3 {
    Vec3::new(f64::from(v % SIDE), noise(v, 4), f64::from(v / SIDE))
}

/// The right-hand side.
fn rhs(v: u32) -> Vec3 {
    Vec3::new(noise(v, 1), noise(v, 2), noise(v, 3))
}

/// The norm of `b - A x` over the free vertices, relative to that of `b`; `A` is the
/// sum of the rows of three ranks, multiplied by `sprs`.
fn relative_residual(graph: &Graph, patches: &Arc<Patches>, x: &[f64]) -> f64 {
    let partition = Partition::new(graph, patches.clone(), 3).unwrap();
    let size = 3 * graph.len();
    let mut residual: Vec<f64> =
        (0..graph.len() as u32).flat_map(|v| <[f64; 3]>::from(-rhs(v))).collect();
    let norm = |b: &[f64]| {
        let free = b.chunks(3).zip(0..).filter(|(_, v)| !FIXED.contains(v));
        free.flat_map(|(b, _)| b).map(|b| b * b).sum::<f64>().sqrt()
    };
    let reference = norm(&residual);
    let mut whole = CsMat::<f64>::zero((size, size));
    for rank in 0..partition.ranks {
        let layout = Layout::new(graph, &partition, rank);
        let rows: CsMat<f64> = springs(&layout, graph, 0.01, spring).to_triplets().to_csr();
        whole = &whole + &rows;
    }
    mul_acc_mat_vec_csr(whole.view(), x, &mut residual[..]);
    norm(&residual) / reference
}

/// Solves on all ranks of `partition`. Returns the bits of the solution in the numbering of the
/// mesh.
fn solve(
    graph: &Graph,
    partition: &Partition,
    threads: usize,
    kind: PreconditionerKind,
    flip: Option<u32>,
) -> (CgReport, Vec<u64>) {
    let positions: Vec<Vec3> = (0..SIDE * SIDE).map(position).collect();
    let results = ranks::run(partition.ranks, |world| {
        let layout = Layout::new(graph, partition, world.rank());
        let matrix = springs(&layout, graph, 0.01, spring);
        let threads = Threads::new(threads)?;
        let mesh = Mesh { layout: &layout, partition, graph, rest: &positions };
        let mut preconditioner = Preconditioner::new(kind, &matrix, &mesh);
        let mut rhs: Vec<Vec3> = layout.own.iter().map(|&v| rhs(v)).collect();
        if let Some(local) = flip.and_then(|vertex| layout.own_index(vertex)) {
            let component = &mut rhs[local as usize].y;
            *component = f64::from_bits(component.to_bits() ^ 1 << 40);
        }
        let mut fixed: Vec<u32> = FIXED.iter().filter_map(|&v| layout.own_index(v)).collect();
        fixed.sort_unstable();
        let mut x = vec![Vec3::zeros(); layout.own.len()];
        fixed.iter().for_each(|&row| x[row as usize] = Vec3::repeat(0.5));
        let mut system = System {
            world,
            threads: &threads,
            matrix: &matrix,
            couplings: &Couplings::default(),
            joined: &mut Joined::default(),
            halo: &mut Halo::new(layout.neighbours.clone()),
            preconditioner: &mut preconditioner,
            positions: &positions,
            masses: &vec![1.0; rhs.len()],
            fixed: &fixed,
            any_fixed: true,
        };
        let tolerance = Tolerance {
            relative_residual: 1e-8,
            velocity_m_per_s: f64::INFINITY,
            least_reference: 0.0,
            max_iterations: 500,
        };
        let report = CgWorkspace::new(&layout).solve(&mut system, &rhs, &mut x, tolerance)?;
        let mut mesh = vec![Vec3::zeros(); graph.len()];
        Gather::new(partition).to_all(world, &Threads::INLINE, &x, &mut mesh)?;
        Ok((report, mesh.iter().flatten().map(|x| x.to_bits()).collect::<Vec<u64>>()))
    });
    let mut results = results.unwrap();
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "ranks agree");
    results.swap_remove(0)
}

#[test]
fn same_bits_on_any_number_of_ranks_and_threads() {
    let graph = graph();
    let patches = Arc::new(Patches::new(&graph, from_ref(&(0..SIDE * SIDE)), 20).unwrap());
    for &kind in PreconditionerKind::ALL {
        let alone = Partition::new(&graph, patches.clone(), 1).unwrap();
        let (report, bits) = solve(&graph, &alone, 1, kind, None);
        assert!(report.converged() && report.iterations > 20);
        let solution: Vec<f64> = bits.iter().map(|&x| f64::from_bits(x)).collect();
        assert!(relative_residual(&graph, &patches, &solution) < 2e-8);
        for (ranks, threads) in [(1, 2), (2, 1), (3, 2), (4, 1), (7, 1), (40, 1)] {
            let partition = Partition::new(&graph, patches.clone(), ranks).unwrap();
            assert!(solve(&graph, &partition, threads, kind, None) == (report, bits.clone()));
        }
        // Patches go to the ranks in turn, so nearly every row needs a ghost.
        let dealt = (0..patches.len() as u32).map(|patch| patch % 3).collect();
        let partition = Partition { patches: patches.clone(), rank_of_patch: dealt, ranks: 3 };
        assert!(solve(&graph, &partition, 1, kind, None) == (report, bits.clone()));
        // The comparison finds one flipped bit on one rank. Iterations have single precision.
        assert!(solve(&graph, &partition, 1, kind, Some(200)).1 != bits);
    }
}
