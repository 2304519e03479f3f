//! What the record of a run of cloth has of its own: its sums, warnings, recording and summary.

use std::collections::BTreeMap;
use std::time::Instant;

use cloth_core::error::Result;
use cloth_core::ids::PatchId;
use cloth_core::partition::Partition;
use cloth_core::report::Report;
use cloth_step::{Counter, EnergyRise, Model, StepReport, Unwelded, WaitingBody};

use crate::program::output::cloth_record::{Cloth, ClothFrameRecord};
use crate::program::output::folder::RunFolder;
use crate::program::output::obstacles;
use crate::program::output::run_json::RunHead;
use crate::program::output::{names, write_bytes};
use crate::program::print;
use crate::program::profile::frames::FrameProfiles;
use crate::program::run::cloth::crush::Crush;
use crate::program::run::cloth::details::Details;
use crate::program::run::cloth::peaks::{Peaks, contacts_of};
use crate::program::run::cloth::sizes::StepSizes;
use crate::program::run::cloth::summary::Summary;
use crate::program::run::cloth::waits::Waits;
use crate::program::run::cloth::yields::Yields;
use crate::program::run::content::ClothContent;
use crate::program::run::interrupt::Stop;
use crate::program::run::job::Job;
use crate::program::run::open_folder::OpenFolder;
use crate::program::run::progress::RunProgress;
use crate::program::run::recorder::{Recorder, RunSums};
use crate::program::run::recording::{RecordedStep, TreeWriter};
use crate::program::run::totals::Totals;
use crate::program::words::{plural, plural_grouped};

/// The most warnings about rises of energy during the run. `check` lists all rises.
const WARNINGS: u64 = 3;

/// What a run of cloth sums up.
pub struct ClothSums {
    /// Size of a whole step, s.
    step_s: f64,
    profiles: FrameProfiles<Cloth>,
    totals: Totals<StepReport>,
    peaks: Peaks,
    crush: Crush,
    sizes: StepSizes,
    waits: Waits,
    yields: Yields,
    /// The test trees of the recorded steps.
    trees: Option<TreeWriter>,
}

impl RunSums for ClothSums {
    type Kind = Cloth;

    fn recall(&mut self, head: &mut RunHead, record: &ClothFrameRecord) {
        for (step, report) in record.reports_of(0) {
            head.energy.add(step, self.step_s, report);
            head.repartitions.add(report);
        }
    }

    fn add(&mut self, head: &mut RunHead, record: &ClothFrameRecord) -> Option<String> {
        self.sizes.add(record.frame.saturating_sub(1) * head.steps_per_frame, record);
        self.peaks.add(record);
        self.profiles.add(record);
        self.totals.add(record);
        self.waits.add(record);
        self.yields.add(record);
        let warnings = [self.crush.add(record)];
        warnings.into_iter().flatten().reduce(|all, next| format!("{all}\n{next}"))
    }

    fn details(&self, record: &ClothFrameRecord) -> String {
        let iterations = record.reports_of(0).map(|(_, report)| report.get(Counter::CgIterations));
        let steps = record.reports_of(0).count().max(1);
        format!("{:.0} CG iterations a step", iterations.sum::<u64>() as f64 / steps as f64)
    }
}

impl<'j> Recorder<'j, ClothSums> {
    /// Begins the run of cloth in `folder`, or goes on with it.
    ///
    /// # Errors
    /// As for [`Recorder::open`].
    pub fn of_cloth(
        job: &'j Job,
        cloth: &ClothContent,
        folder: &RunFolder,
        model: &Model,
        head: RunHead,
    ) -> Result<Self> {
        let (mut trees, path, step_s) = (None, &job.target.folder, job.scene.step_s());
        let sums = ClothSums {
            step_s,
            profiles: FrameProfiles::default(),
            totals: Totals::default(),
            peaks: Peaks::default(),
            crush: Crush::default(),
            sizes: StepSizes::new(step_s),
            waits: Waits::new(step_s),
            yields: Yields::new(step_s),
            trees: None,
        };
        let mut recorder = Self::open(job, folder, head, sums, |head| {
            let partition = partition_csv(model);
            write_bytes(&path.join(names::PARTITION), partition.as_bytes())?;
            trees = cloth.recording.begin(&job.scene, model, head)?;
            if !job.target.resumes {
                cloth.materials.write(path)?;
            }
            obstacles::write(path, &cloth.documents, job.scene.output.digits)
        })?;
        recorder.sums.trees = trees;
        Ok(recorder)
    }

