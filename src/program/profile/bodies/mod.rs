//! The profile of a run of rigid bodies: how busy each rank was, and with what.
//!
//! A rank works in all of a step except where it waits for messages. The length of a step is that
//! of its slowest rank.

mod csv;
mod picture;

use std::path::{Path, PathBuf};

use cloth_sim::error::Result;
use cloth_sim::report::Report;
use cloth_sim::rigid::RigidReport;

use crate::program::output::bodies::record::BodyFrameRecord;
use crate::program::output::run_json::RunHead;
use crate::program::output::{names, steps_jsonl};
use crate::program::profile::bodies::picture::{BodyComparison, BodyPicture};
use crate::program::profile::heat_map::HeatMap;
use crate::program::profile::{canvas, expect_same_length, labels, no_step, title};
use crate::program::words::plural;

/// The profile of a run, frame by frame.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyProfile {
    /// The scene's name, and a remark about the run.
    pub scene: String,
    /// Number of ranks.
    pub ranks: usize,
    /// Threads of each rank.
    pub threads: usize,
    /// Number of steps of a frame.
    pub steps_per_frame: u64,
    /// The frames that were written, from 1 on.
    pub frames: Vec<BodyFrameProfile>,
}

/// One frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BodyFrameProfile {
    /// Its number.
    pub frame: u64,
    /// Length of its steps, s.
    pub length_s: f64,
    /// Each rank.
    pub ranks: Vec<RankProfile>,
}

/// One rank during the steps of a frame.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RankProfile {
    /// Sums over the steps; of bodies and copies the values after the last one.
    pub report: RigidReport,
}

impl BodyFrameProfile {
    /// Adds a step: the report of each rank.
    pub fn add(&mut self, reports: &[RigidReport]) {
        self.ranks.resize(reports.len().max(self.ranks.len()), RankProfile::default());
        self.ranks.iter_mut().zip(reports).for_each(|(rank, report)| rank.report.add(report));
        let lengths = reports.iter().map(|report| report.seconds.iter().sum());
        self.length_s += lengths.fold(0.0, f64::max);
    }

    /// The share of the time in which a rank worked.
    pub fn busy(&self, rank: &RankProfile) -> f64 {
        if self.length_s > 0.0 { rank.report.work_s().max(0.0) / self.length_s } else { 0.0 }
    }

    /// Average over the ranks of a number of each.
    pub fn mean(&self, value: impl Fn(&RigidReport) -> f64) -> f64 {
        let sum: f64 = self.ranks.iter().map(|rank| value(&rank.report)).sum();
        sum / self.ranks.len().max(1) as f64
    }

    /// Sum over the ranks.
    pub fn sum(&self, value: impl Fn(&RigidReport) -> u64) -> u64 {
        self.ranks.iter().map(|rank| value(&rank.report)).sum()
    }
}

impl BodyProfile {
    /// Reads the profile of the run in `folder` from its `run.json` and `steps.jsonl`.
    ///
    /// # Errors
    /// A folder that is no run, or a run without a step.
    fn read(folder: &Path) -> Result<Self> {
        let head = RunHead::read(folder)?;
        let mut frames = Vec::new();
        for record in steps_jsonl::read::<BodyFrameRecord>(folder)? {
            let BodyFrameRecord { frame, steps, .. } = record?;
            let mut profile = BodyFrameProfile { frame, ..BodyFrameProfile::default() };
            for step in steps.chunk_by(|a, b| a.step == b.step) {
                profile.add(&Vec::from_iter(step.iter().map(|it| it.report)));
            }
            // Frame 0 has no step.
            frames.extend((!steps.is_empty()).then_some(profile));
        }
        if frames.is_empty() {
            return Err(no_step(folder));
        }
        let scene = title(&head);
        let RunHead { ranks, threads, steps_per_frame, .. } = head;
        Ok(Self { scene, ranks, threads, steps_per_frame, frames })
    }

    /// "2 ranks x 1 thread, 40 steps a frame".
    fn describe(&self) -> String {
        let (ranks, threads) = (plural(self.ranks, "rank"), plural(self.threads, "thread"));
        format!("{ranks} x {threads}, {} a frame", plural(self.steps_per_frame as usize, "step"))
    }

    fn longest_s(&self) -> f64 {
        self.frames.iter().map(|frame| frame.length_s).fold(0.0, f64::max)
    }

    /// How busy each rank was.
    fn heat_map(&self) -> HeatMap<'_> {
        let busy = |frame: &BodyFrameProfile| {
            Vec::from_iter(frame.ranks.iter().map(|rank| Some(frame.busy(rank))))
        };
        HeatMap {
            title: "Each rank's share of time at work: not waiting for messages, %",
            names: (0..self.ranks).map(|rank| rank.to_string()).collect(),
            multiple: 1,
            frames: self.frames.iter().map(busy).collect(),
            no_value: "no step",
        }
    }
}

/// Draws the profile of the run in the folder `run` into the folder `out`, and writes its tables.
/// Returns the files.
///
/// # Errors
/// A run without a step, a file that cannot be written.
pub fn draw(run: &Path, out: &Path) -> Result<Vec<PathBuf>> {
    let profile = BodyProfile::read(run)?;
    let mut files = canvas::write(&BodyPicture(&profile), out, names::RUN_PICTURE)?;
    files.extend(profile.write_tables(out)?);
    Ok(files)
}

/// Draws two runs of the same length beside each other. Returns the files.
///
/// # Errors
/// As for [`draw`].
pub fn compare(runs: [&Path; 2], out: &Path) -> Result<Vec<PathBuf>> {
    let [a, b] = [BodyProfile::read(runs[0])?, BodyProfile::read(runs[1])?];
    expect_same_length(runs, [a.frames.len(), b.frames.len()])?;
    let picture = BodyComparison { profiles: [&a, &b], labels: labels(runs) };
    canvas::write(&picture, out, names::COMPARISON_PICTURE)
}
