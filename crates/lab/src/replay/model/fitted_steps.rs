//! Chooses the recorded steps that the model is fitted to.
//!
//! Every second recorded step is used for fitting. The model is compared on the others. The choice
//! is the same in all recordings of a step, so that no comparison uses a step that the model
//! already knows.

use std::collections::{BTreeMap, HashSet};

use crate::replay::recording::Recording;
use cloth_sim::program::run::recording::RecordedStep;

/// All recordings of a replay, and the steps that the model is fitted to.
///
/// Steps of one scene that are in the same recordings form a group. Every second step of a group is
/// used for fitting, starting with the first one. So recordings that share steps use half of them,
/// wherever the steps stand in each file.
pub struct RecordingSet<'a> {
    all: Vec<&'a Recording>,
    fitted: HashSet<(&'a str, u64)>,
}

impl<'a> RecordingSet<'a> {
    /// Chooses the steps of `all` recordings.
    pub fn new(all: Vec<&'a Recording>) -> Self {
        let mut holders = BTreeMap::<(&str, u64), Vec<usize>>::new();
        for (place, recording) in all.iter().enumerate() {
            for step in &recording.steps {
                holders.entry((&recording.header.scene, step.step)).or_default().push(place);
            }
        }
        let mut was_fitted = BTreeMap::<Vec<usize>, bool>::new();
        let mut fitted = HashSet::new();
        for (step, holders) in holders {
            let last = was_fitted.entry(holders).or_default();
            *last = !*last;
            if *last {
                fitted.insert(step);
            }
        }
        Self { all, fitted }
    }

    /// All recordings.
    pub fn recordings(&self) -> impl Iterator<Item = &'a Recording> {
        self.all.iter().copied()
    }

    /// Whether a step of a recording is used for fitting.
    pub fn is_fitted(&self, recording: &Recording, step: &RecordedStep) -> bool {
        self.fitted.contains(&(recording.header.scene.as_str(), step.step))
    }

    /// The recording of `step` on one processor.
    pub fn alone(&self, step: &RecordedStep) -> Option<&'a RecordedStep> {
        let of_one = self.recordings().filter(|recording| recording.is_of_one_processor());
        of_one.filter_map(|recording| recording.counterpart(step)).next()
    }
}
