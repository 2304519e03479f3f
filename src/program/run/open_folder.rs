//! The run folder from its begin to its end, for every kind of run, on rank 0.

use std::path::Path;

use cloth_sim::error::{Error, Result};
use nix::sys::signal::Signal;

use crate::program::output::folder::RunFolder;
use crate::program::output::frame_files::FrameThread;
use crate::program::output::run_json::{RunHead, Status};
use crate::program::output::{mesh_copies, names, write_bytes};
use crate::program::print;
use crate::program::run::job::Job;
use crate::program::run::progress::RunProgress;
use crate::program::run::summary::RunFacts;
use crate::program::words::whole_frames;

/// The run folder of a job while the run goes on. It gets frames `F`.
pub struct OpenFolder<'j, F> {
    /// The job.
    pub job: &'j Job,
    /// What its `run.json` will say.
    pub head: RunHead,
    /// What the user sees while the run goes on.
    pub progress: RunProgress,
    frames: FrameThread<F>,
    /// The last frame that was handed to the writer.
    last_frame: Option<u64>,
    /// Wall time of the set-up, s.
    set_up_s: f64,
}

impl<'j, F> OpenFolder<'j, F> {
    /// Removes the earlier run from `folder` and begins the new one: first its `run.json`, then the
    /// copies of its input, then all other files by `begin`. Prints warnings.
    ///
    /// # Errors
    /// When a file cannot be written or removed.
    pub fn begin(
        job: &'j Job,
        folder: &RunFolder,
        mut head: RunHead,
        begin: impl FnOnce(&RunHead) -> Result<FrameThread<F>>,
    ) -> Result<Self> {
        folder.clear()?;
        head.begin(&job.folder)?;
        let frames = copy_input(job)
            .and_then(|()| begin(&head))
            .inspect_err(|error| note_failure(&mut head, &job.folder, error))?;
        let (count, per_frame) = (job.scene.frames, job.scene.steps_per_frame);
        let progress = RunProgress::new(count.into(), per_frame.into(), job.show);
        let patches = head.bodies.is_none().then_some(head.patches);
        let of_scene = job.warnings.iter().map(|it| format!("warning: {it}"));
        let notes = taken_over(folder).into_iter().chain(of_scene);
        notes.chain(job.placement.warning(patches)).for_each(|note| progress.say(&note));
        let set_up_s = job.start.elapsed().as_secs_f64();
        Ok(Self { job, head, progress, frames, last_frame: None, set_up_s })
    }

    /// Hands frame `number` to the writer.
    ///
    /// # Errors
    /// When an earlier frame cannot be written.
    pub fn add(&mut self, number: u64, frame: F) -> Result<()> {
        self.frames.write(frame)?;
        self.last_frame = Some(number);
        Ok(())
    }

    /// Waits for the frames that are being written. If the run is complete, writes its `tables`.
    /// Then writes to `run.json` how the run ended, and says so if a signal ended it. Returns
    /// whether it is complete.
    ///
    /// # Errors
    /// The failure of a frame, or of those files. None if the run has failed before.
    pub fn end(
        &mut self,
        outcome: &Result<Option<Signal>>,
        tables: impl FnOnce(&mut RunHead) -> Result<()>,
    ) -> Result<bool> {
        self.progress.finish();
        let (written, folder) = (self.frames.finish(), &self.job.folder);
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
            .and_then(|()| if is_complete { tables(&mut self.head) } else { Ok(()) })
            .and_then(|()| self.head.end(folder))
            .inspect_err(|error| note_failure(&mut self.head, folder, error))?;
        if status == Status::Interrupted {
            let whole = whole_frames(self.last_frame);
            print::message(format_args!("interrupted, {whole}: {}", folder.display()));
        }
        Ok(is_complete)
    }

    /// What the summary says of the run, which is complete. Its frames have the format `format`.
    pub fn facts(&self, format: &'static str) -> RunFacts<'_> {
        RunFacts {
            head: &self.head,
            frames: self.last_frame.unwrap_or(0) as usize,
            format,
            folder: &self.job.folder,
            set_up_s: self.set_up_s,
            wall_s: self.job.start.elapsed().as_secs_f64(),
        }
    }
}

/// Copies the scene and its meshes into the run folder.
fn copy_input(job: &Job) -> Result<()> {
    let scene = mesh_copies::copy_into(&job.folder, &job.meshes, &job.scene, &job.home)?;
    write_bytes(&job.folder.join(names::SCENE), scene.to_ron()?.as_bytes())
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
