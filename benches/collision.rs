//! Speed of collision detection on one thread, with and without culling of flat regions. A disc of
//! 14,161 vertices and 27,848 faces (about the tablecloth) is tested against a sphere of 4,096
//! faces and against itself. `collect` executes the tests on one stack. `tasks` executes the same
//! tests on one processor that cuts its stack into tasks and keeps a pool.
//!
//! `cargo bench --bench collision`

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};
use std::hint::black_box;
use std::time::{Duration, Instant};

use cloth_collision::candidates::{SearchProcessors, SweptSurfaces, collect_shared};
use cloth_collision::collision::{CandidateFinder, Moves, Surface, Surfaces, Sweep, with_culling};
use cloth_collision::stealing::{RankThreads, StealingSettings};
use cloth_core::threads::Threads;
use cloth_sim::ids::PatchId;
use cloth_sim::math::Vec3;
use cloth_sim::mesh::{Mesh, Topology};
use cloth_sim::ranks::in_process as ranks;
use criterion::{Criterion, criterion_group, criterion_main};

/// Vertices along a side of the grid that becomes the disc.
const SIDE: u32 = 119;
const SPHERE_RADIUS_M: f64 = 1.0 / 3.0;
/// Distance up to which candidates are searched, m.
const RADIUS_M: f64 = 2e-3;

/// A disc of radius 1 m in the plane y = 0 (concentric map of a square grid).
fn disc() -> Mesh {
    let position = |v: u32| {
        let along = |i: u32| 2.0 * f64::from(i) / f64::from(SIDE - 1) - 1.0;
        let (a, b) = (along(v % SIDE), along(v / SIDE));
        let (radius, angle) = match () {
            () if a == 0.0 && b == 0.0 => (0.0, 0.0),
            () if a.abs() >= b.abs() => (a, FRAC_PI_4 * b / a),
            () => (b, FRAC_PI_2 - FRAC_PI_4 * a / b),
        };
        Vec3::new(radius * angle.cos(), 0.0, radius * angle.sin())
    };
    let corners = (0..SIDE * (SIDE - 1)).filter(|v| v % SIDE + 1 < SIDE);
    let faces = corners.flat_map(|v| [[v, v + SIDE, v + 1], [v + 1, v + SIDE, v + SIDE + 1]]);
    Mesh { positions: (0..SIDE * SIDE).map(position).collect(), faces: faces.collect() }
}

/// A sphere of meridians and parallels.
fn sphere() -> Mesh {
    const PARALLELS: u32 = 32;
    const MERIDIANS: u32 = 64;
    let ring = |j: u32, i: u32| {
        let (polar, angle) = (PI * f64::from(j) / 33.0, TAU * f64::from(i) / f64::from(MERIDIANS));
        Vec3::new(polar.sin() * angle.cos(), polar.cos(), polar.sin() * angle.sin())
    };
    let mut positions = vec![Vec3::y(), -Vec3::y()];
    let mut faces = Vec::new();
    for j in 0..PARALLELS {
        positions.extend((0..MERIDIANS).map(|i| ring(j + 1, i)));
    }
    for i in 0..MERIDIANS {
        let vertex = |j: u32, i: u32| 2 + j * MERIDIANS + i % MERIDIANS;
        faces.push([0, vertex(0, i + 1), vertex(0, i)]);
        faces.push([1, vertex(PARALLELS - 1, i), vertex(PARALLELS - 1, i + 1)]);
        for j in 0..PARALLELS - 1 {
            let [a, b] = [vertex(j, i), vertex(j, i + 1)];
            let [c, d] = [vertex(j + 1, i), vertex(j + 1, i + 1)];
            faces.extend([[a, b, c], [c, b, d]]);
        }
    }
    positions.iter_mut().for_each(|x| *x *= SPHERE_RADIUS_M);
    Mesh { positions, faces }
}

/// Position of a point of the disc if the disc lies 1 mm above the sphere down to the equator
/// and hangs from there.
fn draped(x: &Vec3) -> Vec3 {
    let (radius, along) = (SPHERE_RADIUS_M + 1e-3, (x.x * x.x + x.z * x.z).sqrt());
    let angle = (along / radius).min(FRAC_PI_2);
    let out = if along > 0.0 { radius * angle.sin() / along } else { 0.0 };
    let below = (along - radius * FRAC_PI_2).max(0.0);
    Vec3::new(out * x.x, radius * angle.cos() - below, out * x.z)
}

