//! What the run has recorded about its frames.

use std::path::Path;

use cloth_sim::error::Result;

use crate::program::output::bodies::record::BodyFrameRecord;
use crate::program::output::steps_jsonl;

/// What is needed of the record of a run: a value for each frame.
#[derive(Debug, Clone, Default)]
pub struct Recorded {
    /// How many bodies have left the domain since the start.
    left: Vec<u64>,
    times_s: Vec<f64>,
    state_hashes: Vec<String>,
}

impl Recorded {
    /// Reads that of the run in `folder`. A run without a record has none.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn read(folder: &Path) -> Result<Self> {
        let mut recorded = Self::default();
        let mut all = 0;
        for frame in steps_jsonl::read_if_any(folder)? {
            let BodyFrameRecord { left, time_s, state_hash, .. } = frame?;
            all += left;
            recorded.times_s.push(time_s);
            recorded.left.push(all);
            recorded.state_hashes.push(state_hash);
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

    /// What is wrong with what the run says of a frame at `time_s`. A run that `is_complete` has a
    /// line of each frame.
    pub fn fault_of(&self, frame: u64, time_s: f64, is_complete: bool) -> Option<String> {
        match self.times_s.get(frame as usize) {
            Some(&recorded) if recorded != time_s => {
                Some(format!("its time is {time_s} s, but steps.jsonl says {recorded} s"))
            }
            None if is_complete => Some("steps.jsonl has no line of this frame".to_owned()),
            _ => None,
        }
    }

    /// Whether a frame has the state hash that the run has recorded, if it has.
    pub fn agrees(&self, frame: u64, state_hash: u64) -> bool {
        let recorded = self.state_hashes.get(frame as usize);
        recorded.is_none_or(|recorded| *recorded == format!("{state_hash:016x}"))
    }
}
