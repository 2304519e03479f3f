//! Keeps the run folder: frames, `run.json`, `steps.jsonl`, and the sums of the run, on rank 0.

use std::time::Instant;

use cloth_core::error::Result;
use cloth_core::report::Report;

use crate::engine::Frame;
use crate::program::output::{FrameRecord, Kind, RunFolder, RunHead, steps_jsonl};
use crate::program::run::checkpoints::begun;
use crate::program::run::{Job, OpenFolder, Saved};

/// What a run of one kind sums up for its summary.
pub trait RunSums {
    /// The kind of the run.
    type Kind: Kind;

    /// Adds steps that were done before the run was resumed. A run adds its own steps one by one.
    fn recall(&mut self, _head: &mut RunHead, _record: &FrameRecord<Self::Kind>) {}

    /// Adds a frame. Returns the warning about it, if there is one.
    fn add(&mut self, head: &mut RunHead, record: &FrameRecord<Self::Kind>) -> Option<String>;

    /// What the user sees of a frame with -v, besides its time.
    fn details(&self, record: &FrameRecord<Self::Kind>) -> String;
}

/// Keeps the run folder of a job, on rank 0.
pub struct Recorder<'j, S: RunSums> {
    /// The folder.
    pub folder: OpenFolder<'j, FrameRecord<S::Kind>>,
    /// The sums of the run.
    pub sums: S,
    /// Wall time in which frames were handed to the writer or waited for it, s.
    pub output_s: f64,
    /// The steps of the next frame that were done before the run was resumed.
    begun: Option<FrameRecord<S::Kind>>,
}

impl<'j, S: RunSums> Recorder<'j, S> {
    /// Begins the run in `folder`, or goes on with it (see [`OpenFolder::begin`]). The sums of a
    /// resumed run include the frames that it already has.
    ///
    /// # Errors
    /// When a file cannot be read, written or removed.
    pub fn open(
        job: &'j Job,
        folder: &RunFolder,
        head: RunHead,
        sums: S,
        begin: impl FnOnce(&RunHead) -> Result<()>,
    ) -> Result<Self> {
        let begun = begun(folder)?;
        let folder = OpenFolder::begin(job, folder, head, begin)?;
        let mut recorder = Self { folder, sums, output_s: 0.0, begun };
        match recorder.recall() {
            Ok(()) => Ok(recorder),
            Err(error) => {
                recorder.folder.fail(&error);
                Err(error)
            }
        }
    }

    /// Adds the frames that the run already had when it was resumed, and the steps after them.
    fn recall(&mut self) -> Result<()> {
        let Self { folder: OpenFolder { job, head, kept_frames, .. }, sums, begun, .. } = self;
        if kept_frames.is_empty() {
            return Ok(());
        }
        for record in steps_jsonl::read(&job.target.folder)?.take(kept_frames.clone().count()) {
            let record = record?;
            sums.recall(head, &record);
            sums.add(head, &record);
        }
        begun.iter().for_each(|begun| sums.recall(head, begun));
        Ok(())
    }

    /// Hands a frame to the writer, with its record.
    ///
    /// # Errors
    /// When an earlier frame cannot be written.
    pub fn frame(&mut self, shown: Frame, record: FrameRecord<S::Kind>) -> Result<()> {
        let start = Instant::now();
        let record = match self.begun.take() {
            Some(begun) => begun.followed_by(record),
            None => record,
        };
        let OpenFolder { head, progress, .. } = &mut self.folder;
        self.sums.add(head, &record).iter().for_each(|warning| progress.say(warning));
        let seconds = record.reports_of(0).map(|(_, report)| report.total_s()).sum();
        let (number, details) = (record.frame, self.sums.details(&record));
        self.folder.add(number, shown, record)?;
        self.output_s += start.elapsed().as_secs_f64();
        self.folder.progress.frame(number, seconds, &details);
        Ok(())
    }

    /// Whether a checkpoint is due after `frame`.
    pub fn checkpoint_is_due(&self, frame: u64) -> bool {
        self.folder.checkpoint_is_due(frame)
    }

    /// Hands a checkpoint to the writer.
    ///
    /// # Errors
    /// When an earlier frame cannot be written.
    pub fn keep(&mut self, saved: Saved<FrameRecord<S::Kind>>) -> Result<()> {
        let steps = self.begun.iter().cloned().chain(saved.steps).reduce(FrameRecord::followed_by);
        self.folder.keep(Saved { steps, ..saved })
    }
}