struct Bench {
    surfaces: Surfaces,
    patches: Vec<PatchId>,
    /// The flat disc, a metre above the sphere's centre, then the sphere.
    apart: Vec<Vec3>,
    /// The draped disc, then the sphere.
    draped: Vec<Vec3>,
}

impl Bench {
    fn new(culling: bool) -> Self {
        let (disc, sphere) = (disc(), sphere());
        // Squares of 15 x 15 grid points.
        let patch_of: Vec<PatchId> =
            (0..SIDE * SIDE).map(|v| v % SIDE / 15 + 8 * (v / SIDE / 15)).collect();
        let surface = |first, mesh: &Mesh, parts, moves| {
            let topology = Topology::new(&mesh.faces).expect("a manifold mesh");
            Surface::new(first, &mesh.faces, &topology, &mesh.positions, parts, moves)
        };
        let cloth = surface(0, &disc, Some((patch_of.as_slice(), 64)), Moves::Deforms);
        let list = vec![
            if culling { with_culling(cloth, &disc.positions) } else { cloth },
            surface(SIDE * SIDE, &sphere, None, Moves::Prescribed),
        ];
        let with_sphere = |place: &dyn Fn(&Vec3) -> Vec3| {
            disc.positions.iter().map(place).chain(sphere.positions.iter().copied()).collect()
        };
        Self {
            surfaces: Surfaces::new(list),
            patches: (0..64).collect(),
            apart: with_sphere(&|x| x + Vec3::y()),
            draped: with_sphere(&draped),
        }
    }
}

/// Time that the searches take on one processor that cuts tasks.
fn with_tasks((surfaces, patches): (&Surfaces, &[PatchId]), sweep: &Sweep, count: u64) -> Duration {
    let took = ranks::run(1, |world| {
        let threads = Threads::new(1)?;
        let mut processors = SearchProcessors::new(&StealingSettings::default(), &threads, world);
        let (mut finder, mut roots) = (CandidateFinder::new(surfaces), Vec::new());
        finder.refit(&threads, surfaces, sweep);
        let mut search = || {
            finder.root_tests(&Threads::INLINE, surfaces, sweep, patches, &mut roots);
            let here = RankThreads { world, threads: &threads };
            let over = SweptSurfaces { surfaces, sweep };
            collect_shared(here, &mut processors, &mut finder, over, &mut roots)
        };
        search()?;
        let start = Instant::now();
        for _ in 0..count {
            search()?;
        }
        Ok(start.elapsed())
    });
    took.expect("one rank does not fail")[0]
}

fn collision(criterion: &mut Criterion) {
    criterion.bench_function("culling/prepare", |bencher| bencher.iter(|| Bench::new(true)));
    for (culling, suffix) in [(false, ""), (true, "/culled")] {
        let Bench { surfaces, patches, apart, draped } = Bench::new(culling);
        let threads = Threads::new(1).expect("the calling thread");
        let mut finder = CandidateFinder::new(&surfaces);
        let mut roots = Vec::new();
        for (name, x) in [("apart", &apart), ("draped", &draped)] {
            let sweep = Sweep { x0: x, x1: x, radius: RADIUS_M, radii: Default::default() };
            // Also if only some benchmarks are selected.
            finder.refit(&threads, &surfaces, &sweep);
            criterion.bench_function(&format!("refit/{name}{suffix}"), |bencher| {
                bencher.iter(|| finder.refit(&threads, &surfaces, black_box(&sweep)));
            });
            let mut collect = || {
                let sweep = black_box(&sweep);
                let mut counters =
                    finder.root_tests(&Threads::INLINE, &surfaces, sweep, &patches, &mut roots);
                counters.add(&finder.collect(&surfaces, sweep, roots.iter().copied()));
                counters
            };
            let counters = collect();
            println!("{name}: {} tests, {} candidates", counters.tests, counters.candidates);
            criterion.bench_function(&format!("collect/{name}{suffix}"), |bencher| {
                bencher.iter(&mut collect);
            });
            criterion.bench_function(&format!("tasks/{name}{suffix}"), |bencher| {
                let all = (&surfaces, patches.as_slice());
                bencher.iter_custom(|count| with_tasks(all, black_box(&sweep), count));
            });
        }
    }
}

criterion_group!(benches, collision);
criterion_main!(benches);
