//! Keeps the run folder from its beginning to its end, for every kind of run, on rank 0: frames,
//! `run.json`, `steps.jsonl`, checkpoints, and the sums of the run.

use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use cloth_core::error::{Error, Result, shell_word};
use cloth_core::report::Report;

use crate::engine::Frame;
use crate::program::output::checkpoint::Checkpoint;
use crate::program::output::{
    FrameRecord, FrameThread, Kept, Kind, RunFolder, RunHead, Status, mesh_copies, names,
    steps_jsonl, write_bytes,
};
use crate::program::print::{self, ResultFormat};
use crate::program::run::checkpoints::begun;
use crate::program::run::{Job, RunFacts, RunProgress, Saved, Schedule, Stop};
use crate::program::words::whole_frames;

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

/// The run folder of a job while the run goes on.
pub struct Recorder<'j, S: RunSums> {
    /// The job.
    pub job: &'j Job,
    /// The content of its `run.json`.
    pub head: RunHead,
    /// Shows the progress to the user.
    pub progress: RunProgress,
    /// The sums of the run.
    pub sums: S,
    /// Wall time in which frames were handed to the writer or waited for it, s.
    pub output_s: f64,
    frames: FrameThread<FrameRecord<S::Kind>>,
    checkpoints: Schedule,
    /// The frames that the run already had when it was resumed. Empty for a new run.
    kept_frames: Range<u64>,
    /// The last frame that was handed to the writer.
    last_frame: Option<u64>,
    /// Wall time of the set-up, s.
    set_up_s: f64,
    /// The steps of the next frame that were done before the run was resumed.
    begun: Option<FrameRecord<S::Kind>>,
}

impl<'j, S: RunSums> Recorder<'j, S> {
    /// Removes the earlier run from `folder` and begins the new one: first its `run.json`, then the
    /// copies of its input, then what it writes once by `begin`, then frames. If the run in
    /// `folder` goes on, only what came after its checkpoint is removed, and its sums include the
    /// frames that it already has. Prints warnings.
    ///
    /// # Errors
    /// When a file cannot be read, written or removed.
    pub fn open(
        job: &'j Job,
        folder: &RunFolder,
        mut head: RunHead,
        sums: S,
        begin: impl FnOnce(&RunHead) -> Result<()>,
    ) -> Result<Self> {
        let begun = begun(folder)?;
        let (checkpoint, kept_frames) = (folder.checkpoint.as_ref(), folder.kept_frames());
        let kept = Kept { frames: kept_frames.clone(), checkpoints: job.checkpoints.kept };
        let path = &job.target.folder;
        let step = checkpoint.map_or(0, |checkpoint| checkpoint.header.step);
        if job.target.resumes {
            head.go_on(RunHead::read(path)?, step);
        }
        folder.clear()?;
        head.begin(path)?;
        let frames = copy_input(job)
            .and_then(|()| begin(&head))
            .and_then(|()| FrameThread::begin(path, kept, &job.formats, &job.frame_objects()))
            .inspect_err(|error| note_failure(&mut head, path, error))?;
        let (count, per_frame) = (job.scene.frames, job.scene.steps_per_frame.at_most());
        let progress = RunProgress::new(count.into(), per_frame.into(), job.show);
        say_beginning(job, folder, &head, &progress);
        let mut recorder = Self {
            job,
            head,
            progress,
            sums,
            output_s: 0.0,
            frames,
            checkpoints: Schedule::new(job, folder.first_frame),
            last_frame: kept_frames.clone().last(),
            kept_frames,
            set_up_s: job.start.elapsed().as_secs_f64(),
            begun,
        };
        let recalled = recorder.recall();
        recalled.inspect_err(|error| note_failure(&mut recorder.head, path, error))?;
        Ok(recorder)
    }

    /// Adds the frames that the run already had when it was resumed, and the steps after them.
    fn recall(&mut self) -> Result<()> {
        let Self { job, head, kept_frames, sums, begun, .. } = self;
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
        let warning = self.sums.add(&mut self.head, &record);
        warning.iter().for_each(|warning| self.progress.say(warning));
        let seconds = record.reports_of(0).map(|(_, report)| report.total_s()).sum();
        let (number, details) = (record.frame, self.sums.details(&record));
        self.frames.write(number, shown, record)?;
        self.last_frame = Some(number);
        self.output_s += start.elapsed().as_secs_f64();
        self.progress.frame(number, seconds, &details);
        Ok(())
    }

    /// Whether a checkpoint is due after `frame`.
    pub fn checkpoint_is_due(&self, frame: u64) -> bool {
        self.checkpoints.is_due(frame, self.frames.checkpoints_s())
    }

