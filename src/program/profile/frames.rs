//! The profile of a run, frame by frame, built from its records.

use std::collections::{BTreeMap, BTreeSet};

use cloth_core::report::{PhaseRow, Report};

use crate::program::output::{FrameRecord, Kind, RunHead, Status, StepRecord};
use crate::program::words::plural;

/// A kind of run that has a profile.
pub trait ProfileKind: Kind {
    /// How its profile looks.
    const LOOK: &'static Look;

    /// What one processor did in some steps.
    type Sum: Default;

    /// The columns of a processor in `profile.csv`.
    fn columns() -> Vec<String>;

    /// Adds one step, of all ranks.
    fn add(step: &[&StepRecord<Self>], sums: &mut Sums<Self::Sum>);

    /// The values of the columns. One that is not known is NaN.
    fn values(sum: &Self::Sum) -> Vec<f64>;
}

/// What each processor did, by rank and thread.
pub type Sums<S> = BTreeMap<(usize, usize), S>;

/// The profile of a run, frame by frame.
#[derive(Debug, Clone)]
pub struct Profile {
    /// How it looks.
    pub look: &'static Look,
    /// The scene's name, and a remark about the run.
    pub scene: String,
    /// Number of ranks.
    pub ranks: usize,
    /// Threads of each rank.
    pub threads: usize,
    /// Number of steps of a frame.
    pub steps_per_frame: u64,
    /// The phases of a step.
    pub phases: Vec<PhaseRow>,
    /// The names of the values of a processor.
    pub columns: Vec<String>,
    /// The frames that were written, from 1 on.
    pub frames: Vec<FrameProfile>,
    /// Each processor over the whole run.
    pub processors: Vec<ProcessorProfile>,
}

/// One frame.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameProfile {
    /// Its number.
    pub frame: u64,
    /// Number of its steps.
    pub steps: u64,
    /// Seconds of each phase, averaged over the ranks.
    pub seconds: Vec<f64>,
    /// Each processor, by rank and thread.
    pub processors: Vec<ProcessorProfile>,
}

/// One processor during some steps.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessorProfile {
    /// Its rank.
    pub rank: usize,
    /// Its number among the threads of the rank.
    pub thread: usize,
    /// One value for each column of its profile. One that is not known is NaN.
    pub values: Vec<f64>,
}

impl Profile {
    /// "2 ranks x 1 thread, 40 steps a frame".
    pub fn describe(&self) -> String {
        let (ranks, per_frame) = (plural(self.ranks, "rank"), self.steps_per_frame as usize);
        let threads = plural(self.threads, "thread");
        let is_whole = self.frames.iter().all(|it| it.steps == self.steps_per_frame);
        let upto = if is_whole { "" } else { "at most " };
        format!("{ranks} x {threads}, {upto}{} a frame", plural(per_frame, "step"))
    }

    /// The name of a processor in tables and pictures: `rank.thread`, or `rank`.
    pub fn name_of(&self, processor: &ProcessorProfile) -> String {
        let ProcessorProfile { rank, thread, .. } = processor;
        if self.look.by_thread { format!("{rank}.{thread}") } else { rank.to_string() }
    }

    /// A value of a processor, if it is known.
    pub fn value(&self, processor: &ProcessorProfile, column: &str) -> Option<f64> {
        let at = self.columns.iter().position(|it| it == column)?;
        processor.values.get(at).copied().filter(|value| !value.is_nan())
    }

    /// The share of time in which a processor worked, if it is known.
    pub fn share(&self, processor: &ProcessorProfile) -> Option<f64> {
        self.value(processor, self.look.share)
    }

    /// The values of all processors in a frame.
    fn values_of<'a>(
        &'a self,
        frame: &'a FrameProfile,
        column: &'a str,
    ) -> impl Iterator<Item = f64> {
        frame.processors.iter().filter_map(move |one| self.value(one, column))
    }

    /// The sum of a column over all processors.
    pub fn sum(&self, frame: &FrameProfile, column: &str) -> f64 {
        self.values_of(frame, column).sum()
    }

    /// The largest value of a column.
    pub fn largest(&self, frame: &FrameProfile, column: &str) -> f64 {
        self.values_of(frame, column).fold(0.0, f64::max)
    }

    /// The length of a frame, s: that of which shares are taken.
    pub fn length_s(&self, frame: &FrameProfile) -> f64 {
        self.largest(frame, self.look.length)
    }

    /// The mean length of a step, s.
    pub fn mean_step_s(&self) -> f64 {
        let steps = self.frames.iter().map(|frame| frame.steps).sum::<u64>();
        self.frames.iter().map(|frame| self.length_s(frame)).sum::<f64>() / steps as f64
    }
}

