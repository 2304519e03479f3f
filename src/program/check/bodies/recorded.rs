//! What the run has recorded about its frames.

use std::collections::BTreeMap;
use std::path::Path;

use cloth_core::error::Result;
use serde::Deserialize;

use crate::program::output::steps_jsonl;

/// What is needed of the record of a run.
#[derive(Debug, Clone, Default)]
pub struct Recorded {
    /// By frame number.
    frames: BTreeMap<u64, Line>,
}

/// Of one frame.
#[derive(Debug, Clone, Deserialize)]
struct Line {
    frame: u64,
    time_s: f64,
    /// How many bodies left the domain since the frame before.
    left: u64,
    bodies_hash: String,
}

impl Recorded {
    /// Reads that of the run in `folder`. A run without a record has none.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn read(folder: &Path) -> Result<Self> {
        let lines = steps_jsonl::read_if_any::<Line>(folder)?;
        let frames = lines.map(|line| line.map(|line| (line.frame, line)));
        Ok(Self { frames: frames.collect::<Result<_>>()? })
    }

    /// How many bodies left the domain after frame `from` until frame `to`.
    pub fn left(&self, from: u64, to: u64) -> u64 {
        self.frames.values().filter(|it| from < it.frame && it.frame <= to).map(|it| it.left).sum()
    }

    /// What is wrong with what the run says of a frame at `time_s`. A run that `is_complete` has a
    /// line of each frame.
    pub fn fault_of(&self, frame: u64, time_s: f64, is_complete: bool) -> Option<String> {
        match self.frames.get(&frame) {
            Some(line) if line.time_s != time_s => {
                Some(format!("its time is {time_s} s, but steps.jsonl says {} s", line.time_s))
            }
            None if is_complete => Some("steps.jsonl has no line of this frame".to_owned()),
            _ => None,
        }
    }

    /// Whether a frame has the hash of bodies that the run has recorded, if it has.
    pub fn agrees(&self, frame: u64, bodies_hash: u64) -> bool {
        let recorded = self.frames.get(&frame);
        recorded.is_none_or(|line| line.bodies_hash == format!("{bodies_hash:016x}"))
    }
}
