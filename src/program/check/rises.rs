//! Steps whose energy rose without work, as the run has recorded them.

use std::path::Path;

use cloth_sim::error::Result;
use cloth_sim::step::EnergyRise;

use crate::program::output::steps_jsonl::{self, FrameRecord};

/// A step whose energy rose by more than its limit without work.
#[derive(Debug, Clone, Copy)]
pub struct StepRise {
    /// The step, from 1.
    pub step: u64,
    /// The frame that it leads to.
    pub frame: u64,
    /// How much, and where.
    pub rise: EnergyRise,
}

/// Those of the run in `folder`. A run without a record of its steps has none.
///
/// # Errors
/// When the record cannot be read.
pub fn read(folder: &Path) -> Result<Vec<StepRise>> {
    let mut rises = Vec::new();
    for frame in steps_jsonl::read_if_any::<FrameRecord>(folder)? {
        let frame = frame?;
        for step in frame.steps.iter().filter(|step| step.rank == 0) {
            let rise = step.report.energy_rise();
            rises.extend(rise.map(|rise| StepRise { step: step.step, frame: frame.frame, rise }));
        }
    }
    Ok(rises)
}
