//! Graph partitioning by METIS (Karypis & Kumar 1998).

use std::sync::Mutex;

use metis::option::{Contig, NCuts, Seed};

use crate::partition::graph::Graph;
use crate::partition::methods::{Couplings, Partitioner, WeightedPoints};
use crate::{Error, Result};

/// METIS draws from the process-wide `rand()`. Two calls at the same time, on two
/// in-process ranks, would disturb each other's sequence and change the result.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

const SEED: i32 = 1;

/// METIS counts work in 32-bit integers. Work that is not in whole numbers is scaled to this sum.
const SCALED_WORK: f64 = 1e9;

/// The two algorithms of METIS.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MetisKind {
    /// All parts at once; no part gets more than 1.03 of its share if METIS can avoid it.
    #[default]
    KWay,
    /// Two parts, and each of these again in two. In each bisection a part gets at most 1.001 of
    /// its share.
    Recursive,
}

/// METIS: few edges of a graph are cut. It sees no positions and remembers nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Metis {
    /// Which algorithm.
    pub kind: MetisKind,
}

/// Weights of a graph's vertices and couplings, as METIS takes them.
#[derive(Debug, Clone, Copy)]
struct Weights<'a> {
    /// Per vertex.
    vertices: &'a [i32],
    /// Per entry of `Graph::neighbours`, equal in both directions.
    couplings: Option<&'a [u32]>,
}

impl Partitioner for Metis {
    fn name(&self) -> &'static str {
        match self.kind {
            MetisKind::KWay => "Metis",
            MetisKind::Recursive => "MetisRecursive",
        }
    }

    fn partition(&mut self, problem: &WeightedPoints, parts: usize) -> Result<Vec<u32>> {
        if let Some(answer) = problem.simple_answer(parts)? {
            return Ok(answer);
        }
        let Some(Couplings { graph, weights }) = problem.graph else {
            let cause = "METIS divides graphs, and there is none";
            return Err(Error::input("partition", cause, "give a graph, or use another method"));
        };
        let vertices = whole_numbers(problem.weights);
        split(self.kind, graph, Some(Weights { vertices: &vertices, couplings: weights }), parts)
    }
}

/// `weights` unchanged if they are whole numbers that METIS can add. Otherwise they are scaled and
/// rounded.
fn whole_numbers(weights: &[f64]) -> Vec<i32> {
    let sum: f64 = weights.iter().sum();
    let exact = sum < f64::from(i32::MAX) && weights.iter().all(|weight| weight.fract() == 0.0);
    let scale = if exact { 1.0 } else { SCALED_WORK / sum };
    weights.iter().map(|weight| (weight * scale).round() as i32).collect()
}

/// Splits `graph` into `parts` of about equal size with few cut couplings; returns the part of
/// each vertex. Some parts may be empty. If there are no more vertices than parts, each vertex is
/// its own part.
///
/// # Errors
/// When METIS refuses the graph or has no memory.
pub fn k_way(graph: &Graph, parts: usize) -> Result<Vec<u32>> {
    if parts <= 1 {
        return Ok(vec![0; graph.len()]);
    }
    if graph.len() <= parts {
        return Ok((0..graph.len() as u32).collect());
    }
    split(MetisKind::KWay, graph, None, parts)
}

fn split(
    kind: MetisKind,
    graph: &Graph,
    weights: Option<Weights>,
    parts: usize,
) -> Result<Vec<u32>> {
    let offsets = to_metis(&graph.offsets)?;
    let neighbours = to_metis(&graph.neighbours)?;
    let couplings = weights.and_then(|weights| weights.couplings).map(to_metis).transpose()?;
    let parts = i32::try_from(parts).map_err(refused)?;
    let mut part = vec![0; graph.len()];

    // A poisoned lock means that another rank failed; METIS keeps no state.
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut problem = metis::Graph::new(1, parts, &offsets, &neighbours).map_err(refused)?;
    if let Some(weights) = &weights {
        problem = problem.set_vwgt(weights.vertices);
    }
    if let Some(couplings) = &couplings {
        problem = problem.set_adjwgt(couplings);
    }
    problem = problem.set_option(Seed(SEED)).set_option(NCuts(4));
    match kind {
        MetisKind::KWay => problem.set_option(Contig(false)).part_kway(&mut part),
        MetisKind::Recursive => problem.part_recursive(&mut part),
    }
    .map_err(refused)?;
    Ok(part.into_iter().map(|part| part as u32).collect())
}

fn to_metis(values: &[u32]) -> Result<Vec<i32>> {
    values.iter().map(|&value| i32::try_from(value).map_err(refused)).collect()
}

fn refused(cause: impl std::fmt::Display) -> Error {
    Error::input(
        "mesh partition (METIS)",
        cause.to_string(),
        "use a smaller mesh, or a larger `patch_vertices`",
    )
}
