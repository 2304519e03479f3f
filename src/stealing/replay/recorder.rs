//! Recording during a run: what each rank adds to a [`RecordedStep`].

use crate::collision::TestCounters;
use crate::error::{Error, Result};
use crate::ranks::{World, message};
use crate::stealing::ProcessorUse;
use crate::stealing::replay::recording::{RecordedSearch, RecordedStep};
use crate::stealing::replay::tree::RecordedTrees;
use crate::step::{Counter, StepReport};

/// Keeps what one rank knows of the searches of a step.
#[derive(Debug, Default)]
pub struct SearchRecorder {
    searches: Vec<RecordedSearch>,
    earlier: Vec<ProcessorUse>,
}

impl SearchRecorder {
    /// Takes note of a search after it was made: `executed` here, with the profile of this
    /// rank's processors since the step began. Its trees are `walked` again on rank 0, so
    /// that recording does not slow down what is measured. Collective.
    ///
    /// # Errors
    /// If a rank fails; if the trees are not what was executed.
    pub(crate) fn search<'a>(
        &mut self,
        world: &dyn World,
        uses: impl Iterator<Item = &'a ProcessorUse>,
        executed: TestCounters,
        walked: impl FnOnce() -> RecordedTrees,
    ) -> Result<()> {
        let uses: Vec<ProcessorUse> = uses.copied().collect();
        self.earlier.resize(uses.len(), ProcessorUse::default());
        let own = uses.iter().zip(&self.earlier).map(|(usage, earlier)| usage.since(earlier));
        let all = message::gather_v(world, 0, &Vec::from_iter(own))?;
        let counts = message::gather_v(world, 0, &[executed])?;
        self.earlier = uses;
        if world.rank() == 0 {
            let trees = walked();
            let mut sum = TestCounters::default();
            counts.iter().for_each(|counts| sum.add(counts));
            if (sum.tests, sum.hash) != (trees.executed.tests, trees.executed.hash) {
                let message = format!(
                    "{} tests were executed where the trees have {}",
                    sum.tests, trees.executed.tests
                );
                return Err(Error::Rank { rank: 0, message });
            }
            self.searches.push(RecordedSearch { trees, uses: all });
        }
        // Others do not wait for rank 0 in what is measured next.
        world.all_reduce_sum(&mut [0])
    }

    /// The step that has ended, on rank 0. Collective.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn step(
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
