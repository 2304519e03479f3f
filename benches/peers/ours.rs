//! Times this solver on a system in Matrix Market form (`examples/matrix_market.rs`). The task is
//! that of `petsc.c`: solve from zero to `|r| <= 1e-6 |b|`, factorisation included.
//!
//! Without a launcher it uses 1 and 2 in-process ranks with 1 and 2 threads. Under `mpirun`
//! (built with `--features mpi`) it uses one thread for each rank.
//!
//! `peer_ours FOLDER`

use std::collections::BTreeMap;
use std::fs::read_to_string;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use cloth_core::linear::{
    BlockMatrix, CgReport, CgWorkspace, Couplings, Mesh, Preconditioner, PreconditionerKind,
    System, Tolerance,
};
use cloth_core::threads::Threads;
use cloth_sim::error::{Error, Result};
use cloth_sim::math::{Mat3, Vec3};
use cloth_sim::partition::{Graph, Layout, Partition, Patches};
use cloth_sim::ranks::launch::{self, Launch};
use cloth_sim::ranks::{Halo, World, in_process as ranks, message};
use sprs::TriMat;
use sprs::io::read_matrix_market;

const REPEATS: usize = 31;

/// A matrix of 3x3 blocks and a right-hand side in the mesh's own numbering.
struct Problem {
    blocks: BTreeMap<(u32, u32), Mat3>,
    rhs: Vec<Vec3>,
    /// Of the vertices, m.
    positions: Vec<Vec3>,
    graph: Graph,
}

impl Problem {
    fn read(folder: &Path) -> Result<Self> {
        let vectors = |file: &str| -> Result<Vec<Vec3>> {
            let numbers = numbers(&folder.join(file))?;
            Ok(numbers.chunks_exact(3).map(Vec3::from_column_slice).collect())
        };
        let (rhs, positions) = (vectors("rhs.mtx")?, vectors("positions.mtx")?);
        let mut blocks: BTreeMap<(u32, u32), Mat3> = BTreeMap::new();
        let path = folder.join("matrix.mtx");
        let matrix: TriMat<f64> =
            read_matrix_market(&path).map_err(|cause| Error::file(&path, cause, HELP))?;
        for (&value, (row, column)) in matrix.triplet_iter() {
            let block = blocks.entry(((row / 3) as u32, (column / 3) as u32)).or_default();
            block[(row % 3, column % 3)] = value;
        }
        let pairs: Vec<[u32; 2]> = blocks.keys().map(|&(row, column)| [row, column]).collect();
        let graph = Graph::from_cliques(rhs.len(), pairs.iter().map(|pair| &pair[..]));
        Ok(Self { blocks, rhs, positions, graph })
    }

    fn partition(&self, ranks: usize) -> Result<Partition> {
        let vertices = 0..self.rhs.len() as u32;
        let patches = Patches::new(&self.graph, std::slice::from_ref(&vertices), 256)?;
        Partition::new(&self.graph, Arc::new(patches), ranks)
    }

    fn matrix(&self, layout: &Layout) -> Result<BlockMatrix> {
        BlockMatrix::of_blocks(layout, &self.graph, |row, column| {
            self.blocks.get(&(row, column)).copied().unwrap_or_default()
        })
    }
}

const HELP: &str = "write it with the example matrix_market";

/// All numbers of a dense Matrix Market file after its line of sizes.
fn numbers(path: &Path) -> Result<Vec<f64>> {
    let text = read_to_string(path).map_err(|cause| Error::file(path, cause, HELP))?;
    let body = text.lines().filter(|line| !line.starts_with('%')).skip(1);
    body.flat_map(str::split_whitespace)
        .map(|number| {
            number.parse().map_err(|_| {
                Error::input(path.display().to_string(), format!("`{number}` is no number"), HELP)
            })
        })
        .collect()
}

/// Best and median time of the slowest rank over all solves, ms, and the report of a solve.
fn solve(
    world: &dyn World,
    threads: &Threads,
    problem: &Problem,
    partition: &Partition,
    kind: PreconditionerKind,
) -> Result<(f64, f64, CgReport)> {
    let tolerance = Tolerance {
        relative_residual: 1e-6,
        velocity_m_per_s: f64::INFINITY,
        least_reference: 0.0,
        max_iterations: 2000,
    };
    let layout = Layout::new(&problem.graph, partition, world.rank());
    let matrix = &problem.matrix(&layout)?;
    let rhs: Vec<Vec3> = layout.own.iter().map(|&v| problem.rhs[v as usize]).collect();
    let positions = &problem.positions[..];
    let mesh = Mesh { layout: &layout, partition, graph: &problem.graph, rest: positions };
    let mut preconditioner = Preconditioner::new(kind, matrix, &mesh);
    let mut workspace = CgWorkspace::new(&layout);
    let mut halo = Halo::new(layout.neighbours.clone());
    let mut repeat = || -> Result<(f64, CgReport)> {
        world.all_reduce_sum(&mut [0])?; // all start together
        let start = Instant::now();
        let (halo, preconditioner) = (&mut halo, &mut preconditioner);
        let (couplings, fixed, any_fixed) = (&Couplings::default(), &[][..], false);
        let masses = &vec![1.0; rhs.len()];
        let mut system = System {
            world,
            threads,
            matrix,
            couplings,
            joined: &mut Default::default(),
            halo,
            preconditioner,
            positions,
            masses,
            fixed,
            any_fixed,
        };
        let mut x = vec![Vec3::zeros(); rhs.len()];
        let report = workspace.solve(&mut system, &rhs, &mut x, tolerance)?;
        let times = message::all_gather_v(world, &[start.elapsed().as_secs_f64()])?;
        Ok((times.into_iter().fold(0.0, f64::max) * 1e3, report))
    };
    repeat()?; // warms up
    let runs = (0..REPEATS).map(|_| repeat()).collect::<Result<Vec<_>>>()?;
    let mut times: Vec<f64> = runs.iter().map(|(time, _)| *time).collect();
    times.sort_unstable_by(f64::total_cmp);
    Ok((times[0], times[REPEATS / 2], runs[0].1))
}

fn print_rows(
    world: &dyn World,
    transport: &str,
    threads: usize,
    problem: &Problem,
    partition: &Partition,
) -> Result<()> {
    let pool = Threads::new(threads)?;
    for &kind in PreconditionerKind::ALL {
        let (best, median, report) = solve(world, &pool, problem, partition, kind)?;
        if world.rank() == 0 {
            let residual = report.final_residual / report.reference;
            println!(
                "| ours, {kind:?} | {transport} | {} | {threads} | {} | {best:.2} | {median:.2} | {residual:.1e} |",
                world.size(),
                report.iterations
            );
        }
    }
    Ok(())
}

#[cfg(feature = "mpi")]
fn under_mpi(problem: &Problem) -> Result<()> {
    cloth_mpi::run_mpi(|world| {
        let partition = Partition::shared(world, || problem.partition(world.size()))?;
        print_rows(world, "MPI", 1, problem, &partition)
    })
}

#[cfg(not(feature = "mpi"))]
fn under_mpi(_: &Problem) -> Result<()> {
    Err(Error::input("mpirun", "built without MPI", "build it with --features mpi"))
}

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).unwrap_or("out/matrix_market".into());
    let problem = Problem::read(Path::new(&folder))?;
    if Launch::find(launch::environment).is_some() {
        return under_mpi(&problem);
    }
    for (count, threads) in [(1, 1), (2, 1), (1, 2)] {
        let partition = problem.partition(count)?;
        ranks::run(count, |world| print_rows(world, "in process", threads, &problem, &partition))?;
    }
    Ok(())
}
