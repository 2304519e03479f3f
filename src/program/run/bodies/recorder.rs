//! Keeps the run folder of rigid bodies: frames, `run.json`, `steps.jsonl`, and the summary.

use cloth_sim::error::{Error, Result};
use cloth_sim::rigid::RigidReport;
use cloth_sim::scene::bodies::RigidSetup;

use crate::program::output::bodies::record::BodyFrameRecord;
use crate::program::output::bodies::writer::BodyWriter;
use crate::program::output::bodies::{BodyFormat, BodyFrame, named, obstacles};
use crate::program::output::folder::RunFolder;
use crate::program::output::run_json::{RunHead, Status};
use crate::program::output::{mesh_copies, names};
use crate::program::print;
use crate::program::run::bodies::summary::{Peaks, Summary};
use crate::program::run::ends::{
    end_with, note_failure, say_interrupted, taken_over, warnings, write_file,
};
use crate::program::run::job::Job;
use crate::program::run::progress::RunProgress;
use crate::program::words::grouped;

/// Keeps the run folder of a job, on rank 0.
pub struct Recorder<'j> {
    job: &'j Job,
    format: &'static dyn BodyFormat,
    frames: BodyWriter<BodyFrameRecord>,
    head: RunHead,
    last_frame: Option<u64>,
    peaks: Peaks,
    /// Wall time of the set-up, s.
    set_up_s: f64,
    /// What the user sees while the run goes on.
    progress: RunProgress,
}

impl<'j> Recorder<'j> {
    /// Removes the earlier run from the folder and begins the new one, first of all its `run.json`.
    /// Prints warnings.
    ///
    /// # Errors
    /// When a file cannot be written or removed.
    pub fn open(
        job: &'j Job,
        folder: &RunFolder,
        setup: &RigidSetup,
        mut head: RunHead,
    ) -> Result<Self> {
        let format = named(&job.scene.output.format, setup.body_count() as usize)?;
        folder.clear()?;
        head.begin(&job.folder)?;
        let frames = begin_files(job, setup, format)
            .inspect_err(|error| note_failure(&mut head, &job.folder, error))?;
        let scene = &job.scene;
        let (count, per_frame) = (u64::from(scene.frames), u64::from(scene.steps_per_frame));
        let progress = RunProgress::new(count, per_frame, job.show);
        taken_over(folder).into_iter().for_each(|note| progress.say(&note));
        warnings(job, usize::MAX).for_each(|warning| progress.say(&warning));
        let set_up_s = job.start.elapsed().as_secs_f64();
        let (last_frame, peaks) = (None, Peaks::default());
        Ok(Self { job, format, frames, head, last_frame, peaks, set_up_s, progress })
    }

    /// Shows that `step` is done, which took `seconds` on rank 0.
    pub fn step(&self, step: u64, seconds: f64, report: &RigidReport) {
        self.progress.step(step, seconds, || {
            let RigidReport { bodies, copies, contacts, .. } = report;
            format!("rank 0 has {bodies} bodies, {copies} copies, {contacts} contacts")
        });
    }

    /// Hands a frame to the writer.
    ///
    /// # Errors
    /// When an earlier frame cannot be written.
    pub fn frame(&mut self, frame: BodyFrame, record: BodyFrameRecord) -> Result<()> {
        let number = frame.number;
        let of_rank_0 = record.steps.iter().filter(|step| step.rank == 0);
        let seconds: f64 = of_rank_0.map(|step| step.times.iter().map(in_phase).sum::<f64>()).sum();
        if record.repartition_s.is_some() {
            self.head.repartitions.count += 1;
            self.head.repartitions.seconds += record.repartition_s.unwrap_or_default();
        }
        self.peaks.add(&record);
        let contacts = self.peaks.last_contacts();
        self.frames.write(frame, record)?;
        self.last_frame = Some(number);
        self.progress.frame(number, seconds, || format!("{} contacts", grouped(contacts)));
        Ok(())
    }

    /// Waits for the frames that are being written. Then writes to `run.json` why the run failed.
    pub fn fail(mut self, error: &Error) {
        self.progress.finish();
        // A further error is only a consequence of the first one.
        let _ = self.frames.finish();
        note_failure(&mut self.head, &self.job.folder, error);
    }

    /// Waits for the frames that are being written. Then writes to `run.json` that the run was
    /// interrupted, and says so.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn interrupt(mut self) -> Result<()> {
        self.progress.finish();
        let folder = &self.job.folder;
        end_with(Status::Interrupted, self.frames.finish(), &mut self.head, folder)?;
        say_interrupted(self.last_frame, folder);
        Ok(())
    }

    /// Waits for the last frame and prints the summary on standard output.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn close(self, setup: &RigidSetup) -> Result<()> {
        let Self { job, format, frames, mut head, last_frame, peaks, set_up_s, progress } = self;
        progress.finish();
        end_with(Status::Complete, frames.finish(), &mut head, &job.folder)?;
        if job.show.quiet {
            return Ok(());
        }
        print::line(&Summary {
            head: &head,
            setup,
            peaks: &peaks,
            frames: last_frame.unwrap_or(0) as usize,
            format: format.name(),
            folder: &job.folder,
            set_up_s,
            wall_s: job.start.elapsed().as_secs_f64(),
            details: job.show.details,
        })
    }
}

/// The time of an entry that is the time of a phase, s; 0 of one in which the rank waited.
fn in_phase((name, seconds): (&String, &f64)) -> f64 {
    if name.ends_with("_waited_s") { 0.0 } else { *seconds }
}

/// Begins all files of the run except `run.json`.
fn begin_files(
    job: &Job,
    setup: &RigidSetup,
    format: &'static dyn BodyFormat,
) -> Result<BodyWriter<BodyFrameRecord>> {
    let (folder, digits) = (&job.folder, job.scene.output.digits);
    let scene = mesh_copies::copy_into(folder, &job.meshes, &job.scene, &job.home)?;
    write_file(&folder.join(names::SCENE), &scene.to_ron()?)?;
    obstacles::write(folder, setup.fixed.bodies(), &setup.solids, &setup.domain, digits)?;
    obstacles::write_solids(folder, &setup.solids, digits)?;
    BodyWriter::create(folder, format, &setup.solids, digits)
}
