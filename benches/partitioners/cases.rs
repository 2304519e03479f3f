//! Cells with what methods need of them, and one call of a method.

use std::time::{Duration, Instant};

use cloth_sim::math::Vec3;
use cloth_sim::partition::methods::{Couplings, Partitioner, WeightedPoints, nearest_sites};
use cloth_sim::partition::{Buckets, Graph, measures};
use nix::time::{ClockId, clock_gettime};

use crate::shapes::{splash, turned_box};

pub const FRAMES: u32 = 24;

/// Degrees that the box turns from frame to frame.
pub const TURN_DEG: f64 = 15.0;

/// Cells that are divided.
pub struct Domain {
    pub buckets: Buckets,
    pub centres: Vec<Vec3>,
    pub weights: Vec<f64>,
    pub graph: Graph,
    /// Processor time to build the graph, which methods that use positions do not need, s.
    pub graph_s: f64,
}

/// What a method made, and how long it took.
pub struct Call {
    pub part_of: Vec<u32>,
    /// Wall time, s.
    pub wall_s: f64,
    /// Processor time of all threads, s.
    pub processor_s: f64,
}

/// The processor time of this process, s.
fn processor_s() -> f64 {
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).expect("a clock");
    Duration::from(time).as_secs_f64()
}

impl Domain {
    pub fn new(buckets: Buckets) -> Self {
        let start = processor_s();
        let graph = buckets.graph();
        let graph_s = processor_s() - start;
        let centres = buckets.centres();
        Self { weights: vec![1.0; centres.len()], buckets, centres, graph, graph_s }
    }

    pub fn problem(&self) -> WeightedPoints<'_> {
        WeightedPoints {
            points: &self.centres,
            weights: &self.weights,
            spacing_m: self.buckets.spacing_m,
            graph: Some(Couplings { graph: &self.graph, weights: None }),
        }
    }

    pub fn call(&self, method: &mut dyn Partitioner, ranks: usize) -> Call {
        let (start, processor) = (Instant::now(), processor_s());
        let part_of = method.partition(&self.problem(), ranks).expect("a partition");
        Call {
            part_of,
            wall_s: start.elapsed().as_secs_f64(),
            processor_s: processor_s() - processor,
        }
    }

    /// The partition of an earlier domain on the cells of this one: new cells go to the part whose
    /// centre is nearest.
    pub fn extended(&self, earlier: &Self, part_of: &[u32], ranks: usize) -> Vec<u32> {
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

/// The frames of the cases that move.
pub fn moving_cases(per_rank: usize, ranks: usize) -> Vec<(&'static str, Vec<Buckets>)> {
    let spacing = box_spacing(per_rank * ranks);
    let all = |frame: &dyn Fn(u32) -> Buckets| (0..FRAMES).map(frame).collect();
    vec![
        ("turning box", all(&|frame| turned_box(spacing, TURN_DEG * f64::from(frame)))),
        ("splash", all(&|frame| splash(spacing * 0.8, frame))),
    ]
}

/// The width of cells of which the box has `count`.
pub fn box_spacing(count: usize) -> f64 {
    (1.2 * 0.6 * 0.4 / count as f64).cbrt()
}

/// Measures of a method over the frames of a case.
#[derive(Debug, Default)]
pub struct Course {
    worst_load: f64,
    surface: f64,
    temporal: f64,
    time_s: f64,
    frames: f64,
}

impl Course {
    /// Adds a frame, with the partition of the frame before on its cells.
    pub fn add(
        &mut self,
        domain: &Domain,
        before: Option<&[u32]>,
        (part_of, time_s): (&[u32], f64),
        ranks: usize,
    ) {
        let load = measures::load_index(part_of, &domain.weights, ranks);
        self.worst_load = self.worst_load.max(load);
        self.surface += measures::surface_index(&domain.graph, part_of, ranks);
        self.temporal += before.map_or(0.0, |before| measures::temporal_index(before, part_of));
        self.time_s += time_s;
        self.frames += 1.0;
    }

    /// Worst load, mean surface, mean temporal index and mean time, as columns of a table.
    pub fn columns(&self) -> String {
        format!(
            "{:.4} | {:.4} | {:.4} | {:.3}",
            self.worst_load,
            self.surface / self.frames,
            self.temporal / (self.frames - 1.0),
            self.time_s / self.frames
        )
    }
}
