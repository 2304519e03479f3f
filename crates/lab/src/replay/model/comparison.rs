//! Comparison of modelled times with measured ones.

use cloth_core::error::Result;

use crate::replay::model::fitted_steps::RecordingSet;
use crate::replay::model::modelled_step::{ModelledStep, Times, Variant, replay};
use crate::replay::model::network::Network;
use crate::replay::model::other_phases::DISTURBED;
use crate::replay::recording::{Recording, busy_s, phase_s, ran_except, searched_s};
use cloth_sim::program::run::recording::RecordedStep;

/// Pairs of a measured and a modelled time (s) of one recording, for the steps that were not used
/// for fitting.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Number of ranks.
    pub ranks: usize,
    /// Processor time of all tests.
    pub busy: Vec<(f64, f64)>,
    /// Test parts, of undisturbed steps.
    pub test_parts: Vec<(f64, f64)>,
    /// Whole collision phases, of undisturbed steps. The model starts from the recording of the
    /// same step on one processor, so such a recording must exist. Empty for one rank, because
    /// there all parts except the test part would be compared with themselves.
    pub phases: Vec<(f64, f64)>,
}

/// Models a recording on its own number of ranks. `None` if its ranks had several threads, because
/// the machine has only one processor a rank.
///
/// # Errors
/// The errors of [`replay`].
pub fn compare(
    recording: &Recording,
    set: &RecordingSet,
    times: &Times,
) -> Result<Option<Comparison>> {
    if recording.header.threads != 1 {
        return Ok(None);
    }
    let (ranks, collision) = (recording.header.ranks, recording.header.collision);
    let variant = Variant { processors: ranks, collision, network: Network::SHARED_MEMORY };
    let steps = recording.steps.iter().filter(|step| !set.is_fitted(recording, step));
    let measured = Vec::from_iter(steps);
    let alone = |step: &RecordedStep| (ranks > 1).then(|| set.alone(step)).flatten();
    let alone = Vec::from_iter(measured.iter().map(|step| alone(step)));
    // Both recordings have the same tests. Without a counterpart only the test parts are used.
    let steps = measured.iter().zip(&alone).map(|(step, alone)| alone.unwrap_or(step));
    let modelled = replay(recording, steps, times, &variant)?;
    let mut comparison =
        Comparison { ranks, busy: Vec::new(), test_parts: Vec::new(), phases: Vec::new() };
    for ((step, alone), modelled) in measured.iter().zip(&alone).zip(modelled) {
        comparison.add(step, *alone, &modelled?.0);
    }
    Ok(Some(comparison))
}

