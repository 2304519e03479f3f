//! Rank 0's desk: run folder, frames, `run.json`, `steps.jsonl`, progress and summary.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::program::replay::recording::writer::Writer;
use crate::program::replay::recording::{Header, RecordedStep};
use cloth_sim::error::{Error, Result};
use cloth_sim::ids::PatchId;
use cloth_sim::partition::{Partition, PatchGraph};
use cloth_sim::step::{Model, Simulation, StepReport};

use crate::program::job::Job;
use crate::program::output::frames::FrameWriter;
use crate::program::output::names;
use crate::program::output::run_json::{RunHead, Status};
use crate::program::output::steps_jsonl::{FrameRecord, StepsFile};
use crate::program::print;
use crate::program::profile::FrameProfiles;
use crate::program::progress::Progress;
use crate::program::summary::{Summary, Totals};

/// Keeps the run folder of a job.
pub struct Recorder<'j> {
    job: &'j Job,
    frames: FrameWriter,
    head: RunHead,
    steps: StepsFile,
    profiles: FrameProfiles,
    totals: Totals,
    /// Where things stand while a run goes on.
    pub progress: Progress,
    /// Test trees, where they are asked for.
    tasks: Option<Writer>,
    output_s: f64,
}

impl<'j> Recorder<'j> {
    /// Prepares the folder: `scene.ron` as resolved, `partition.csv`, fixed
    /// obstacles, an empty `steps.jsonl` and a first `run.json`.
    ///
    /// # Errors
    /// When the folder holds frames already, or the folder or the file of test trees cannot
    /// be written.
    pub fn open(job: &'j Job, model: &Model, head: RunHead) -> Result<Self> {
        if let Some(path) = &job.record_tasks {
            check_tasks(path, job)?;
        }
        let (documents, digits) = (&job.documents, job.scene.output.digits);
        let frames =
            FrameWriter::create(&job.folder, documents, job.format, digits, job.overwrite)?;
        write_file(&job.folder.join(names::SCENE), &job.scene.to_ron(&job.home)?)?;
        write_file(&job.folder.join(names::PARTITION), &partition_csv(&model.partition))?;
        let tasks = job.record_tasks.as_ref().map(|path| begin_tasks(path, job, model, &head));
        let tasks = tasks.transpose()?;
        let steps = StepsFile::create(&job.folder)?;
        head.begin(&job.folder)?;
        let scene = &job.scene;
        let (count, per_frame) = (u64::from(scene.frames), u64::from(scene.steps_per_frame));
        let progress = Progress::new(count, per_frame, job.verbose, job.quiet);
        for warning in &job.warnings {
            progress.say(&format!("warning: the scene starts with {warning}"));
        }
        for rank in head.places.iter().filter(|place| place.vertices == 0) {
            progress.say(&format!(
                "warning: rank {} owns no patch of the cloth and only takes part in the collision \
                 phase; use fewer ranks or a smaller patch_vertices",
                rank.rank
            ));
        }
        Ok(Self {
            job,
            frames,
            profiles: FrameProfiles::new(head.ranks),
            totals: Totals::new(head.ranks),
            head,
            steps,
            progress,
            tasks,
            output_s: 0.0,
        })
    }

