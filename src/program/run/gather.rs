//! Collects on rank 0 what the other ranks know, for the run folder.

use cloth_core::error::{Error, Result};
use cloth_core::ranks::{World, message};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::program::output::{Kind, StepRecord};

/// Every rank's `item`, on rank 0. Collective.
///
/// # Errors
/// If a rank fails. [`Error::Internal`] if an item cannot be written or read again.
pub fn items<T: Serialize + DeserializeOwned>(world: &dyn World, item: &T) -> Result<Vec<T>> {
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

/// The records of every rank's steps with these `numbers`, rank by rank, on rank 0; nothing on the
/// others. All ranks have `reports` of the same steps. `part` gives what the kind records
/// besides, from a rank and the index of a step; it is called in the order of the records.
/// Collective.
///
/// # Errors
/// If a rank fails.
pub fn steps<K: Kind>(
    world: &dyn World,
    numbers: &[u64],
    reports: &[K::Report],
    mut part: impl FnMut(usize, usize) -> K::StepPart,
) -> Result<Vec<StepRecord<K>>> {
    let count = reports.len().max(1);
    let all = message::gather_v(world, 0, reports)?;
    let records = all.into_iter().enumerate().map(|(index, report)| {
        let (rank, index) = (index / count, index % count);
        StepRecord { step: numbers[index], rank, part: part(rank, index), report }
    });
    Ok(records.collect())
}

fn damaged(cause: impl std::fmt::Display) -> Error {
    Error::internal("items of all ranks", cause)
}
