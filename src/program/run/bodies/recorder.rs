//! Keeps the run folder of rigid bodies: frames, `run.json`, `steps.jsonl`, and the summary.

use cloth_sim::error::Result;
use cloth_sim::report::Report;
use cloth_sim::rigid::RigidReport;
use cloth_sim::scene::bodies::RigidSetup;

use crate::program::output::bodies::obstacles;
use crate::program::output::bodies::record::BodyFrameRecord;
use crate::program::output::folder::RunFolder;
use crate::program::output::frame::Frame;
use crate::program::output::run_json::RunHead;
use crate::program::output::steps_jsonl;
use crate::program::print;
use crate::program::run::bodies::summary::{Peaks, Summary};
use crate::program::run::checkpoints::begun;
use crate::program::run::frames::Saved;
use crate::program::run::interrupt::Stop;
use crate::program::run::job::Job;
use crate::program::run::open_folder::OpenFolder;
use crate::program::words::grouped;

/// Keeps the run folder of a job, on rank 0.
pub struct Recorder<'j> {
    folder: OpenFolder<'j, BodyFrameRecord>,
    peaks: Peaks,
    /// The steps of the next frame that were done before the run was resumed.
    begun: Option<BodyFrameRecord>,
}

impl<'j> Recorder<'j> {
    /// Begins the run in `folder`, or goes on with it (see [`OpenFolder::begin`]). The sums of a
    /// resumed run include the frames that it already has.
    ///
    /// # Errors
    /// When a file cannot be read, written or removed.
    pub fn open(
        job: &'j Job,
        folder: &RunFolder,
        setup: &RigidSetup,
        head: RunHead,
    ) -> Result<Self> {
        let (path, digits) = (&job.target.folder, job.scene.output.digits);
        let begun = begun(folder)?;
        let folder = OpenFolder::begin(job, folder, head, |_| {
            obstacles::write(path, setup.fixed.bodies(), &setup.solids, &setup.domain, digits)?;
            obstacles::write_solids(path, &setup.solids, digits)
        })?;
        let mut recorder = Self { folder, peaks: Peaks::default(), begun };
        recorder.recall()?;
        Ok(recorder)
    }

    /// Adds the frames that the run already had when it was resumed.
    fn recall(&mut self) -> Result<()> {
        let kept = self.folder.kept_frames.clone();
        if kept.is_empty() {
            return Ok(());
        }
        let folder = &self.folder.job.target.folder;
        for record in steps_jsonl::read::<BodyFrameRecord>(folder)?.take(kept.count()) {
            self.count(&record?);
        }
        Ok(())
    }

    /// Adds a frame to the sums of the run.
    fn count(&mut self, record: &BodyFrameRecord) {
        if let Some(seconds) = record.part.repartition_s {
            self.folder.head.repartitions.count += 1;
            self.folder.head.repartitions.seconds += seconds;
        }
        self.peaks.add(record);
    }

    /// Shows that `step` is done. `report` is that of rank 0.
    pub fn step(&self, step: u64, report: &RigidReport) {
        self.folder.progress.step(step, report.total_s(), || {
            let RigidReport { bodies, copies, contacts, .. } = report;
            format!("rank 0 has {bodies} bodies, {copies} copies, {contacts} contacts")
        });
    }

    /// Hands a frame to the writer.
    ///
    /// # Errors
    /// When an earlier frame cannot be written.
    pub fn frame(&mut self, frame: Frame, record: BodyFrameRecord) -> Result<()> {
        let number = record.frame;
        let record = match self.begun.take() {
            Some(begun) => begun.followed_by(record),
            None => record,
        };
        let seconds: f64 = record.reports_of(0).map(|(_, report)| report.total_s()).sum();
        self.count(&record);
        let contacts = self.peaks.contacts.last;
        self.folder.add(number, frame, record)?;
        self.folder.progress.frame(number, seconds, || format!("{} contacts", grouped(contacts)));
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
    pub fn keep(&mut self, saved: Saved<BodyFrameRecord>) -> Result<()> {
        let steps =
            self.begun.iter().cloned().chain(saved.steps).reduce(BodyFrameRecord::followed_by);
        self.folder.keep(Saved { steps, ..saved })
    }

    /// Ends the run folder (see [`OpenFolder::end`]). If the run is complete, prints the summary on
    /// standard output.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn end(mut self, outcome: &Result<Option<Stop>>, setup: &RigidSetup) -> Result<()> {
        let is_complete = self.folder.end(outcome, |_| Ok(()))?;
        let Self { folder, peaks, .. } = self;
        let show = folder.job.show;
        if !is_complete || show.quiet {
            return Ok(());
        }
        let run = folder.facts();
        print::line(&Summary { run, setup, peaks: &peaks, details: show.details })
    }
}
