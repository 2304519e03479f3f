//! The sizes of the steps of a run that chooses them.

use std::collections::BTreeMap;
use std::fmt;

use crate::program::output::ClothFrameRecord;
use crate::program::words::{grouped, significant};

/// How many steps had which size.
pub struct StepSizes {
    /// Size of a whole step, s. Step numbers count these.
    step_s: f64,
    /// The number of the last step.
    last: u64,
    /// Numbers of steps, by size in whole steps.
    counts: BTreeMap<u64, u64>,
}

impl StepSizes {
    /// None so far. Whole steps have a size of `step_s` (s).
    pub fn new(step_s: f64) -> Self {
        Self { step_s, last: 0, counts: BTreeMap::new() }
    }

    /// Adds the steps of a frame. A frame begins at the end of step `first`.
    pub fn add(&mut self, first: u64, record: &ClothFrameRecord) {
        self.last = self.last.max(first);
        for (step, _) in record.reports_of(0) {
            *self.counts.entry(step - self.last).or_default() += 1;
            self.last = step;
        }
    }
}

impl fmt::Display for StepSizes {
    /// A line; nothing if all steps are whole steps.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.counts.keys().all(|&size| size == 1) {
            return Ok(());
        }
        let of_size = |(&size, &count): (&u64, &u64)| {
            let size_ms = 1e3 * self.step_s * size as f64;
            format!("{} of {} ms", grouped(count), significant(size_ms))
        };
        let parts = Vec::from_iter(self.counts.iter().map(of_size));
        writeln!(f, "  steps     {}", parts.join(", "))
    }
}