    /// Hands a checkpoint to the writer.
    ///
    /// # Errors
    /// When an earlier frame cannot be written.
    pub fn keep(&mut self, saved: Saved<FrameRecord<S::Kind>>) -> Result<()> {
        let Saved { step, state, steps, start } = saved;
        let steps = self.begun.iter().cloned().chain(steps).reduce(FrameRecord::followed_by);
        let record = |steps| serde_json::to_vec(&steps).map_err(|it| Error::internal("steps", it));
        let steps = steps.map(record).transpose()?.unwrap_or_default();
        let header = self.job.checkpoint_header(step);
        self.checkpoints.add(start.elapsed().as_secs_f64());
        self.frames.write_checkpoint(Checkpoint { header, state, steps })
    }

    /// Waits for the frames that are being written. If the run is complete, writes its `tables`.
    /// Then writes to `run.json` how the run ended. If it was interrupted, prints how to go on.
    /// Prints the result if other programs read it. Returns whether the run is complete.
    ///
    /// # Errors
    /// When a frame or one of these files cannot be written. No error if the run itself has
    /// failed.
    pub fn close(
        &mut self,
        outcome: &Result<Option<Stop>>,
        tables: impl FnOnce(&mut RunHead) -> Result<()>,
    ) -> Result<bool> {
        self.progress.finish();
        let (written, folder) = (self.frames.finish(), &self.job.target.folder);
        let status = match outcome {
            Ok(None) => Status::Complete,
            Ok(Some(_)) => Status::Interrupted,
            Err(error) => {
                // A further error is only a consequence of the first one.
                note_failure(&mut self.head, folder, error);
                return Ok(false);
            }
        };
        self.head.status = status;
        let is_complete = status == Status::Complete;
        written
            .map(|times| self.head.formats = times)
            .and_then(|()| if is_complete { tables(&mut self.head) } else { Ok(()) })
            .and_then(|()| self.head.end(folder))
            .inspect_err(|error| note_failure(&mut self.head, folder, error))?;
        if status == Status::Interrupted {
            let whole = whole_frames(self.head.first_frame(), self.last_frame);
            let folder = folder.display();
            let next = match self.job.makes_checkpoints() {
                true => format!("; to go on: cloth-sim resume {}", shell_word(&folder)),
                false => String::new(),
            };
            print::message(format_args!("interrupted, {whole}: {folder}{next}"));
        }
        let result = ResultFormat { json: self.job.show.json };
        result.print(&self.facts(), || Ok(()))?;
        Ok(is_complete)
    }

    /// Number of checkpoints, and the time that they took, s.
    pub fn cost_of_checkpoints(&self) -> (u32, f64) {
        self.checkpoints.cost(self.frames.checkpoints_s())
    }

    /// What the summary says of the run.
    pub fn facts(&self) -> RunFacts<'_> {
        RunFacts {
            folder: &self.job.target.folder,
            last_frame: self.last_frame,
            set_up_s: self.set_up_s,
            wall_s: self.job.start.elapsed().as_secs_f64(),
            head: &self.head,
            kept_frames: self.kept_frames.clone(),
            formats: &self.job.formats,
        }
    }
}

/// Prints where the run begins, and its warnings.
fn say_beginning(job: &Job, folder: &RunFolder, head: &RunHead, progress: &RunProgress) {
    let say = |line: String| progress.say(&line);
    folder.refused.iter().for_each(|why| say(format!("warning: {why}")));
    match folder.kept_frames().last() {
        Some(frame) if !job.show.quiet => {
            let step = folder.checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.header.step);
            say(format!("goes on after step {step}, frame {frame}"));
        }
        None if job.target.resumes => {
            say("note: the run has no checkpoint, and begins again".to_owned());
        }
        _ => {}
    }
    head.begun_from.iter().for_each(|it| say(format!("note: {it}")));
    taken_over(folder).into_iter().for_each(say);
    job.warnings.iter().for_each(|it| say(format!("warning: {it}")));
    let patches = head.bodies.is_none().then_some(head.patches);
    job.placement.warning(patches).into_iter().for_each(say);
}

/// Copies the meshes and then the scene into the run folder. If the run goes on, the meshes are
/// there.
fn copy_input(job: &Job) -> Result<()> {
    let (folder, input) = (&job.target.folder, &job.input);
    let scene = match job.target.resumes {
        true => job.scene.clone(),
        false => mesh_copies::copy_into(folder, &input.meshes, &job.scene, &input.home)?,
    };
    write_bytes(&folder.join(names::SCENE), scene.to_ron()?.as_bytes())
}

/// A note about a dead process that had locked the folder.
fn taken_over(folder: &RunFolder) -> Option<String> {
    let owner = folder.taken_over.as_ref()?;
    Some(format!(
        "note: process {} has ended without removing its {}; this run takes the folder over",
        owner.process,
        names::LOCK
    ))
}

/// Writes the failure to `run.json`. If that fails too, the user still reads `error`.
fn note_failure(head: &mut RunHead, folder: &Path, error: &Error) {
    head.status = Status::Failed;
    head.error = Some(error.to_string());
    let _ = head.end(folder);
}
