//! What is known of a run before its first step.

use cloth_core::error::{Error, Result};
use cloth_core::ranks::launch::HostBinding;
use cloth_core::ranks::{World, message};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::program::output::run_json::FORMAT;
use crate::program::output::{RankPlace, RunHead};
use crate::program::run::Job;

/// The places of all ranks, on rank 0. This rank owns `vertices` vertices or bodies, and has
/// `ghosts` ghost points or shadow copies. Collective.
///
/// # Errors
/// When a rank fails.
pub fn places(world: &dyn World, vertices: usize, ghosts: usize) -> Result<Vec<RankPlace>> {
    let HostBinding { host, cpus_allowed: cores } = HostBinding::here();
    items(world, &RankPlace { rank: world.rank(), host, cores, vertices, ghosts })
}

impl RunHead {
    /// What is known of any run on `ranks` ranks when it begins.
    pub fn begun(job: &Job, ranks: usize) -> Self {
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            warnings: job.warnings.clone(),
            scene: job.scene.name.clone(),
            seed: job.scene.seed,
            ranks,
            threads: job.placement.threads,
            transport: job.transport.to_owned(),
            steps_per_frame: u64::from(job.scene.steps_per_frame.at_most()),
            meshes: job.input.meshes.iter().map(|mesh| mesh.copy.clone()).collect(),
            files: job.target.files.clone(),
            begun_from: job.target.origin.clone(),
            ..Self::default()
        }
    }
}

/// Every rank's `item`, on rank 0. Collective.
///
/// # Errors
/// If a rank fails. [`Error::Internal`] if an item cannot be written or read again.
fn items<T: Serialize + DeserializeOwned>(world: &dyn World, item: &T) -> Result<Vec<T>> {
    let text = serde_json::to_vec(item).map_err(damaged)?;
    let sizes = message::all_counts(world, text.len())?;
    let texts = message::gather_v(world, 0, &text)?;
    let mut items = Vec::new();
    if world.rank() != 0 {
        return Ok(items);
    }
    let mut rest = &texts[..];
    for size in sizes {
        let (text, others) = rest
            .split_at_checked(size)
            .ok_or_else(|| damaged("a rank's text is shorter than its size"))?;
        rest = others;
        items.push(serde_json::from_slice(text).map_err(damaged)?);
    }
    Ok(items)
}

fn damaged(cause: impl std::fmt::Display) -> Error {
    Error::internal("items of all ranks", cause)
}
