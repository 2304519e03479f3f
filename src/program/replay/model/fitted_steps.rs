//! Which recorded steps the model is fitted to, and which it is compared with.
//!
//! Every second recorded step is used for fitting. The model is compared on the others. A step
//! that was recorded several times is either fitted to in all recordings or in none, so that no
//! comparison uses a step that the model already knows.

use std::collections::{BTreeMap, HashSet};

use crate::program::replay::recording::{RecordedStep, Recording};
use cloth_sim::stealing::StealingSettings;

/// All recordings of a replay, and the steps that the model is fitted to.
///
/// Steps of one scene that are held by the same recordings form a group. In each group the first
/// step is fitted to, and then every second one. So two recordings that share steps have half of
/// these fitted to, wherever they stand in each file.
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

    /// Whether a step of a recording is fitted to.
    pub fn is_fitted(&self, recording: &Recording, step: &RecordedStep) -> bool {
        self.fitted.contains(&(recording.header.scene.as_str(), step.step))
    }

    /// Whether recordings of one processor were made with different rules for cutting stacks.
    /// If not, the number of tasks grows with that of tests, and the fit cannot separate the
    /// cost of a task from that of its tests.
    pub fn separates_tasks_from_tests(&self) -> bool {
        let of_one = self.recordings().filter(|recording| recording.is_of_one_processor());
        let rules = of_one.map(|recording| {
            let StealingSettings { decomposition, a, b, .. } = recording.header.collision;
            (decomposition, a, b)
        });
        HashSet::<_>::from_iter(rules).len() > 1
    }

    /// The same step on one processor.
    pub fn alone(&self, step: &RecordedStep) -> Option<&'a RecordedStep> {
        let of_one = self.recordings().filter(|recording| recording.is_of_one_processor());
        of_one.filter_map(|recording| recording.counterpart(step)).next()
    }
}
