//! Watches the searches of one step for the profile and the recording.

use crate::observe::{ProcessorUse, SearchObserver, SearchOver, Theft, note_theft};
use cloth_core::error::Result;
use cloth_core::ranks::World;
use cloth_scene::Scene;
use cloth_step::StepReport;

use crate::program::run::ClothContent;
use crate::program::run::recording::{RecordedStep, StepRecorder};

/// The observer of one step on one rank.
#[derive(Default)]
pub struct StepWatch {
    /// How each of this rank's processors spent all searches.
    pub uses: Vec<ProcessorUse>,
    /// Which processor took tasks from which.
    pub thefts: Vec<Theft>,
    /// Length of each search, s.
    pub lengths_s: Vec<f64>,
    /// Records test trees, if this step is recorded.
    recorder: Option<StepRecorder>,
}

impl StepWatch {
    /// Watches `step` for everything that a run of `cloth` is asked for.
    pub fn new(cloth: &ClothContent, scene: &Scene, step: u64) -> Self {
        Self {
            recorder: cloth.recording.records(step, scene).then(StepRecorder::default),
            ..Self::default()
        }
    }

    /// The test trees of the step, on rank 0, if it is recorded. `report` is the step's.
    /// Collective.
    ///
    /// # Errors
    /// When a rank fails.
    pub fn take_trees(
        &mut self,
        world: &dyn World,
        step: u64,
        report: &StepReport,
    ) -> Result<Option<RecordedStep>> {
        match self.recorder.take() {
            Some(recorder) => recorder.finish(world, step, report),
            None => Ok(None),
        }
    }
}

impl SearchObserver for StepWatch {
    fn searched(&mut self, search: &SearchOver) -> Result<()> {
        let processors = search.processors;
        self.uses.resize(processors.usage().count(), ProcessorUse::default());
        self.uses.iter_mut().zip(processors.usage()).for_each(|(sum, usage)| sum.add(usage));
        processors.thefts().for_each(|theft| note_theft(&mut self.thefts, *theft));
        self.lengths_s.push(processors.length_s());
        match &mut self.recorder {
            Some(recorder) => recorder.searched(search),
            None => Ok(()),
        }
    }
}
