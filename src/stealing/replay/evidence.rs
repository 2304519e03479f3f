//! Which recorded steps are fitted to, and which the model is compared with.

use std::collections::{BTreeMap, HashSet};

use crate::stealing::Settings;
use crate::stealing::replay::recording::{RecordedStep, Recording};

/// All recordings. Of the steps of a scene that the same of them hold, every second one, the
/// first one among them, is fitted to in all, whatever its place in each: no step that is
/// compared with was fitted to elsewhere, and half of what two recordings share is fitted to.
pub struct Evidence<'a> {
    all: Vec<&'a Recording>,
    fitted: HashSet<(&'a str, u64)>,
}

impl<'a> Evidence<'a> {
    /// Decides about the steps of `all` recordings.
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

    /// Whether recordings of one processor were made with different rules for cutting
    /// stacks. Else tasks grow with tests, and cannot be told from them.
    pub fn tells_tasks_from_tests(&self) -> bool {
        let of_one = self.recordings().filter(|recording| recording.is_of_one_processor());
        let rules = of_one.map(|recording| {
            let Settings { decomposition, a, b, .. } = recording.header.collision;
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
