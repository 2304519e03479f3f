//! One step of the tablecloth on the sphere, 0.3 s after its release: its phases on one core, on
//! two threads and on two ranks, the matrix-vector product compared with a memory copy, and the
//! cost of reproducible sums.
//!
//! `cargo bench --bench step`; notebook/performance.md has the figures.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cloth_core::linear::{Row, row};
use cloth_core::threads::Threads;
use cloth_sim::bodies::Setup;
use cloth_sim::error::Result;
use cloth_sim::math::Vec3;
use cloth_sim::ranks::{ExactSums, World, in_process as ranks};
use cloth_sim::scene;
use cloth_sim::scene::Scene;
use cloth_sim::step::{Counter, Model, Phase, Simulation, StepReport};
use criterion::Criterion;

const SCENE: &str = "scenes/tablecloth.ron";
const STEPS: usize = 150;
/// Number of ranks, and threads of each rank.
const PLACES: [(usize, usize); 3] = [(1, 1), (1, 2), (2, 1)];
/// Parts of a sum: one for each patch of the tablecloth.
const PATCHES: usize = 55;

/// The tablecloth on the sphere.
struct Draped {
    scene: Scene,
    setup: Setup,
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
}

impl Draped {
    fn new() -> Result<Self> {
        let scene = scene::load(Path::new(SCENE))?;
        let setup = scene::build(&scene, Path::new("scenes"))?;
        let mut draped = Self { scene, setup, positions: Vec::new(), velocities: Vec::new() };
        let model = draped.model(1)?;
        let motions = ranks::run(1, |world| {
            let mut simulation = Simulation::new(model.clone(), world, 2)?;
            for _ in 0..STEPS {
                simulation.step()?;
            }
            Ok((simulation.positions().to_vec(), simulation.velocities().to_vec()))
        })?;
        for (positions, velocities) in motions {
            (draped.positions, draped.velocities) = (positions, velocities);
        }
        Ok(draped)
    }

    fn model(&self, ranks: usize) -> Result<Arc<Model>> {
        let model = Model::new(self.scene.settings(), self.setup.clone(), |build| build(ranks))?;
        Ok(Arc::new(model))
    }

    /// Calls `measure` on every rank with a simulation that has done this step twice. Returns the
    /// slowest rank's answer.
    fn on_ranks(
        &self,
        model: &Arc<Model>,
        threads: usize,
        measure: impl Fn(&Self, &mut Simulation) -> Result<Duration> + Sync,
    ) -> Result<Duration> {
        let times = ranks::run(model.partition.ranks, |world| {
            let mut simulation = Simulation::new(model.clone(), world, threads)?;
            self.step(&mut simulation)?;
            self.step(&mut simulation)?;
            measure(self, &mut simulation)
        })?;
        Ok(times.into_iter().max().unwrap_or_default())
    }

    /// The same step every time.
    fn step(&self, simulation: &mut Simulation) -> Result<StepReport> {
        simulation.set_motion(&self.positions, &self.velocities)?;
        simulation.step()
    }
}