/// Builds the profile of a run, frame by frame.
pub struct FrameProfiles<K: ProfileKind> {
    frames: Vec<FrameProfile>,
    of_run: Sums<K::Sum>,
}

impl<K: ProfileKind> Default for FrameProfiles<K> {
    fn default() -> Self {
        Self { frames: Vec::new(), of_run: Sums::new() }
    }
}

impl<K: ProfileKind> FrameProfiles<K> {
    /// Adds a frame. Frame 0 has no step and is left out.
    pub fn add(&mut self, frame: &FrameRecord<K>) {
        if frame.steps.is_empty() {
            return;
        }
        let mut steps = Vec::from_iter(&frame.steps);
        steps.sort_by_key(|it| (it.step, it.rank));
        let (mut of_frame, mut count) = (Sums::new(), 0);
        for step in steps.chunk_by(|a, b| a.step == b.step) {
            count += 1;
            [&mut of_frame, &mut self.of_run].into_iter().for_each(|sums| K::add(step, sums));
        }
        let seconds = mean_seconds(&frame.steps);
        let processors = processors::<K>(&of_frame);
        let (frame, steps) = (frame.frame, count);
        self.frames.push(FrameProfile { frame, steps, seconds, processors });
    }

    /// The profile of the run that `head` describes.
    pub fn of_run(self, head: &RunHead) -> Profile {
        Profile {
            look: K::LOOK,
            scene: title(head),
            ranks: head.ranks,
            threads: head.threads,
            steps_per_frame: head.steps_per_frame,
            phases: K::Report::phases().collect(),
            columns: K::columns(),
            frames: self.frames,
            processors: processors::<K>(&self.of_run),
        }
    }
}

/// The profile of each processor.
pub fn processors<K: ProfileKind>(sums: &Sums<K::Sum>) -> Vec<ProcessorProfile> {
    let profile =
        |(&(rank, thread), sum)| ProcessorProfile { rank, thread, values: K::values(sum) };
    sums.iter().map(profile).collect()
}

/// Seconds of each phase over `steps`, averaged over the ranks. A run that went on may have another
/// number of ranks in some of them.
fn mean_seconds<K: Kind>(steps: &[StepRecord<K>]) -> Vec<f64> {
    let count = steps.iter().map(|step| step.step).collect::<BTreeSet<_>>().len();
    let ranks = (steps.len() as f64 / count.max(1) as f64).max(1.0);
    let mut total = K::Report::default();
    steps.iter().for_each(|step| total.add(&step.report));
    let [seconds, _] = total.times();
    seconds.iter().map(|sum| sum / ranks).collect()
}

/// The scene's name, and a remark about the run.
fn title(head: &RunHead) -> String {
    match head.status {
        Status::Complete => head.scene.clone(),
        Status::Running | Status::Failed | Status::Interrupted => {
            format!("{}, not complete", head.scene)
        }
    }
}

/// A colour, as a page writes it.
pub type Colour = &'static str;

// Colours that differ for all eyes (Okabe & Ito 2008).
pub const BLUE: Colour = "#0072b2";
pub const ORANGE: Colour = "#e69f00";
pub const GREEN: Colour = "#009e73";
pub const VERMILION: Colour = "#d55e00";
pub const PURPLE: Colour = "#cc79a7";
/// For time without work.
pub const GREY: Colour = "#bebebe";

/// What differs from kind to kind in the tables and charts of a profile.
#[derive(Debug)]
pub struct Look {
    /// What its runs compute.
    pub runs_of: &'static str,
    /// Whether a processor is a thread of a rank. Otherwise it is a whole rank.
    pub by_thread: bool,
    /// The column with the share of time in which a processor worked, 0 to 1.
    pub share: &'static str,
    /// The column with the time of which that is a share, s. It is that of the slowest processor.
    pub length: &'static str,
    /// Columns that `phases.csv` has too, the largest value of all processors.
    pub of_frame: &'static [&'static str],
    /// The title of the heat map of the shares.
    pub heat_map: &'static str,
    /// The colour of a phase, by its number.
    pub color: fn(usize) -> Colour,
    /// The charts of columns, from top to bottom.
    pub charts: &'static [ColumnChart],
}

/// A chart of the sums of columns over all processors, frame by frame.
#[derive(Debug)]
pub struct ColumnChart {
    /// Above the chart.
    pub title: &'static str,
    /// Whether the columns are stacked, in percent of the time of all processors.
    pub is_share: bool,
    /// Each column: its label, its colour and its name.
    pub columns: &'static [(&'static str, Colour, &'static str)],
}