    /// Stores the test trees of a step, if it has any.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn tasks(&mut self, step: Option<&RecordedStep>) -> Result<()> {
        match (&mut self.tasks, step) {
            (Some(writer), Some(step)) => writer.step(step),
            _ => Ok(()),
        }
    }

    /// Hands a frame to the writer and adds it to `steps.jsonl`.
    ///
    /// # Errors
    /// When it cannot be noted, or an earlier frame could not be written.
    pub fn frame(&mut self, frame: &FrameRecord, simulation: &Simulation) -> Result<()> {
        let start = Instant::now();
        let (number, positions) = (frame.frame, simulation.positions().to_vec());
        let mut total = StepReport::default();
        let of_rank_0 = frame.steps.iter().filter(|step| step.rank == 0);
        of_rank_0.for_each(|step| total.add(&step.report));
        self.frames.write(number, simulation.scene_time_s(), positions)?;
        self.steps.add(frame)?;
        self.profiles.add(frame);
        self.totals.add(frame);
        self.output_s += start.elapsed().as_secs_f64();
        self.progress.frame(number, &total);
        Ok(())
    }

    /// Notes in `run.json` why the run ends early, after the last whole frame.
    pub fn fail(self, error: &Error) {
        let Self { job, frames, mut head, progress, .. } = self;
        progress.finish();
        // What goes wrong now follows from what did before.
        let _ = frames.finish();
        note_failure(&mut head, &job.folder, error);
    }

    /// Waits for the last frame, writes the profile as tables and prints the summary on
    /// standard output.
    ///
    /// # Errors
    /// When a frame could not be written.
    pub fn close(self, model: &Model) -> Result<()> {
        let Self { job, frames, mut head, profiles, totals, progress, output_s, .. } = self;
        let start = Instant::now();
        progress.finish();
        frames
            .finish()
            .and_then(|()| {
                head.status = Status::Complete;
                head.end(&job.folder)
            })
            .inspect_err(|error| note_failure(&mut head, &job.folder, error))?;
        let profile = profiles.of_run(&head);
        profile.write_tables(&job.folder)?;
        if !job.quiet {
            let summary = Summary {
                head: &head,
                totals: &totals,
                profile: &profile,
                vertices: model.cloth.vertex_count(),
                triangles: model.cloth.faces.len(),
                step_s: job.scene.step_s(),
                folder: &job.folder,
                wall_s: job.start.elapsed().as_secs_f64(),
                output_s: output_s + start.elapsed().as_secs_f64(),
            };
            print::line(&summary)?;
        }
        Ok(())
    }
}

/// Checks that test trees can be written to `path`, before there is a run folder. They must
/// overwrite nothing except an earlier recording, and no file of the run may overwrite them.
fn check_tasks(path: &Path, job: &Job) -> Result<()> {
    let fail = |cause: &str, remedy: &str| {
        Err(Error::file(path, cause, format!("choose another file (--record-tasks){remedy}")))
    };
    if path.exists() {
        match (job.overwrite, Writer::may_replace(path)) {
            (_, false) => return fail("there is something else already, no recording", ""),
            (false, true) => return fail("there is such a file already", ", or give --overwrite"),
            (true, true) => {}
        }
    }
    match real(path).strip_prefix(real(&job.folder)) {
        Err(_) => Writer::check(path),
        // The run makes its folder, but none in it, and its files have endings.
        Ok(name) if name.components().count() == 1 && name.extension().is_none() => Ok(()),
        Ok(_) => fail(
            "it may be in the way of the run's own files",
            ": in the run folder, a name without ending",
        ),
    }
}

/// `path` without links and `..`. The file itself may not exist yet.
fn real(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    match (path.canonicalize(), parent, path.file_name()) {
        (Ok(real), ..) => real,
        (Err(_), Some(parent), Some(name)) => real(parent).join(name),
        _ => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
    }
}

fn begin_tasks(path: &Path, job: &Job, model: &Model, head: &RunHead) -> Result<Writer> {
    let steps_per_frame = u64::from(job.scene.steps_per_frame);
    let header = Header {
        scene: job.scene.name.clone(),
        ranks: head.ranks,
        threads: head.threads,
        steps_per_frame,
        steps: u64::from(job.scene.frames) * steps_per_frame / job.record_every,
        collision: job.scene.collision,
        patches: PatchGraph::new(&model.graph, &model.partition.patches),
        vertices: model.cloth.vertex_count() as u64,
        phases: Header::phase_names(),
    };
    Writer::create(path, &header)
}

/// What cannot be written any more is let go: the error itself is what the user
/// must read.
fn note_failure(head: &mut RunHead, folder: &Path, error: &Error) {
    head.status = Status::Failed;
    head.error = Some(error.to_string());
    let _ = head.end(folder);
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
