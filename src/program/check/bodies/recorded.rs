//! What the run has recorded about its steps.

use std::path::Path;

use cloth_sim::error::Result;
use serde::Deserialize;

use crate::program::output::{names, steps_jsonl};

/// What is needed of the steps of a run.
#[derive(Debug, Clone, Default)]
pub struct Recorded {
    /// For each frame: how many bodies have left the domain since the start.
    left: Vec<u64>,
}

#[derive(Deserialize)]
struct FrameLine {
    #[serde(default)]
    steps: Vec<StepLine>,
}

#[derive(Deserialize)]
struct StepLine {
    #[serde(default)]
    left: u64,
}

impl Recorded {
    /// Reads that of the run in `folder`. A run without a record has none.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn read(folder: &Path) -> Result<Self> {
        let mut recorded = Self::default();
        if !folder.join(names::STEPS).exists() {
            return Ok(recorded);
        }
        let mut left = 0;
        for frame in steps_jsonl::read_as::<FrameLine>(folder)? {
            left += frame?.steps.iter().map(|step| step.left).sum::<u64>();
            recorded.left.push(left);
        }
        Ok(recorded)
    }

    /// How many bodies left the domain after frame `from` until frame `to`.
    pub fn left(&self, from: u64, to: u64) -> u64 {
        let until = |frame: u64| {
            let last = self.left.len().saturating_sub(1) as u64;
            self.left.get(frame.min(last) as usize).copied().unwrap_or_default()
        };
        until(to) - until(from)
    }
}