impl Comparison {
    fn add(&mut self, step: &RecordedStep, alone: Option<&RecordedStep>, modelled: &ModelledStep) {
        let busy_s = step.searches.iter().map(busy_s).sum();
        self.busy.push((busy_s, modelled.usage.busy_s));
        if ran_except(step, DISTURBED) {
            self.test_parts.push((searched_s(step), modelled.test_part_s));
            if alone.is_some_and(|alone| ran_except(alone, DISTURBED)) {
                self.phases.push((phase_s(step), modelled.phase_s()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use cloth_collision::stealing::ProcessorUse;
    use cloth_collision::stealing::StealingSettings;
    use cloth_core::partition::PatchGraph;
    use cloth_step::Phase;

    use super::*;
    use crate::replay::model::other_phases::{PhaseSplit, talk};
    use crate::replay::model::unit_costs::UnitCosts;
    use crate::replay::recording::seconds;
    use cloth_sim::program::run::recording::{Header, RecordedSearch, RecordedTrees};

    const VERTICES: u64 = 1000;
    const REPLICATED: [f64; 3] = [0.25, 0.5, 0.125];

    /// Steps without a test below the roots. In each phase the slowest rank is the one with 60 % of
    /// the candidates.
    fn recording(ranks: usize, steps: std::ops::Range<u64>) -> Recording {
        let header = Header {
            scene: "known".to_owned(),
            ranks,
            threads: 1,
            steps_per_frame: 4,
            steps: steps.end - steps.start,
            collision: StealingSettings::default(),
            patches: PatchGraph::default(),
            vertices: VERTICES,
            phases: Header::phase_names(),
        };
        let steps = steps.map(|step| known_step(step, ranks)).collect();
        Recording { header, steps }
    }

    fn known_step(step: u64, ranks: usize) -> RecordedStep {
        let of_rank = |found| ProcessorUse { found, ..ProcessorUse::default() };
        let uses = if ranks == 1 { vec![of_rank(10)] } else { vec![of_rank(4), of_rank(6)] };
        let mut trees = RecordedTrees::default();
        (trees.executed.tests, trees.executed.hash) = (step, step * step);
        let mut known = RecordedStep {
            step,
            searches: vec![RecordedSearch { trees, uses }],
            seconds: vec![vec![1e-3 * (step % 5) as f64; Phase::ALL.len()]; ranks],
            solves: 1,
            impulse_rounds: 2,
            collisions: 3,
            fail_safe_passes: 1,
        };
        let talk = talk(&known, VERTICES, ranks, &Network::SHARED_MEMORY);
        for (seconds, share) in known.seconds.iter_mut().zip([0.4, 0.6]) {
            let share = if ranks == 1 { 1.0 } else { share };
            for (phase, replicated) in PhaseSplit::PHASES.iter().zip(REPLICATED) {
                seconds[*phase as usize] *= replicated + (1.0 - replicated) * share;
            }
            seconds.iter_mut().zip(talk).for_each(|(seconds, talk)| *seconds += talk);
        }
        known
    }

    #[test]
    fn no_step_is_both_fitted_to_and_compared_with() {
        let often = recording(1, 1..25);
        let mut seldom = recording(2, 2..31);
        seldom.steps.retain(|step| step.step % 2 == 0);
        let set = RecordingSet::new(vec![&often, &seldom]);
        let numbers = |recording: &Recording, fitted: bool| {
            let steps = recording.steps.iter();
            let steps = steps.filter(|step| set.is_fitted(recording, step) == fitted);
            Vec::from_iter(steps.map(|step| step.step))
        };
        assert_eq!(numbers(&seldom, true), [2, 6, 10, 14, 18, 22, 26, 30]);
        assert_eq!(numbers(&seldom, false), [4, 8, 12, 16, 20, 24, 28]);
        assert_eq!((numbers(&often, true).len(), numbers(&often, false).len()), (12, 12));
        assert!(numbers(&often, false).iter().all(|held| !numbers(&seldom, true).contains(held)));
    }

    #[test]
    fn replicated_parts_are_found_and_several_ranks_follow_from_one() {
        let (one, two) = (recording(1, 1..9), recording(2, 2..20));
        let both = RecordingSet::new(vec![&one, &two]);
        let split = PhaseSplit::fit(&both);
        for (found, known) in split.replicated.iter().zip(REPLICATED) {
            assert!((found - known).abs() < 1e-9, "{found} {known}");
        }
        assert_eq!(split.steps, 4, "2, 4, 6 and 8");

        let times = Times { costs: UnitCosts([1e-8; 5]), split };
        let compare = |recording, set: &RecordingSet| {
            super::compare(recording, set, &times).unwrap().unwrap()
        };
        let compared = compare(&two, &both);
        assert_eq!((compared.test_parts.len(), compared.phases.len()), (8, 3), "3, 5 and 7");
        for (place, (measured, modelled)) in compared.phases.into_iter().enumerate() {
            let step = &two.steps[2 * place + 1];
            // No candidate is found here, so the model divides the phases evenly.
            let divided = |(&phase, replicated): (&Phase, f64)| {
                0.1 * (1.0 - replicated) * seconds(one.counterpart(step).unwrap(), phase)
            };
            let uneven: f64 = PhaseSplit::PHASES.iter().zip(REPLICATED).map(divided).sum();
            assert!((measured - uneven - modelled).abs() < 1e-12, "{measured} {modelled}");
        }

        assert!(compare(&one, &both).phases.is_empty(), "it would be compared with itself");
        let alone = RecordingSet::new(vec![&two]);
        assert!(compare(&two, &alone).phases.is_empty(), "nothing is known of one processor");
        assert_eq!(PhaseSplit::fit(&alone), PhaseSplit::default());
    }
}
