//! What the record of a run of cloth has of its own: its sums, warnings, recording and summary.

use std::collections::BTreeMap;
use std::time::Instant;

use cloth_core::error::Result;
use cloth_core::report::Report;
use cloth_step::{Counter, EnergyRise, Model, StepReport, Unwelded, WaitingBody};

use crate::program::output::{
    Cloth, ClothFrameRecord, RunFolder, RunHead, names, obstacles, tables,
};
use crate::program::print;
use crate::program::profile::FrameProfiles;
use crate::program::run::cloth::peaks::{Peaks, contacts_of};
use crate::program::run::cloth::summary::Summary;
use crate::program::run::cloth::{Conflicts, Crush, Details, StepSizes};
use crate::program::run::recording::{RecordedStep, TreeWriter};
use crate::program::run::{ClothContent, Job, Recorder, RunProgress, RunSums, Stop, Totals};
use crate::program::words::{plural, plural_grouped};

/// The most warnings about rises of energy during the run. `check` lists all rises.
const WARNINGS: u64 = 3;

/// What a run of cloth sums up.
pub struct ClothSums {
    /// Size of a whole step, s.
    pub step_s: f64,
    profiles: FrameProfiles<Cloth>,
    /// Sums over its steps.
    pub totals: Totals<StepReport>,
    /// Its extremes.
    pub peaks: Peaks,
    crush: Crush,
    /// The sizes of its steps.
    pub sizes: StepSizes,
    /// Bodies that waited, obstacles that cloth passed or whose skin gave way.
    pub conflicts: Conflicts,
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
        self.conflicts.add(record);
        self.crush.add(record)
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
    /// The errors of [`Recorder::open`].
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
            conflicts: Conflicts::new(step_s),
            trees: None,
        };
        let mut recorder = Self::open(job, folder, head, sums, |head| {
            tables::write_partition(path, &model.partition, model.cloth.vertex_count())?;
            trees = cloth.recording.begin(&job.scene, model, head)?;
            if !job.target.resumes {
                cloth.materials.write(path)?;
            }
            obstacles::write(path, &job.frame_objects().still, job.scene.output.digits)
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
        if let Some(warning) = self.sums.conflicts.warning(frame, waiting) {
            self.progress.say(&warning);
        }
    }

    /// Shows that `step` is done. Warns of the first few steps whose energy rises too much, and
    /// once if the sum of rises is too large.
    pub fn step(&mut self, step: u64, report: &StepReport) {
        let Self { head, progress, .. } = self;
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
        self.progress.say(&format!(
            "warning: step {step}: energy rose by {:.2e} J without work (limit {:.2e} J), most at vertex {} \
             at ({x:.4}, {y:.4}, {z:.4}) m{last}",
            rise.unexplained_j, rise.limit_j, rise.vertex
        ));
    }

    /// Ends the run folder (see [`Self::close`]) with the tables of the profile. If the run is
    /// complete, prints the summary on standard output, with -v the details before it. It says how
    /// many stitches are `unwelded`.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn end(
        mut self,
        outcome: &Result<Option<Stop>>,
        model: &Model,
        unwelded: BTreeMap<Unwelded, usize>,
    ) -> Result<()> {
        let (start, job) = (Instant::now(), self.job);
        let (profiles, mut profile) = (std::mem::take(&mut self.sums.profiles), None);
        self.close(outcome, |head| {
            head.files.add(names::TABLES);
            profile.insert(profiles.of_run(head)).write_tables(&job.target.folder).map(drop)
        })?;
        let Some(profile) = profile.filter(|_| job.show.words()) else { return Ok(()) };
        let (run, sums) = (self.facts(), &self.sums);
        if job.show.details {
            print::line(&Details {
                run: &run,
                sums,
                profile: &profile,
                vertices: model.cloth.vertex_count(),
                checkpoints: self.cost_of_checkpoints(),
                output_s: self.output_s + start.elapsed().as_secs_f64(),
            })?;
        }
        let apart = job.scene.apart_in_words();
        print::line(&Summary { run, model, sums, unwelded: &unwelded, apart })
    }
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
