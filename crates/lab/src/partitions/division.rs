//! One division of a cloth among ranks, and its measures.

use cloth_core::error::Result;
use cloth_core::ids::VertexId;
use cloth_core::partition::methods::{Method, PartitionSettings, Partitioner, WeightedPoints};
use cloth_core::partition::{Layout, Partition, measures};
use cloth_sim::observe::thread_time;

use crate::partitions::DividedCloth;

/// The division of a cloth by one method among some ranks.
pub struct Division {
    /// The method.
    pub method: Method,
    /// The rank of each vertex.
    pub rank_of_vertex: Vec<u32>,
    /// Each rank.
    pub ranks: Vec<Share>,
    /// `max_r |W_r / L - 1|`, as in `run.json`.
    pub load_index: f64,
    /// `max_r (ghosts of r / owned by r)`, as in `run.json`.
    pub surface_index: f64,
    /// Coupled pairs of vertices with two owners.
    pub cut: u64,
    /// Processor time of the method, s.
    pub time_s: f64,
}

/// What one rank owns and needs.
pub struct Share {
    /// Its patches.
    pub patches: usize,
    /// Its vertices.
    pub vertices: usize,
    /// Vertices of other ranks to which its own vertices couple.
    pub ghosts: usize,
    /// Ranks that own its ghosts.
    pub neighbours: usize,
    /// Connected parts of its vertices.
    pub pieces: u32,
}

impl Division {
    /// Divides `cloth` among `ranks` ranks by `method`, like a run does, and measures the result.
    ///
    /// # Errors
    /// The errors of the method.
    pub fn new(cloth: &DividedCloth, method: Method, ranks: usize) -> Result<Self> {
        let settings = PartitionSettings { method, ..cloth.settings };
        let mut timed = Timed { method: settings.build()?, time_s: 0.0 };
        let (graph, patches) = (&cloth.model.graph, &cloth.model.partition.patches);
        let positions = &cloth.model.initial;
        let partition =
            Partition::divided_by(&mut timed, graph, patches.clone(), ranks, positions)?;
        let vertices = 0..patches.of_vertex.len() as VertexId;
        let rank_of_vertex = Vec::from_iter(vertices.map(|v| partition.rank_of_vertex(v)));
        let pieces = measures::connected_pieces(graph, &rank_of_vertex, ranks);
        let share = |(rank, pieces)| {
            let layout = Layout::new(graph, &partition, rank);
            Share {
                patches: layout.own_patches.len(),
                vertices: layout.own.len(),
                ghosts: layout.ghosts.len(),
                neighbours: layout.neighbours.len(),
                pieces,
            }
        };
        Ok(Self {
            method,
            ranks: pieces.into_iter().enumerate().map(share).collect(),
            load_index: partition.load_index(&patches.work()),
            surface_index: partition.surface_index(graph),
            cut: measures::cut(graph, &rank_of_vertex),
            rank_of_vertex,
            time_s: timed.time_s,
        })
    }

    /// Ghosts of all ranks.
    pub fn ghosts(&self) -> usize {
        self.ranks.iter().map(|share| share.ghosts).sum()
    }

    /// The largest number of connected parts of a rank.
    pub fn most_pieces(&self) -> u32 {
        self.ranks.iter().map(|share| share.pieces).max().unwrap_or(0)
    }

    /// Number of ranks that own nothing.
    pub fn idle_ranks(&self) -> usize {
        self.ranks.iter().filter(|share| share.vertices == 0).count()
    }
}

/// A method whose calls are timed. It runs on the calling thread.
#[derive(Debug)]
struct Timed {
    method: Box<dyn Partitioner>,
    time_s: f64,
}

impl Partitioner for Timed {
    fn name(&self) -> &'static str {
        self.method.name()
    }

    fn partition(&mut self, problem: &WeightedPoints, parts: usize) -> Result<Vec<u32>> {
        let start = thread_time();
        let part_of = self.method.partition(problem, parts);
        self.time_s += (thread_time() - start).as_secs_f64();
        part_of
    }
}
