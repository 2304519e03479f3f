//! Records a step during a run. Each rank adds its part to a [`RecordedStep`].

use cloth_collision::candidates::{SearchObserver, SearchOver};
use cloth_collision::collision::TestCounters;
use cloth_core::error::{Error, Result};
use cloth_core::ranks::{World, message};
use cloth_step::{Counter, StepReport};

use crate::program::run::recording::trees::RecordedTrees;
use crate::program::run::recording::{RecordedSearch, RecordedStep};

/// Records the searches of one step. All ranks must record the same steps.
#[derive(Debug, Default)]
pub struct StepRecorder {
    searches: Vec<RecordedSearch>,
}

impl SearchObserver for StepRecorder {
    /// Rank 0 walks the trees of all ranks once more, so that recording does not slow down the
    /// measured search. Collective.
    ///
    /// # Errors
    /// When a rank fails, or the walk finds other tests than the search executed.
    fn searched(&mut self, search: &SearchOver) -> Result<()> {
        let world = search.world;
        let uses = Vec::from_iter(search.processors.usage().copied());
        let uses = message::gather_v(world, 0, &uses)?;
        let counts = message::gather_v(world, 0, &[search.executed])?;
        if world.rank() == 0 {
            let (surfaces, sweep) = (search.surfaces, &search.sweep);
            let (roots, above) = search.finder.all_root_tests(surfaces, sweep);
            let walked = search.finder.traversal(surfaces, sweep);
            let trees = RecordedTrees::record(&walked, &roots, above);
            let mut sum = TestCounters::default();
            counts.iter().for_each(|counts| sum.add(counts));
            if (sum.tests, sum.hash) != (trees.executed.tests, trees.executed.hash) {
                let message = format!(
                    "{} tests were executed, but the trees have {}",
                    sum.tests, trees.executed.tests
                );
                return Err(Error::Rank { rank: 0, message });
            }
            self.searches.push(RecordedSearch { trees, uses });
        }
        // The other ranks wait for rank 0 here, and not in the next measured phase.
        world.all_reduce_sum(&mut [0])
    }
}

impl StepRecorder {
    /// The recorded step, on rank 0. `report` is the report of the step. Collective.
    ///
    /// # Errors
    /// When a rank fails.
    pub fn finish(
        self,
        world: &dyn World,
        step: u64,
        report: &StepReport,
    ) -> Result<Option<RecordedStep>> {
        let reports = message::gather_v(world, 0, std::slice::from_ref(report))?;
        let Some(first) = reports.first() else { return Ok(None) };
        Ok(Some(RecordedStep {
            step,
            searches: self.searches,
            seconds: reports.iter().map(|report| report.seconds.to_vec()).collect(),
            solves: first.get(Counter::Solves),
            impulse_rounds: first.get(Counter::ImpulseRounds),
            collisions: reports.iter().map(|report| report.get(Counter::Collisions)).sum(),
            fail_safe_passes: first.get(Counter::FailSafePasses),
        }))
    }
}
