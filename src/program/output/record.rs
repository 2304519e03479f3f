//! The line of a frame in `steps.jsonl`: what every run records, and a part of its kind.

use std::collections::BTreeMap;
use std::fmt::Debug;

use cloth_core::report::Report;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::program::output::report_json;

/// What a record has of the kind of its run.
pub trait Kind: Copy + Default + PartialEq + Debug + Send + 'static {
    /// What one rank did in a step.
    type Report: Report;

    /// What the line of a frame has besides.
    type FramePart: FramePart;

    /// What a step of a rank has besides its report.
    type StepPart: RecordPart;
}

/// A part of a record.
pub trait RecordPart:
    Clone + Default + PartialEq + Debug + Send + Serialize + DeserializeOwned + 'static
{
}

impl<T> RecordPart for T where
    T: Clone + Default + PartialEq + Debug + Send + Serialize + DeserializeOwned + 'static
{
}

/// What the line of a frame has of its kind.
pub trait FramePart: RecordPart {
    /// The part of the frame `rest`, whose first steps led to this part.
    fn followed_by(self, rest: Self) -> Self;
}

/// One frame: the hash of its state, and the steps that lead to it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct FrameRecord<K: Kind> {
    /// Frame number. 0 is the start.
    pub frame: u64,
    /// Hash of the whole state: of all that the next steps depend on.
    pub state_hash: String,
    /// What its kind records besides.
    #[serde(flatten)]
    pub part: K::FramePart,
    /// Every step of every rank since the previous frame.
    pub steps: Vec<StepRecord<K>>,
}

impl<K: Kind> FrameRecord<K> {
    /// The record of the frame `rest`, whose first steps are in this record.
    pub fn followed_by(self, mut rest: Self) -> Self {
        rest.steps.splice(..0, self.steps);
        Self { part: self.part.followed_by(rest.part), ..rest }
    }

    /// The sum over the ranks of a `count`, step by step.
    pub fn per_step(&self, count: impl Fn(&K::Report) -> u64) -> Vec<u64> {
        let mut sums = BTreeMap::<u64, u64>::new();
        for step in &self.steps {
            *sums.entry(step.step).or_default() += count(&step.report);
        }
        sums.into_values().collect()
    }

    /// The reports of one rank, step by step.
    pub fn reports_of(&self, rank: usize) -> impl Iterator<Item = (u64, &K::Report)> {
        let of_rank = self.steps.iter().filter(move |step| step.rank == rank);
        of_rank.map(|step| (step.step, &step.report))
    }
}

/// One rank's measurements of one step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct StepRecord<K: Kind> {
    /// Step number, from 1.
    pub step: u64,
    /// The rank that measured.
    pub rank: usize,
    /// What its kind records besides. It is read before the report, which reads all that is left.
    #[serde(flatten)]
    pub part: K::StepPart,
    /// Its phases and counters.
    #[serde(flatten, with = "report_json")]
    pub report: K::Report,
}
