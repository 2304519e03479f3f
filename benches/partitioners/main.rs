//! Partitioners on the shapes of Wretborn 2026: measures and times.
//!
//! `cargo bench --bench partitioners -- still|moving|scaling [cells per rank] [ranks]`, for example
//! `still 70000 2,4,8`. Without arguments all three run at a tenth of the paper's size.

mod shapes;

use std::time::Instant;

use cloth_sim::math::Vec3;
use cloth_sim::partition::methods::{
    Couplings, Hilbert, Metis, MetisKind, Partitioner, Power, PowerSettings, WeightedPoints,
    nearest_sites,
};
use cloth_sim::partition::{Buckets, Graph, measures};
use shapes::{Still, splash, turned_box};

const FRAMES: u32 = 24;

fn main() {
    // `cargo bench` adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let what = arguments.first().map_or("all", String::as_str);
    let per_rank = arguments.get(1).map_or(7_000, |text| text.parse().expect("cells per rank"));
    let ranks: Vec<usize> = arguments.get(2).map_or(vec![2, 4, 8, 16, 32], |text| {
        text.split(',').map(|rank| rank.parse().expect("ranks")).collect()
    });
    if ["all", "still"].contains(&what) {
        still(per_rank, &ranks);
    }
    if ["all", "moving"].contains(&what) {
        moving(per_rank, &ranks);
    }
    if ["all", "scaling"].contains(&what) {
        scaling();
    }
}

fn power(change: impl FnOnce(&mut PowerSettings)) -> Box<dyn Partitioner> {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    let mut settings = PowerSettings { threads, ..PowerSettings::default() };
    change(&mut settings);
    Box::new(Power::new(settings).expect("threads"))
}

/// Power as in the paper: one random start, offsets of a whole cell, Sinkhorn iterations alone.
fn published(settings: &mut PowerSettings) {
    settings.starts = 0;
    settings.offset = 1.0;
    settings.newton_steps = 0;
    settings.iterations = 2000;
    settings.calm = false;
    settings.far_limit = f64::INFINITY;
}

fn methods() -> Vec<(&'static str, Box<dyn Partitioner>)> {
    vec![
        ("METIS k-way", Box::new(Metis { kind: MetisKind::KWay })),
        ("METIS recursive", Box::new(Metis { kind: MetisKind::Recursive })),
        ("Hilbert", Box::new(Hilbert)),
        ("Power, published", power(published)),
        ("Power", power(|_| ())),
    ]
}

/// Cells with what methods need of them.
struct Domain {
    buckets: Buckets,
    centres: Vec<Vec3>,
    weights: Vec<f64>,
    graph: Graph,
}

impl Domain {
    fn new(buckets: Buckets) -> Self {
        let (centres, graph) = (buckets.centres(), buckets.graph());
        Self { weights: vec![1.0; centres.len()], buckets, centres, graph }
    }

    fn problem(&self) -> WeightedPoints<'_> {
        WeightedPoints {
            points: &self.centres,
            weights: &self.weights,
            spacing_m: self.buckets.spacing_m,
            graph: Some(Couplings { graph: &self.graph, weights: None }),
        }
    }

    /// The partition of an earlier domain on the cells of this one: new cells go to the part whose
    /// centre is nearest.
    fn extended(&self, earlier: &Self, part_of: &[u32], ranks: usize) -> Vec<u32> {
        let centres = part_centres(&earlier.centres, part_of, ranks);
        let part = |(cell, x): (&[i32; 3], &Vec3)| match earlier.buckets.find(*cell) {
            Some(old) => part_of[old as usize],
            None => nearest_sites(&centres, &[*x])[0],
        };
        self.buckets.cells().iter().zip(&self.centres).map(part).collect()
    }
}

fn part_centres(points: &[Vec3], part_of: &[u32], parts: usize) -> Vec<Vec3> {
    let mut sums = vec![(Vec3::zeros(), 0.0); parts];
    for (x, &part) in points.iter().zip(part_of) {
        sums[part as usize].0 += x;
        sums[part as usize].1 += 1.0;
    }
    sums.into_iter().map(|(sum, count)| sum / f64::max(count, 1.0)).collect()
}

