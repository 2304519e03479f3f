//! K-way graph partitioning by METIS (Karypis & Kumar 1998).

use std::sync::Mutex;

use metis::option::{Contig, NCuts, Seed};

use crate::error::{Error, Result};
use crate::partition::graph::Graph;

/// METIS draws from the process-wide `rand()`. Two calls at the same time, on two
/// in-process ranks, would disturb each other's sequence and change the result.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

const SEED: i32 = 1;

/// Weights of a graph's vertices and couplings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weights<'a> {
    /// Per vertex.
    pub vertices: &'a [u32],
    /// Per entry of `Graph::neighbours`, equal in both directions.
    pub couplings: &'a [u32],
}

/// Splits `graph` into `parts` of about equal (weighted) size with few cut
/// couplings; returns the part of each vertex. Some parts may be empty. If there are
/// no more vertices than parts, each vertex is its own part.
///
/// # Errors
/// When METIS refuses the graph or has no memory.
pub(super) fn k_way(graph: &Graph, weights: Option<Weights>, parts: usize) -> Result<Vec<u32>> {
    if parts <= 1 {
        return Ok(vec![0; graph.len()]);
    }
    if graph.len() <= parts {
        return Ok((0..graph.len() as u32).collect());
    }
    let offsets = to_metis(&graph.offsets)?;
    let neighbours = to_metis(&graph.neighbours)?;
    let weights = match weights {
        Some(weights) => Some((to_metis(weights.vertices)?, to_metis(weights.couplings)?)),
        None => None,
    };
    let mut part = vec![0; graph.len()];

    // A poisoned lock means that another rank failed; METIS keeps no state.
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut problem = metis::Graph::new(1, parts as i32, &offsets, &neighbours).map_err(refused)?;
    if let Some((vertices, couplings)) = &weights {
        problem = problem.set_vwgt(vertices).set_adjwgt(couplings);
    }
    problem
        .set_option(Seed(SEED))
        .set_option(NCuts(4))
        .set_option(Contig(false))
        .part_kway(&mut part)
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
