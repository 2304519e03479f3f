//! Rank 0's desk: run folder, frames, `run.json`, progress and summary.

use std::path::Path;
use std::time::Instant;

use cloth_sim::error::{Error, Result};
use cloth_sim::ids::PatchId;
use cloth_sim::output::frames::FrameWriter;
use cloth_sim::output::run_json::{FrameRecord, RunRecord, Status, StepRecord};
use cloth_sim::partition::Partition;
use cloth_sim::profile::StepReport;
use cloth_sim::report::summary::Summary;
use cloth_sim::sim::{Model, Simulation};

use crate::progress::Progress;
use crate::run::Job;

/// Keeps the run folder of a job.
pub struct Recorder<'j> {
    job: &'j Job,
    frames: FrameWriter,
    record: RunRecord,
    /// Where things stand while a run goes on.
    pub progress: Progress,
    output_s: f64,
}

impl<'j> Recorder<'j> {
    /// Prepares the folder: `scene.ron` as resolved, `partition.csv`, fixed
    /// obstacles, and a first `run.json`.
    ///
    /// # Errors
    /// When the folder holds frames already or cannot be written.
    pub fn open(job: &'j Job, model: &Model, record: RunRecord) -> Result<Self> {
        let frames = FrameWriter::new(
            &job.folder,
            job.overwrite,
            job.setup.clone(),
            job.scene.output.digits,
        )?;
        write_file(&job.folder.join("scene.ron"), &cloth_sim::scene::to_ron(&job.scene)?)?;
        write_file(&job.folder.join("partition.csv"), &partition_csv(&model.partition))?;
        record.write(&job.folder)?;
        let scene = &job.scene;
        let (count, steps) = (u64::from(scene.frames), u64::from(scene.steps_per_frame));
        let progress = Progress::new(count, steps, job.verbose, job.quiet);
        for rank in record.places.iter().filter(|place| place.vertices == 0) {
            progress.say(&format!(
                "warning: rank {} owns no patch of the cloth and only takes part in the collision \
                 phase; use fewer ranks or a smaller patch_vertices",
                rank.rank
            ));
        }
        Ok(Self { job, frames, record, progress, output_s: 0.0 })
    }

    /// Hands a frame to the writer and notes its hash and the steps before it.
    ///
    /// # Errors
    /// When an earlier frame could not be written.
    pub fn frame(
        &mut self,
        frame: u64,
        state_hash: u64,
        simulation: &Simulation,
        steps: Vec<StepRecord>,
    ) -> Result<()> {
        let start = Instant::now();
        let mut total = StepReport::default();
        steps.iter().filter(|step| step.rank == 0).for_each(|step| total.add(&step.report));
        self.record.steps.extend(steps);
        self.record.frames.push(FrameRecord { frame, state_hash: format!("{state_hash:016x}") });
        self.frames.write(frame, simulation.positions(), simulation.time_s())?;
        self.record.write(&self.job.folder)?;
        self.output_s += start.elapsed().as_secs_f64();
        self.progress.frame(frame, &total);
        Ok(())
    }

    /// Notes in `run.json` why the run ends early. What cannot be written any
    /// more is let go: the error itself is what the user must read.
    pub fn fail(&mut self, error: &Error) {
        self.progress.finish();
        self.record.status = Status::Failed;
        self.record.error = Some(error.to_string());
        let _ = self.record.write(&self.job.folder);
    }

    /// Waits for the last frame and prints the summary on standard output.
    ///
    /// # Errors
    /// When a frame could not be written.
    pub fn close(mut self, model: &Model) -> Result<()> {
        let start = Instant::now();
        if let Err(error) = self.frames.finish() {
            self.fail(&error);
            return Err(error);
        }
        self.output_s += start.elapsed().as_secs_f64();
        self.record.status = Status::Complete;
        self.record.write(&self.job.folder)?;
        self.progress.finish();
        if !self.job.quiet {
            let summary = Summary {
                record: &self.record,
                vertices: model.cloth.vertex_count(),
                triangles: model.cloth.faces.len(),
                step_s: self.job.scene.step_s(),
                folder: &self.job.folder,
                wall_s: self.job.start.elapsed().as_secs_f64(),
                output_s: self.output_s,
            };
            println!("{summary}");
        }
        Ok(())
    }
}

fn write_file(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text)
        .map_err(|cause| Error::file(path, cause, "free some space or choose another --out"))
}

/// Patch and rank of each cloth vertex.
fn partition_csv(partition: &Partition) -> String {
    let mut text = String::from("vertex,patch,rank\n");
    for (vertex, &patch) in partition.patches.of_vertex.iter().enumerate() {
        let patch: PatchId = patch;
        text += &format!("{vertex},{patch},{}\n", partition.rank_of_patch[patch as usize]);
    }
    text
}
