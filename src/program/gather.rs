//! What rank 0 hears of the others, for the run folder. All of it is collective, and fails
//! if a rank does.

use cloth_sim::error::Result;
use cloth_sim::observe::{ProcessorUse, Theft};
use cloth_sim::ranks::{World, message};
use cloth_sim::step::StepReport;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::program::output::steps_jsonl::{StepRecord, TheftRecord};

/// Every rank's `item`, on rank 0.
pub fn items<T: Serialize + DeserializeOwned>(world: &dyn World, item: &T) -> Result<Vec<T>> {
    let text = serde_json::to_vec(item).unwrap_or_default();
    let sizes = message::all_counts(world, text.len())?;
    let texts = message::gather_v(world, 0, &text)?;
    let mut items = Vec::new();
    let mut rest = &texts[..];
    for size in sizes {
        let Some((text, others)) = rest.split_at_checked(size) else { break };
        rest = others;
        items.extend(serde_json::from_slice::<T>(text).ok());
    }
    Ok(items)
}

/// The length of each step's test part on rank 0, s: of its searches, which are as many on
/// all ranks, each as long as on the slowest one.
pub fn test_parts(world: &dyn World, lengths_s: &[Vec<f64>]) -> Result<Vec<f64>> {
    let own = lengths_s.concat();
    let mut longest = vec![0.0_f64; own.len()];
    for rank in message::gather_v(world, 0, &own)?.chunks(own.len().max(1)) {
        longest.iter_mut().zip(rank).for_each(|(longest, &length)| *longest = longest.max(length));
    }
    let mut longest = longest.into_iter();
    Ok(lengths_s.iter().map(|step| longest.by_ref().take(step.len()).sum()).collect())
}

/// Every rank's reports of the steps that end with step `last`, on rank 0, with the
/// `uses` of its processors, step by step, and the lengths of the `test_parts`.
pub fn reports(
    world: &dyn World,
    last: u64,
    reports: &[StepReport],
    uses: &[ProcessorUse],
    test_parts: &[f64],
) -> Result<Vec<StepRecord>> {
    let steps = reports.len().max(1);
    let threads = message::all_counts(world, uses.len() / steps)?;
    let all = message::gather_v(world, 0, reports)?;
    let uses = message::gather_v(world, 0, uses)?;
    let mut uses = uses.into_iter();
    let mut records = Vec::with_capacity(all.len());
    for (rank, reports) in all.chunks(steps).enumerate() {
        let numbered = (last + 1 - reports.len() as u64..).zip(reports);
        for ((step, &report), &test_part_s) in numbered.zip(test_parts) {
            let processors = uses.by_ref().take(threads[rank]).collect();
            records.push(StepRecord { step, rank, test_part_s, report, processors });
        }
    }
    Ok(records)
}

/// Every rank's thefts, on rank 0.
pub fn thefts(world: &dyn World, thefts: &[Theft]) -> Result<Vec<TheftRecord>> {
    let counts = message::all_counts(world, thefts.len())?;
    let ranks =
        counts.iter().enumerate().flat_map(|(rank, &count)| std::iter::repeat_n(rank, count));
    let all = message::gather_v(world, 0, thefts)?;
    Ok(ranks.zip(all).map(|(rank, theft)| TheftRecord { rank, theft }).collect())
}