type Part = (&'static str, fn(Phase) -> bool);

const PARTS: [Part; 4] = [
    ("assembly", |phase| phase == Phase::Assembly),
    ("solve", |phase| phase == Phase::Solve),
    ("physical modelling", Phase::is_physical_modelling),
    ("whole step", |_| true),
];

fn phases(c: &mut Criterion, draped: &Draped) -> Result<()> {
    for (count, threads) in PLACES {
        let model = draped.model(count)?;
        let mut group = c.benchmark_group(format!("step, {count} ranks x {threads} threads"));
        for (name, belongs) in PARTS {
            let measure = |steps: u64| {
                draped.on_ranks(&model, threads, |draped, simulation| {
                    let mut seconds = 0.0;
                    for _ in 0..steps {
                        let report = draped.step(simulation)?;
                        let of_part = Phase::ALL.iter().filter(|&&phase| belongs(phase));
                        seconds += of_part.map(|&phase| report.seconds(phase)).sum::<f64>();
                    }
                    Ok(Duration::from_secs_f64(seconds))
                })
            };
            group.bench_function(name, |b| b.iter_custom(|steps| measure(steps).unwrap()));
        }
    }
    Ok(())
}

/// The product `w = A u`.
fn product(c: &mut Criterion, draped: &Draped) -> Result<()> {
    let model = draped.model(1)?;
    let mut group = c.benchmark_group("matrix-vector product");
    for threads in [1, 2] {
        let measure = |products: u64| {
            draped.on_ranks(&model, threads, |draped, simulation| {
                let matrix = simulation.system().system().0;
                let own = &simulation.layout().own;
                let u: Vec<Row> =
                    own.iter().map(|&v| row(&draped.velocities[v as usize])).collect();
                let mut w = u.clone();
                let threads = Threads::new(threads)?;
                let start = Instant::now();
                for _ in 0..products {
                    matrix.multiply(&threads, black_box(&u), black_box(&mut w));
                }
                Ok(start.elapsed())
            })
        };
        group.bench_function(format!("{threads} threads"), |b| {
            b.iter_custom(|products| measure(products).unwrap());
        });
    }

    Ok(())
}

/// The three sums of a CG iteration, from the patches' parts to all ranks. Plain sums are sent as
/// integers of as many bytes as the floating-point numbers.
fn reductions(c: &mut Criterion) -> Result<()> {
    let parts: Vec<[f64; 3]> =
        (0..PATCHES).map(|i| [1.0, 1e-3, 1e-9].map(|x| x * (1.5 + (i as f64).sin()))).collect();
    let plain = |world: &dyn World, parts: &[[f64; 3]]| {
        let add = |s: [f64; 3], p: &[f64; 3]| [s[0] + p[0], s[1] + p[1], s[2] + p[2]];
        let mut sums = parts.iter().fold([0.0; 3], add).map(|sum| sum as i64);
        world.all_reduce_sum(&mut sums).map(|()| sums.map(|sum| sum as f64))
    };
    let reproducible = |world: &dyn World, parts: &[[f64; 3]]| {
        let mut sums = ExactSums::default();
        parts.iter().for_each(|&part| sums.add(part));
        sums.all_reduce(world)
    };
    type Reduction<'a> = &'a (dyn Fn(&dyn World, &[[f64; 3]]) -> Result<[f64; 3]> + Sync);
    let kinds: [(&str, Reduction); 2] = [("plain", &plain), ("reproducible", &reproducible)];

    let mut group = c.benchmark_group("three sums over 55 patches");
    for count in [1, 2] {
        for (name, reduce) in kinds {
            let measure = |sums: u64| {
                ranks::run(count, |world| {
                    let mine = &parts[..PATCHES / count];
                    let start = Instant::now();
                    for _ in 0..sums {
                        black_box(reduce(world, black_box(mine))?);
                    }
                    Ok(start.elapsed())
                })
            };
            group.bench_function(format!("{name}, {count} ranks"), |b| {
                b.iter_custom(|sums| measure(sums).unwrap()[0]);
            });
        }
    }
    Ok(())
}

fn main() -> Result<()> {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(4))
        .configure_from_args();
    let draped = Draped::new()?;
    ranks::run(1, |world| {
        let mut simulation = Simulation::new(draped.model(1)?, world, 1)?;
        let report = draped.step(&mut simulation)?;
        let (iterations, pairs) =
            (report.get(Counter::CgIterations), report.get(Counter::ProximityPairs));
        println!("the step: {iterations} CG iterations, {pairs} contacts");
        Ok(())
    })?;
    phases(&mut criterion, &draped)?;
    product(&mut criterion, &draped)?;
    reductions(&mut criterion)?;
    criterion.final_summary();
    Ok(())
}
