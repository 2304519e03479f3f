//! The budget of a step: the time of each phase beside its floor.
//!
//! The floor is the time in which as many cores copy the bytes that the phase must read or write at
//! the least. Data that stay in a cache may be faster, and a phase that computes much is slower: a
//! ratio far above 2 says that computing or waiting sets the pace, not memory.
//!
//! `cargo bench --bench budget -- [SCENE [REFINE [STEPS_PER_FRAME [SECONDS]]]]`

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use cloth_core::threads::{Blocks, Threads};
use cloth_sim::error::Result;
use cloth_sim::ranks::in_process as ranks;
use cloth_sim::scene;
use cloth_sim::step::{Counter, Model, Phase, Simulation, StepReport, StepsPerFrame};

/// Bytes of a vector in double and in single precision.
const VECTOR: f64 = 24.0;
const ROW: f64 = 16.0;
/// Of the bounds of a vertex or node.
const BOUNDS: f64 = 72.0;
/// Of a pair, and of both ends of the paths of its vertices.
const PAIR: f64 = 20.0 + 8.0 * VECTOR;
/// Of the constants of a triangle and of a hinge.
const TRIANGLE: f64 = 64.0;
const HINGE: f64 = 48.0;

/// Sizes of a scene.
struct Sizes {
    vertices: f64,
    faces: f64,
    edges: f64,
    /// What a product reads of the matrix.
    matrix: f64,
}

impl Sizes {
    /// The least number of bytes that `phase` moves in the steps of `report`.
    fn bytes(&self, phase: Phase, steps: f64, report: &StepReport) -> f64 {
        let Self { vertices, faces, edges, matrix } = *self;
        let count = |counter| report.get(counter) as f64;
        let elements = TRIANGLE * faces + HINGE * edges;
        let candidates = PAIR * count(Counter::Candidates);
        let solves = count(Counter::Solves) + count(Counter::Repairs);
        match phase {
            Phase::Predict => steps * vertices * 5.0 * VECTOR,
            // A leaf has eight faces.
            Phase::Refit => {
                steps * (vertices * (2.0 * VECTOR + 2.0 * BOUNDS) + faces / 4.0 * BOUNDS)
            }
            Phase::Tests => count(Counter::Tests) * 2.0 * BOUNDS + candidates,
            Phase::Contacts | Phase::Response | Phase::FailSafe => candidates,
            Phase::Assembly => solves * (matrix + elements + vertices * 3.0 * VECTOR),
            // Eleven reads and writes of vectors in the update, three in the product. The residual
            // is found twice.
            Phase::Solve => {
                count(Counter::CgIterations) * (matrix + vertices * 14.0 * ROW)
                    + solves * 2.0 * (matrix + vertices * 3.0 * VECTOR)
            }
            Phase::AllGather => solves * vertices * 3.0 * VECTOR,
            Phase::Advance => solves * (elements + vertices * 4.0 * VECTOR),
            Phase::Combination => 0.0,
        }
    }
}

/// Bytes that `threads` read and write in a second while they copy an array of `bytes`.
fn bandwidth(threads: &Threads, bytes: f64) -> f64 {
    const WORDS: usize = 4096;
    let from = vec![1_u64; bytes as usize / 8];
    let mut to = from.clone();
    let mut seconds = f64::INFINITY;
    for _ in 0..30 {
        let start = Instant::now();
        let items = Blocks { items: &mut to, size: WORDS };
        threads.for_each_patch(items, 4, |block, to| {
            let from = &from[block * WORDS..][..to.items.len()];
            black_box(to.items).copy_from_slice(black_box(from));
        });
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }
    2.0 * 8.0 * from.len() as f64 / seconds
}

fn main() -> Result<()> {
    // Cargo adds `--bench`.
    let words: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<f64>().ok());
    let path = Path::new(words.first().map_or("scenes/tablecloth.ron", |word| word));
    let mut scene = scene::load(path)?;
    scene.refine = number(1).map_or(scene.refine, |it| it as u32);
    scene.steps_per_frame =
        number(2).map_or(scene.steps_per_frame, |it| StepsPerFrame::Equal(it as u32));
    let seconds = number(3).unwrap_or(0.6);
    let setup = scene::build(&scene, path.parent().unwrap_or(Path::new(".")))?;
    let model = Arc::new(Model::new(scene.settings(), setup, |build| build(1))?);
    let steps =
        (seconds * scene.frames_per_second * f64::from(scene.steps_per_frame.at_most())).round();
    for count in [1, std::thread::available_parallelism().map_or(1, usize::from)] {
        let mut measured = ranks::run(1, |world| {
            let mut simulation = Simulation::new(model.clone(), world, count)?;
            let mut sum = StepReport::default();
            for _ in 0..steps as usize {
                let report = simulation.step()?;
                sum.seconds.iter_mut().zip(report.seconds).for_each(|(sum, s)| *sum += s);
                sum.counts.iter_mut().zip(report.counts).for_each(|(sum, c)| *sum += c);
            }
            Ok((sum, simulation.system().system().0.bytes() as f64))
        })?;
        let (report, matrix) = measured.swap_remove(0);
        let sizes = Sizes {
            vertices: model.initial.len() as f64,
            faces: model.cloth.faces.len() as f64,
            edges: model.edges.len() as f64,
            matrix,
        };
        let bandwidth = bandwidth(&Threads::new(count)?, matrix);
        let copied = format!("{:.1} GB/s copied", bandwidth * 1e-9);
        println!("{} threads, {steps} steps, {} vertices, {copied}\n", count, sizes.vertices);
        println!("| phase | floor, ms a step | now | ratio |\n|---|---|---|---|");
        for &phase in Phase::ALL {
            let floor = 1e3 * sizes.bytes(phase, steps, &report) / bandwidth / steps;
            let now = 1e3 * report.seconds(phase) / steps;
            let ratio = if floor > 0.0 { format!("{:.1}", now / floor) } else { "-".to_owned() };
            println!("| {} | {floor:.3} | {now:.3} | {ratio} |", phase.name());
        }
        println!();
    }
    Ok(())
}