fn timed(method: &mut dyn Partitioner, domain: &Domain, ranks: usize) -> (Vec<u32>, f64) {
    let start = Instant::now();
    let part_of = method.partition(&domain.problem(), ranks).expect("a partition");
    (part_of, start.elapsed().as_secs_f64())
}

fn still(per_rank: usize, ranks: &[usize]) {
    println!("| shape | ranks | cells | method | load | surface | pieces | time, s |");
    println!("|---|---|---|---|---|---|---|---|");
    for shape in Still::ALL {
        for &ranks in ranks {
            let domain = Domain::new(shape.buckets(per_rank * ranks));
            for (name, mut method) in methods() {
                let (part_of, time) = timed(&mut *method, &domain, ranks);
                let pieces = measures::connected_pieces(&domain.graph, &part_of, ranks);
                println!(
                    "| {} | {ranks} | {} | {name} | {:.4} | {:.4} | {} | {time:.3} |",
                    shape.name(),
                    domain.centres.len(),
                    measures::load_index(&part_of, &domain.weights, ranks),
                    measures::surface_index(&domain.graph, &part_of, ranks),
                    pieces.iter().max().unwrap_or(&0),
                );
            }
        }
    }
}

fn moving(per_rank: usize, ranks: &[usize]) {
    println!(
        "| case | ranks | method | worst load | mean surface | mean temporal | mean time, s |"
    );
    println!("|---|---|---|---|---|---|---|");
    for &ranks in ranks {
        let spacing = (1.2 * 0.6 * 0.4 / (per_rank * ranks) as f64).cbrt();
        let turn = |frame: u32| turned_box(spacing, 15.0 * f64::from(frame));
        moving_case("turning box", ranks, turn);
        moving_case("splash", ranks, |frame| splash(spacing * 0.8, frame));
    }
}

fn moving_case(case: &str, ranks: usize, frame: impl Fn(u32) -> Buckets) {
    let domains: Vec<Domain> = (0..FRAMES).map(|k| Domain::new(frame(k))).collect();
    for (name, mut method) in methods() {
        let (mut load, mut surface, mut temporal, mut time) = (0.0_f64, 0.0, 0.0, 0.0);
        let mut last: Option<(&Domain, Vec<u32>)> = None;
        for domain in &domains {
            let (part_of, seconds) = timed(&mut *method, domain, ranks);
            load = load.max(measures::load_index(&part_of, &domain.weights, ranks));
            surface += measures::surface_index(&domain.graph, &part_of, ranks);
            time += seconds;
            if let Some((earlier, before)) = last {
                let before = domain.extended(earlier, &before, ranks);
                temporal += measures::temporal_index(&before, &part_of);
            }
            last = Some((domain, part_of));
        }
        let frames = f64::from(FRAMES);
        println!(
            "| {case} | {ranks} | {name} | {load:.4} | {:.4} | {:.4} | {:.3} |",
            surface / frames,
            temporal / (frames - 1.0),
            time / frames
        );
    }
}

/// Time against cells and against ranks.
fn scaling() {
    println!(
        "| cells | ranks | Power, first call, s | Power, next call, s | load | METIS k-way, s |"
    );
    println!("|---|---|---|---|---|---|");
    let cells = [125_000, 250_000, 500_000, 1_000_000, 2_000_000].map(|cells| (cells, 32));
    let ranks = [8, 64, 128, 256, 512, 1024].map(|ranks| (500_000, ranks));
    for (cells, ranks) in cells.into_iter().chain(ranks) {
        let domain = Domain::new(Still::Waves.buckets(cells));
        let mut own = power(|_| ());
        let (part_of, first) = timed(&mut *own, &domain, ranks);
        let (_, next) = timed(&mut *own, &domain, ranks);
        let load = measures::load_index(&part_of, &domain.weights, ranks);
        let (_, metis) = timed(&mut Metis::default(), &domain, ranks);
        let count = domain.centres.len();
        println!("| {count} | {ranks} | {first:.3} | {next:.3} | {load:.4} | {metis:.3} |");
    }
}
