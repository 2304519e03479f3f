//! What the record of a run of rigid bodies has of its own: its sums and its summary.

use cloth_core::error::Result;
use cloth_core::report::Report;
use cloth_rigid::RigidReport;
use cloth_scene::bodies::RigidSetup;

use crate::program::output::{Bodies, BodyFrameRecord, RunFolder, RunHead, obstacles};
use crate::program::print;
use crate::program::run::bodies::summary::{Peaks, Summary};
use crate::program::run::{Job, Recorder, RunSums, Stop};
use crate::program::words::plural_grouped;

impl RunSums for Peaks {
    type Kind = Bodies;

    fn add(&mut self, head: &mut RunHead, record: &BodyFrameRecord) -> Option<String> {
        if let Some(seconds) = record.part.repartition_s {
            head.repartitions.count += 1;
            head.repartitions.seconds += seconds;
        }
        Peaks::add(self, record);
        None
    }

    fn details(&self, _: &BodyFrameRecord) -> String {
        plural_grouped(self.contacts.last, "contact")
    }
}

impl<'j> Recorder<'j, Peaks> {
    /// Begins the run of rigid bodies in `folder`, or goes on with it.
    ///
    /// # Errors
    /// The errors of [`Recorder::open`].
    pub fn of_bodies(
        job: &'j Job,
        folder: &RunFolder,
        setup: &RigidSetup,
        head: RunHead,
    ) -> Result<Self> {
        let (path, digits) = (&job.target.folder, job.scene.output.digits);
        Self::open(job, folder, head, Peaks::default(), |_| {
            obstacles::write(path, &job.frame_objects().still, digits)?;
            obstacles::write_solids(path, &setup.solids, digits)
        })
    }

    /// Shows that `step` is done. `report` is that of rank 0.
    pub fn step(&self, step: u64, report: &RigidReport) {
        self.progress.step(step, report.total_s(), || {
            let counts =
                [(report.bodies, "body"), (report.copies, "copy"), (report.contacts, "contact")];
            let [bodies, copies, contacts] = counts.map(|(it, noun)| plural_grouped(it, noun));
            format!("rank 0 has {bodies}, {copies}, {contacts}")
        });
    }

    /// Ends the run folder (see [`Self::close`]). If the run is complete, prints the summary on
    /// standard output.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn end(mut self, outcome: &Result<Option<Stop>>, setup: &RigidSetup) -> Result<()> {
        let is_complete = self.close(outcome, |_| Ok(()))?;
        let show = self.job.show;
        if !is_complete || !show.words() {
            return Ok(());
        }
        let (run, peaks) = (self.facts(), &self.sums);
        print::line(&Summary { run, setup, peaks, details: show.details })
    }
}
