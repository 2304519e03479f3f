//! The linear solver on a sheet of 120 x 120 vertices: the matrix-vector product compared with a
//! memory copy, a solve with each preconditioner, and the cost of exact sums.
//!
//! `cargo bench --bench linalg`

#[path = "../tests/common/springs.rs"]
mod springs;

use std::hint::black_box;
use std::slice::from_ref;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cloth_core::linear::{
    BlockMatrix, CgWorkspace, Couplings, Joined, Mesh, Preconditioner, PreconditionerKind, Row,
    System, Tolerance, row,
};
use cloth_core::threads::Threads;
use cloth_sim::math::{Mat3, Vec3};
use cloth_sim::partition::{Graph, Layout, Partition, Patches};
use cloth_sim::ranks::{ExactSums, Halo, in_process as ranks};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use springs::{cells, springs};

const SIDE: u32 = 120;
const THREADS: [usize; 2] = [1, 2];

/// A crumpled cloth, 1.8 m wide and long in plan, of 0.2 kg/m^2 and E t = 500 N/m.
struct Sheet {
    graph: Graph,
    partition: Partition,
    layout: Layout,
    positions: Vec<Vec3>,
}

impl Sheet {
    fn new() -> Self {
        let faces: Vec<[u32; 3]> =
            cells(SIDE).flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        let vertices = SIDE * SIDE;
        let graph = Graph::from_cliques(vertices as usize, faces.iter().map(|f| &f[..]));
        let patches = Patches::new(&graph, from_ref(&(0..vertices)), 256).unwrap();
        let partition = Partition::new(&graph, Arc::new(patches), 1).unwrap();
        let layout = Layout::new(&graph, &partition, 0);
        let positions = (0..vertices).map(Self::position).collect();
        Self { graph, partition, layout, positions }
    }

    fn position(vertex: u32) -> Vec3 {
        let (x, y) = (f64::from(vertex % SIDE), f64::from(vertex / SIDE));
        let height = 2.0 * (0.31 * x + 0.05 * y).sin() + 1.5 * (0.23 * y - 0.1 * x).cos();
        Vec3::new(x, height, y) * EDGE
    }

    /// Mass and stretched springs of an implicit step of `h` seconds.
    fn matrix(&self, h: f64) -> BlockMatrix {
        let stiffness = h * h * 500.0;
        springs(&self.layout, &self.graph, 0.2 * EDGE * EDGE, |v, w| {
            let along = (Self::position(w) - Self::position(v)).normalize();
            along * along.transpose() * stiffness + Mat3::identity() * (0.003 * stiffness)
        })
    }
}

const EDGE: f64 = 0.015;

fn product(c: &mut Criterion) {
    let sheet = Sheet::new();
    let matrix = sheet.matrix(1e-3);
    let u: Vec<Row> = sheet.layout.own.iter().map(|&v| row(&Sheet::position(v))).collect();
    let mut w = u.clone();
    let bytes = matrix.bytes() + matrix.rows() * 2 * size_of::<Row>();

    let mut group = c.benchmark_group("product");
    group.throughput(Throughput::Bytes(bytes as u64));
    let from = vec![1u64; bytes / 16];
    let mut to = from.clone();
    group.bench_function("copy of as many bytes", |b| {
        b.iter(|| black_box(&mut to).copy_from_slice(black_box(&from)));
    });
    for count in THREADS {
        let threads = Threads::new(count).unwrap();
        group.bench_function(format!("{count} threads"), |b| {
            b.iter(|| matrix.multiply(&threads, black_box(&u), &mut w));
        });
    }
}

/// Seconds for `solves` solves to 1e-6 with their factorisations, and the iterations of one
/// solve.
fn time_solves(
    sheet: &Sheet,
    matrix: &BlockMatrix,
    kind: PreconditionerKind,
    threads: usize,
    solves: u64,
) -> (Duration, usize) {
    let tolerance = Tolerance {
        relative_residual: 1e-6,
        velocity_m_per_s: f64::INFINITY,
        least_reference: 0.0,
        max_iterations: 2000,
    };
    let bumps = |v: &u32| Sheet::position(*v).map(|x| (40.0 * x).sin());
    let rhs: Vec<Vec3> = sheet.layout.own.iter().map(bumps).collect();
    let timed = ranks::run(1, |world| {
        let threads = Threads::new(threads)?;
        let Sheet { graph, layout, partition, positions } = sheet;
        let mesh = Mesh { layout, partition, graph, rest: positions };
        let mut preconditioner = Preconditioner::new(kind, matrix, &mesh);
        let mut workspace = CgWorkspace::new(&sheet.layout);
        let mut halo = Halo::new(Vec::new());
        let (mut start, mut iterations) = (Instant::now(), 0);
        for solve in 0..=solves {
            if solve == 1 {
                start = Instant::now(); // the first one warms up
            }
            let (threads, halo, preconditioner) = (&threads, &mut halo, &mut preconditioner);
            let mut system = System {
                world,
                threads,
                matrix,
                couplings: &Couplings::default(),
                joined: &mut Joined::default(),
                halo,
                preconditioner,
                positions,
                masses: &vec![1.0; rhs.len()],
                fixed: &[],
                any_fixed: false,
            };
            let mut x = vec![Vec3::zeros(); rhs.len()];
            iterations = workspace.solve(&mut system, &rhs, &mut x, tolerance)?.iterations;
        }
        Ok((start.elapsed(), iterations))
    });
    timed.unwrap()[0]
}

fn solve(c: &mut Criterion) {
    let sheet = Sheet::new();
    let mut group = c.benchmark_group("solve to 1e-6");
    for milliseconds in [1, 4, 10] {
        let matrix = sheet.matrix(1e-3 * f64::from(milliseconds));
        let kinds = PreconditionerKind::ALL.iter();
        for (&kind, threads) in kinds.flat_map(|k| THREADS.map(|t| (k, t))) {
            let (_, iterations) = time_solves(&sheet, &matrix, kind, threads, 0);
            let name = format!("{milliseconds} ms, {kind:?}, {iterations} it., {threads} threads");
            group.bench_function(name, |b| {
                b.iter_custom(|solves| time_solves(&sheet, &matrix, kind, threads, solves).0);
            });
        }
    }
}

fn sums(c: &mut Criterion) {
    let parts: Vec<[f64; 3]> =
        (0..56).map(|i| [1.0, 1e-3, 1e-9].map(|x| x * (1.0 + f64::from(i).sin()))).collect();
    let mut group = c.benchmark_group("three sums over 56 patches");
    group.bench_function("plain", |b| {
        b.iter(|| {
            let add = |s: [f64; 3], p: &[f64; 3]| [s[0] + p[0], s[1] + p[1], s[2] + p[2]];
            black_box(&parts).iter().fold([0.0; 3], add)
        });
    });
    group.bench_function("exact", |b| {
        b.iter(|| {
            let mut sums = ExactSums::default();
            black_box(&parts).iter().for_each(|&part| sums.add(part));
            sums.values()
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = product, solve, sums
}
criterion_main!(benches);
