//! Collects on rank 0 what the other ranks know, for the run folder. All functions are
//! collective, and fail if a rank fails.

use std::iter::repeat_n;

use cloth_sim::error::{Error, Result};
use cloth_sim::observe::Theft;
use cloth_sim::ranks::{World, message};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::program::output::steps_jsonl::{StepRecord, TheftRecord};
use crate::program::run::frame_steps::FrameSteps;

/// Every rank's `item`, on rank 0.
///
/// # Errors
/// [`Error::Internal`] if an item cannot be written or read again.
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

/// Every rank's measurements of the steps that end with step `last`, on rank 0.
pub fn steps(world: &dyn World, last: u64, frame: &FrameSteps) -> Result<Vec<StepRecord>> {
    let test_parts = test_parts(world, &frame.searches_s)?;
    let steps = frame.reports.len().max(1);
    let threads = message::all_counts(world, frame.uses.len() / steps)?;
    let all = message::gather_v(world, 0, &frame.reports)?;
    let uses = message::gather_v(world, 0, &frame.uses)?;
    let mut uses = uses.into_iter();
    let mut records = Vec::with_capacity(all.len());
    for (rank, reports) in all.chunks(steps).enumerate() {
        let numbered = (last + 1 - reports.len() as u64..).zip(reports);
        for ((step, &report), &test_part_s) in numbered.zip(&test_parts) {
            let processors = uses.by_ref().take(threads[rank]).collect();
            records.push(StepRecord { step, rank, test_part_s, report, processors });
        }
    }
    Ok(records)
}

/// Length of the test part of each step, s, on rank 0. It is the sum over the step's searches.
/// All ranks have the same searches, and each counts as long as on its slowest rank.
fn test_parts(world: &dyn World, searches_s: &[Vec<f64>]) -> Result<Vec<f64>> {
    let own = searches_s.concat();
    let mut longest = vec![0.0_f64; own.len()];
    for rank in message::gather_v(world, 0, &own)?.chunks(own.len().max(1)) {
        longest.iter_mut().zip(rank).for_each(|(longest, &length)| *longest = longest.max(length));
    }
    let mut longest = longest.into_iter();
    Ok(searches_s.iter().map(|step| longest.by_ref().take(step.len()).sum()).collect())
}

/// Every rank's thefts, on rank 0.
pub fn thefts(world: &dyn World, thefts: &[Theft]) -> Result<Vec<TheftRecord>> {
    let counts = message::all_counts(world, thefts.len())?;
    let ranks = counts.iter().enumerate().flat_map(|(rank, &count)| repeat_n(rank, count));
    let all = message::gather_v(world, 0, thefts)?;
    Ok(ranks.zip(all).map(|(rank, theft)| TheftRecord { rank, theft }).collect())
}