    /// Stores the test trees of a step that was recorded.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn trees(&mut self, step: Option<&RecordedStep>) -> Result<()> {
        match (&mut self.sums.trees, step) {
            (Some(writer), Some(step)) => writer.step(step),
            _ => Ok(()),
        }
    }

    /// Warns when bodies wait for the first time in the run, in a step that leads to `frame`.
    pub fn waits(&mut self, frame: u64, waiting: &[WaitingBody]) {
        if let Some(warning) = self.sums.waits.warning(frame, waiting) {
            self.folder.progress.say(&warning);
        }
    }

    /// Shows that `step` is done. Warns of the first few steps whose energy rises too much, and
    /// once if the sum of rises is too large.
    pub fn step(&mut self, step: u64, report: &StepReport) {
        let OpenFolder { head, progress, .. } = &mut self.folder;
        show_step(progress, step, report);
        let (faults, was_fault) = (head.energy.faults, head.energy.is_fault());
        head.energy.add(step, self.sums.step_s, report);
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

    /// Ends the run folder (see [`OpenFolder::end`]) with the tables of the profile. If the run is
    /// complete, prints the summary on standard output, with -v the details before it. It says how
    /// many stitches are `unwelded`.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn end(
        self,
        outcome: &Result<Option<Stop>>,
        model: &Model,
        unwelded: BTreeMap<Unwelded, usize>,
    ) -> Result<()> {
        let start = Instant::now();
        let Self { mut folder, sums, output_s, .. } = self;
        let ClothSums { step_s, profiles, totals, peaks, sizes, waits, yields, .. } = sums;
        let job = folder.job;
        let mut profile = None;
        folder.end(outcome, |head| {
            head.files.add(names::TABLES);
            profile.insert(profiles.of_run(head)).write_tables(&job.target.folder).map(drop)
        })?;
        let Some(profile) = profile else { return Ok(()) };
        let run = folder.facts();
        if job.show.details && job.show.words() {
            print::line(&Details {
                head: &folder.head,
                totals: &totals,
                profile: &profile,
                vertices: model.cloth.vertex_count(),
                step_s,
                wall_s: run.wall_s,
                checkpoints: folder.cost_of_checkpoints(),
                output_s: output_s + start.elapsed().as_secs_f64(),
            })?;
        }
        if job.show.words() {
            let (peaks, sizes, waits, yields) = (&peaks, &sizes, &waits, &yields);
            let apart = job.scene.apart_in_words();
            let unwelded = &unwelded;
            print::line(&Summary { run, model, peaks, unwelded, sizes, waits, yields, apart })?;
        }
        Ok(())
    }
}

/// Patch and rank of each cloth vertex.
fn partition_csv(model: &Model) -> String {
    let Partition { patches, rank_of_patch, .. } = &model.partition;
    let mut text = String::from("vertex,patch,rank\n");
    let of_cloth = &patches.of_vertex[..model.cloth.vertex_count()];
    for (vertex, &patch) in of_cloth.iter().enumerate() {
        let patch: PatchId = patch;
        text += &format!("{vertex},{patch},{}\n", rank_of_patch[patch as usize]);
    }
    text
}

/// Shows that `step` is done.
fn show_step(progress: &RunProgress, step: u64, report: &StepReport) {
    progress.step(step, report.total_s(), || {
        format!(
            "{}, {}, {}",
            plural_grouped(report.get(Counter::CgIterations), "CG iteration"),
            plural_grouped(contacts_of(report), "contact"),
            plural_grouped(report.get(Counter::Collisions), "collision"),
        )
    });
    let halvings = report.get(Counter::Halvings);
    if halvings > 0 {
        progress.say(&format!(
            "step {step}: the solve failed, so the step was redone in smaller ones ({})",
            plural(halvings as usize, "halving"),
        ));
    }
}
