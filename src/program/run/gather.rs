//! Collects on rank 0 what the other ranks know, for the run folder.

use cloth_sim::error::{Error, Result};
use cloth_sim::ranks::{World, message};
use serde::Serialize;
use serde::de::DeserializeOwned;

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

fn damaged(cause: impl std::fmt::Display) -> Error {
    Error::internal("items of all ranks", cause)
}
