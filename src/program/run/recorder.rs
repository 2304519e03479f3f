//! Keeps the run folder: frames, `run.json`, `steps.jsonl`, the recording, and the summary.

use std::time::Instant;

use cloth_sim::error::Result;
use cloth_sim::ids::PatchId;
use cloth_sim::partition::Partition;
use cloth_sim::report::Report;
use cloth_sim::step::{EnergyRise, Model, Simulation, StepReport, WaitingBody};

use crate::program::output::cloth_record::{Cloth, ClothFrameRecord};
use crate::program::output::folder::RunFolder;
use crate::program::output::frame::{Field, Frame};
use crate::program::output::obstacles;
use crate::program::output::run_json::RunHead;
use crate::program::output::steps_jsonl;
use crate::program::output::{names, write_bytes};
use crate::program::print;
use crate::program::profile::frames::FrameProfiles;
use crate::program::run::checkpoints::begun;
use crate::program::run::details::Details;
use crate::program::run::drops::Drops;
use crate::program::run::frames::Saved;
use crate::program::run::interrupt::Stop;
use crate::program::run::job::{ClothContent, Job};
use crate::program::run::open_folder::OpenFolder;
use crate::program::run::peaks::Peaks;
use crate::program::run::recording::{RecordedStep, TreeWriter};
use crate::program::run::summary::Summary;
use crate::program::run::totals::Totals;
use crate::program::run::waits::Waits;

/// The most warnings about rises of energy during the run. `check` lists all rises.
const WARNINGS: u64 = 3;

/// Keeps the run folder of a job, on rank 0.
pub struct Recorder<'j> {
    folder: OpenFolder<'j, ClothFrameRecord>,
    profiles: FrameProfiles<Cloth>,
    totals: Totals<StepReport>,
    peaks: Peaks,
    waits: Waits,
    drops: Drops,
    /// The test trees of the recorded steps.
    trees: Option<TreeWriter>,
    /// The steps of the next frame that were done before the run was resumed.
    begun: Option<ClothFrameRecord>,
    output_s: f64,
}

impl<'j> Recorder<'j> {
    /// Begins the run in `folder`, or goes on with it (see [`OpenFolder::begin`]). The sums of a
    /// resumed run include the frames that it already has.
    ///
    /// # Errors
    /// When a file cannot be read, written or removed.
    pub fn open(
        job: &'j Job,
        cloth: &ClothContent,
        folder: &RunFolder,
        model: &Model,
        head: RunHead,
    ) -> Result<Self> {
        let (mut trees, path) = (None, &job.target.folder);
        let begun = begun(folder)?;
        let folder = OpenFolder::begin(job, folder, head, |head| {
            let partition = partition_csv(&model.partition);
            write_bytes(&path.join(names::PARTITION), partition.as_bytes())?;
            trees = cloth.recording.begin(&job.scene, model, head)?;
            if !job.target.resumes {
                cloth.materials.write(path)?;
            }
            obstacles::write(path, &cloth.documents, job.scene.output.digits)
        })?;
        let mut recorder = Self {
            profiles: FrameProfiles::default(),
            totals: Totals::default(),
            peaks: Peaks::default(),
            waits: Waits::new(job.scene.step_s()),
            drops: Drops::new(job.scene.step_s()),
            folder,
            trees,
            begun,
            output_s: 0.0,
        };
        recorder.recall()?;
        Ok(recorder)
    }

    /// Adds the frames that the run already had when it was resumed, and the steps after them.
    fn recall(&mut self) -> Result<()> {
        let kept = self.folder.kept_frames.clone();
        if kept.is_empty() {
            return Ok(());
        }
        for frame in steps_jsonl::read(&self.folder.job.target.folder)?.take(kept.count()) {
            let frame = frame?;
            self.count_steps(&frame);
            self.count(&frame);
        }
        if let Some(begun) = self.begun.take() {
            self.count_steps(&begun);
            self.begun = Some(begun);
        }
        Ok(())
    }

    /// Adds the steps of a frame to the sums of steps.
    fn count_steps(&mut self, frame: &ClothFrameRecord) {
        let OpenFolder { job, head, .. } = &mut self.folder;
        for step in frame.steps.iter().filter(|step| step.rank == 0) {
            head.energy.add(step.step, job.scene.step_s(), &step.report);
            head.repartitions.add(&step.report);
        }
    }

    /// Adds a frame to the sums of frames. Returns the warning about it, if there is one.
    fn count(&mut self, frame: &ClothFrameRecord) -> Option<String> {
        self.peaks.add(frame);
        self.profiles.add(frame);
        self.totals.add(frame);
        self.waits.add(frame);
        self.drops.add(frame)
    }

