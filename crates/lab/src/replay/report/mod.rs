//! The output of `cloth-sim replay`: tables and CSV of modelled collision phases.

mod csv;
mod table;

use std::collections::BTreeMap;

use cloth_collision::stealing::ProcessorUse;
use cloth_step::Phase;

use crate::replay::model::{ModelledStep, Variant};

pub use csv::write_csv;
pub use table::{comparisons, curve, times};

/// The collision phases of a recording on one modelled machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    /// The machine.
    pub variant: Variant,
    /// The steps.
    pub steps: Vec<ModelledStep>,
    /// Collision phases of all steps on one processor, s.
    pub serial_s: f64,
}

impl Replayed {
    /// The sum of a value over the steps.
    pub fn sum(&self, value: impl Fn(&ModelledStep) -> f64) -> f64 {
        self.steps.iter().map(value).sum()
    }

    /// The mean of a value over the steps.
    pub fn mean(&self, value: impl Fn(&ModelledStep) -> f64) -> f64 {
        self.sum(value) / self.steps.len().max(1) as f64
    }

    /// The mean of a count over the steps. The count is summed over the processors.
    pub fn count(&self, count: impl Fn(&ProcessorUse) -> u64) -> f64 {
        self.mean(|step| count(&step.usage) as f64)
    }

    /// Utilization of each frame with tests: the mean over its steps with tests.
    pub fn utilization_of_frames(&self) -> Vec<f64> {
        let mut frames = BTreeMap::<u64, Vec<f64>>::new();
        for step in &self.steps {
            frames.entry(step.frame).or_default().extend(step.utilization());
        }
        let known = frames.into_values().filter(|values| !values.is_empty());
        known.map(|values| values.iter().sum::<f64>() / values.len() as f64).collect()
    }

    /// The mean utilization of the frames with tests.
    pub fn utilization(&self) -> Option<f64> {
        let frames = self.utilization_of_frames();
        ratio(frames.iter().sum(), frames.len() as f64)
    }

    /// The lowest utilization of a frame with tests.
    pub fn worst_utilization(&self) -> Option<f64> {
        self.utilization_of_frames().into_iter().reduce(f64::min)
    }

    /// Utilization over the time of all steps. Long steps count more.
    pub fn utilization_of_all(&self) -> Option<f64> {
        let all_s = self.sum(|step| step.test_part_s) * self.variant.processors as f64;
        ratio(self.sum(|step| step.usage.busy_s), all_s)
    }

    /// Speed-up of the test parts against one processor.
    pub fn speed_up_of_tests(&self) -> Option<f64> {
        ratio(self.sum(|step| step.serial_s), self.sum(|step| step.test_part_s))
    }

    /// Speed-up of the whole collision phases against one processor.
    pub fn speed_up(&self) -> Option<f64> {
        ratio(self.serial_s, self.sum(ModelledStep::phase_s))
    }

    /// Speed-up over the number of processors.
    pub fn efficiency(&self, speed_up: Option<f64>) -> Option<f64> {
        speed_up.map(|speed_up| speed_up / self.variant.processors as f64)
    }
}

/// A quotient. `None` if `whole` is zero.
fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

/// A part of a collision phase: its name and its seconds.
pub type Part = (&'static str, fn(&ModelledStep) -> f64);

/// The parts of a collision phase in tables.
pub const PARTS: [Part; 4] = [
    ("replicated", |step| {
        step.above_s + step.seconds[Phase::Predict as usize] + step.seconds[Phase::Refit as usize]
    }),
    ("all-gather", |step| step.seconds[Phase::AllGather as usize]),
    ("test part", |step| step.test_part_s),
    ("others", |step| {
        let phases = [Phase::Contacts, Phase::Response, Phase::Combination, Phase::FailSafe];
        phases.iter().map(|&phase| step.seconds[phase as usize]).sum()
    }),
];
