//! The closing summary of a run: sums and lines that every kind of run has.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::Path;

use cloth_core::error::shell_word;
use cloth_core::report::Report;
use serde::Serialize;

use crate::program::output::formats::{Format, Formats};
use crate::program::output::{FrameRecord, Kind, RunHead};
use crate::program::words::{grouped, plural, significant};

/// What the summary of every kind of run says, and what other programs read about a run that has
/// ended.
#[derive(Serialize)]
pub struct RunFacts<'a> {
    /// The folder of the frames.
    pub folder: &'a Path,
    /// The last frame that is whole.
    pub last_frame: Option<u64>,
    /// Wall time of the set-up, s.
    pub set_up_s: f64,
    /// Wall time of the run, set-up included, s.
    pub wall_s: f64,
    /// The content of its `run.json`.
    #[serde(flatten)]
    pub head: &'a RunHead,
    /// The frames that the run already had when it was resumed. Empty for a new run.
    #[serde(skip)]
    pub kept_frames: Range<u64>,
    /// The formats of the frames.
    #[serde(skip)]
    pub formats: &'a Formats,
}

impl RunFacts<'_> {
    /// Writes the number of frames, and the time that they took.
    ///
    /// # Errors
    /// The errors of `f`.
    pub fn write_times(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { head, last_frame, ref kept_frames, set_up_s, wall_s, .. } = *self;
        let (frames, first) = (last_frame.unwrap_or(0) as usize, head.first_frame() as usize);
        let computed = (frames + 1)
            .saturating_sub(kept_frames.end.max(1) as usize)
            .min(frames.saturating_sub(first));
        let a_frame = (wall_s - set_up_s) / computed.max(1) as f64;
        let last = match kept_frames.is_empty() {
            true => String::new(),
            false => format!(", the last {computed}"),
        };
        writeln!(
            f,
            "{}: {}{last} in {wall_s:.1} s ({set_up_s:.1} s set-up, {} s a frame; {} x {})",
            head.scene,
            plural(frames.saturating_sub(first), "frame"),
            significant(a_frame),
            plural(head.ranks, "rank"),
            plural(head.threads, "thread"),
        )
    }

    /// Writes where the frames are, and how to check and see them.
    ///
    /// # Errors
    /// The errors of `f`.
    pub fn write_files(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let folder = self.folder.display();
        let last = self.formats.first().frame_name(self.last_frame.unwrap_or(0));
        writeln!(f, "  frames    {folder}, up to {last}")?;
        let mut to_see = Vec::from_iter(self.formats.all().map(Format::to_see).map(str::to_owned));
        if self.formats.readable(self.head.bodies.is_some()).is_some() {
            let folder = shell_word(folder);
            writeln!(f, "  to check  cloth-sim check {folder}")?;
            to_see.insert(0, format!("cloth-sim view {folder}"));
        }
        write!(f, "  to see    {}", to_see.join("\n            or "))
    }
}

/// Sums over the steps of a run.
#[derive(Default)]
pub struct Totals<R> {
    /// The sum of each rank, by its number. A record may name any number.
    of_ranks: BTreeMap<usize, R>,
    /// Number of steps.
    pub steps: usize,
}

impl<R: Report> Totals<R> {
    /// Adds the steps of a frame. A run that went on may have more ranks than before.
    pub fn add<K: Kind<Report = R>>(&mut self, frame: &FrameRecord<K>) {
        for step in &frame.steps {
            self.of_ranks.entry(step.rank).or_default().add(&step.report);
            self.steps += usize::from(step.rank == 0);
        }
    }

    /// The sum of each rank, rank 0 first.
    pub fn of_ranks(&self) -> Vec<R> {
        self.of_ranks.values().copied().collect()
    }

    /// The sum of all ranks.
    pub fn of_all(&self) -> R {
        let mut sum = R::default();
        self.of_ranks.values().for_each(|rank| sum.add(rank));
        sum
    }
}

/// The contacts of the steps of a run, of all ranks.
#[derive(Debug, Default)]
pub struct Contacts {
    /// The contacts of the last step.
    pub last: u64,
    /// The most of a step, and the frame that the step leads to.
    most: Option<(u64, u64)>,
}

impl Contacts {
    /// Adds the steps that lead to `frame`.
    pub fn add(&mut self, frame: u64, per_step: &[u64]) {
        self.last = per_step.last().copied().unwrap_or(self.last);
        let most = per_step.iter().copied().max().unwrap_or(0);
        if most > self.most.map_or(0, |(most, _)| most) {
            self.most = Some((most, frame));
        }
    }

    /// Whether no step has a contact.
    pub fn is_empty(&self) -> bool {
        self.most.is_none()
    }
}

impl fmt::Display for Contacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.most {
            None => writeln!(f, "  contacts  none"),
            Some((most, frame)) => {
                writeln!(f, "  contacts  at most {} in a step, before frame {frame}", grouped(most))
            }
        }
    }
}