    /// Stores the test trees of a step that was recorded.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn trees(&mut self, step: Option<&RecordedStep>) -> Result<()> {
        match (&mut self.trees, step) {
            (Some(writer), Some(step)) => writer.step(step),
            _ => Ok(()),
        }
    }

    /// Warns when bodies wait for the first time in the run, in a step that leads to `frame`.
    pub fn waits(&mut self, frame: u64, waiting: &[WaitingBody]) {
        if let Some(warning) = self.waits.warning(frame, waiting) {
            self.folder.progress.say(&warning);
        }
    }

    /// Shows that `step` is done. Warns of the first few steps whose energy rises too much, and
    /// once if the sum of rises is too large.
    pub fn step(&mut self, step: u64, report: &StepReport) {
        let OpenFolder { job, head, progress, .. } = &mut self.folder;
        progress.cloth_step(step, report);
        let (faults, was_fault) = (head.energy.faults, head.energy.is_fault());
        head.energy.add(step, job.scene.step_s(), report);
        head.repartitions.add(report);
        if head.energy.is_fault() && !was_fault {
            progress.say(&format!("warning: step {step}: {}", head.energy.gain()));
        }
        let rise = report.energy_rise().filter(EnergyRise::is_fault);
        let Some(rise) = rise.filter(|_| faults < WARNINGS) else { return };
        let [x, y, z] = rise.at_m;
        let last = if faults + 1 < WARNINGS { "" } else { "; no more warnings of this kind" };
        self.folder.progress.say(&format!(
            "warning: step {step}: energy rose by {:.2e} J without work (limit {:.2e} J), most at vertex {} \
             at ({x:.4}, {y:.4}, {z:.4}) m{last}",
            rise.unexplained_j, rise.limit_j, rise.vertex
        ));
    }

    /// Hands a frame to the writer.
    ///
    /// # Errors
    /// When an earlier frame cannot be written.
    pub fn frame(&mut self, frame: ClothFrameRecord, simulation: &Simulation) -> Result<()> {
        let start = Instant::now();
        let number = frame.frame;
        let frame = match self.begun.take() {
            Some(begun) => begun.followed_by(frame),
            None => frame,
        };
        let mut total = StepReport::default();
        let of_rank_0 = frame.steps.iter().filter(|step| step.rank == 0);
        of_rank_0.for_each(|step| total.add(&step.report));
        if let Some(warning) = self.count(&frame) {
            self.folder.progress.say(&warning);
        }
        self.folder.add(number, shown(simulation), frame)?;
        self.output_s += start.elapsed().as_secs_f64();
        self.folder.progress.cloth_frame(number, &total);
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
    pub fn keep(&mut self, saved: Saved<ClothFrameRecord>) -> Result<()> {
        let steps =
            self.begun.iter().cloned().chain(saved.steps).reduce(ClothFrameRecord::followed_by);
        self.folder.keep(Saved { steps, ..saved })
    }

    /// Ends the run folder (see [`OpenFolder::end`]) with the tables of the profile. If the run is
    /// complete, prints the summary on standard output, with -v the details before it.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn end(self, outcome: &Result<Option<Stop>>, model: &Model) -> Result<()> {
        let start = Instant::now();
        let Self { mut folder, profiles, totals, peaks, waits, drops, output_s, .. } = self;
        let job = folder.job;
        let mut profile = None;
        folder.end(outcome, |head| {
            head.files.add(names::TABLES);
            profile.insert(profiles.of_run(head)).write_tables(&job.target.folder).map(drop)
        })?;
        let Some(profile) = profile else { return Ok(()) };
        let run = folder.facts();
        if job.show.details {
            print::line(&Details {
                head: &folder.head,
                totals: &totals,
                profile: &profile,
                vertices: model.cloth.vertex_count(),
                step_s: job.scene.step_s(),
                wall_s: run.wall_s,
                checkpoints: folder.cost_of_checkpoints(),
                output_s: output_s + start.elapsed().as_secs_f64(),
            })?;
        }
        if !job.show.quiet {
            print::line(&Summary { run, model, peaks: &peaks, waits: &waits, drops: &drops })?;
        }
        Ok(())
    }
}

/// What the present state of `simulation` shows.
fn shown(simulation: &Simulation) -> Frame {
    let model = simulation.model();
    let mut surfaces = Vec::new();
    let mut rest = simulation.positions();
    for cloth in model
        .cloth_ends
        .iter()
        .scan(0, |start, &end| Some((end - std::mem::replace(start, end)) as usize))
    {
        let (own, others) = rest.split_at(cloth);
        surfaces.push(own.to_vec());
        rest = others;
    }
    for (obstacle, pose) in model.obstacles.iter().zip(simulation.obstacle_poses()) {
        if !obstacle.is_fixed() {
            let mut positions = vec![Default::default(); obstacle.shape.len()];
            obstacle.positions_after(pose.as_ref(), &mut positions);
            surfaces.push(positions);
        }
    }
    let velocities = simulation.velocities().iter().flat_map(|u| [u.x, u.y, u.z]);
    let velocity =
        Field { name: "velocity".to_owned(), components: 3, values: velocities.collect() };
    Frame { time_s: simulation.time_s(), surfaces, fields: vec![velocity], ..Frame::default() }
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
