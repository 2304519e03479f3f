//! What the program notes of the searches of one step.

use cloth_sim::error::Result;
use cloth_sim::observe::note_theft;
use cloth_sim::observe::{ProcessorUse, SearchSpan, Theft};
use cloth_sim::observe::{SearchObserver, SearchOver};

use crate::program::replay::recording::step_recorder::StepRecorder;

/// Watches the searches of one step on one rank.
#[derive(Default)]
pub struct StepWatch {
    /// Whether each task is traced, for the time line.
    pub traces_tasks: bool,
    /// Records test trees, if this step is recorded.
    pub recorder: Option<StepRecorder>,
    /// How each of this rank's processors spent all searches.
    pub uses: Vec<ProcessorUse>,
    /// Who took tasks from whom.
    pub thefts: Vec<Theft>,
    /// Length of each search, s.
    pub lengths_s: Vec<f64>,
    /// The searches, if their tasks are traced.
    pub spans: Vec<SearchSpan>,
}

impl SearchObserver for StepWatch {
    fn traces_tasks(&self) -> bool {
        self.traces_tasks
    }

    fn searched(&mut self, search: &SearchOver) -> Result<()> {
        let processors = search.processors;
        self.uses.resize(processors.usage().count(), ProcessorUse::default());
        self.uses.iter_mut().zip(processors.usage()).for_each(|(sum, usage)| sum.add(usage));
        processors.thefts().for_each(|theft| note_theft(&mut self.thefts, *theft));
        self.lengths_s.push(processors.length_s());
        self.spans.extend(processors.span().cloned());
        match &mut self.recorder {
            Some(recorder) => recorder.searched(search),
            None => Ok(()),
        }
    }
}
