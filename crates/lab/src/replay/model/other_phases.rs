//! The parts of a collision phase except the searches.
//!
//! *T* is the time of a part on one processor, measured in the same step. *S* is the largest share
//! of the candidates that one rank found.
//!
//! | part | time on several ranks |
//! |---|---|
//! | predict, refit, tests above the roots | T, because every rank does all of it |
//! | all-gather | T (permutation, positions), plus a collective of all velocities |
//! | combination | T, because every rank applies all responses, plus its collectives |
//! | contacts, response, fail-safe | r T + (1 - r) S T, plus their collectives |
//!
//! *r* is the replicated part, which every rank does. It is fitted to recordings of several ranks
//! ([`PhaseSplit`]). The rest is divided like the candidates, which stay where they were found.

use cloth_bodies::contact::NodeResponse;
use cloth_collision::stealing::ProcessorUse;
use cloth_core::math::Vec3;
use cloth_step::Phase;

use crate::replay::model::fitted_steps::RecordingSet;
use crate::replay::model::network::Network;
use crate::replay::recording;
use cloth_sim::program::run::recording::RecordedStep;

/// Seconds of each phase.
type Seconds = [f64; Phase::ALL.len()];

/// A step is disturbed if a processor did not run during more than this share of a search. Only the
/// processor time of disturbed steps is used and compared.
pub const DISTURBED: f64 = 0.05;

/// How the phases after the tests are divided among ranks.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PhaseSplit {
    /// For each of [`PhaseSplit::PHASES`]: the replicated part of its time on one processor, from 0
    /// to 1.
    pub replicated: [f64; 3],
    /// Number of steps that it was fitted to. Without any, all work counts as divided.
    pub steps: usize,
}

impl PhaseSplit {
    /// The phases that work on candidates.
    pub const PHASES: [Phase; 3] = [Phase::Contacts, Phase::Response, Phase::FailSafe];

    /// Fits the replicated parts. It uses the steps for fitting that were recorded both on one
    /// processor and on several ranks of one thread.
    pub fn fit(set: &RecordingSet) -> Self {
        let several = set.recordings().filter(|one| one.is_of_ranks());
        let pairs = several.flat_map(|recording| {
            let steps = recording.steps.iter();
            let steps = steps.filter(|step| set.is_fitted(recording, step));
            steps.filter_map(move |step| Some((recording, step, set.alone(step)?)))
        });
        let ran = |step: &RecordedStep| recording::ran_except(step, DISTURBED);
        let pairs = Vec::from_iter(pairs.filter(|(_, step, alone)| ran(step) && ran(alone)));
        let samples = |phase: Phase| {
            pairs.iter().map(move |(recording, step, alone)| {
                let header = &recording.header;
                let talk = talk(alone, header.vertices, header.ranks, &Network::SHARED_MEMORY);
                let share = largest_share(&recording::uses(step));
                (
                    recording::seconds(alone, phase),
                    recording::seconds(step, phase) - talk[phase as usize],
                    share,
                )
            })
        };
        Self {
            replicated: Self::PHASES.map(|phase| replicated(samples(phase))),
            steps: pairs.len(),
        }
    }

    /// Time of a phase on the rank with this share of the candidates, s. `alone_s` is its time on
    /// one processor.
    fn seconds(&self, phase: Phase, alone_s: f64, share: f64) -> f64 {
        let place = Self::PHASES.iter().position(|&one| one == phase);
        let replicated = place.map_or(1.0, |place| self.replicated[place]);
        alone_s * (replicated + (1.0 - replicated) * share)
    }
}

/// The `r` from 0 to 1 that best solves `several_s = alone_s (r + (1 - r) share)`, over samples of
/// `(alone_s, several_s, share)`. Best means the least sum of squared errors, each divided by
/// `alone_s`.
fn replicated(samples: impl Iterator<Item = (f64, f64, f64)>) -> f64 {
    let (mut above, mut below) = (0.0, 0.0);
    for (alone_s, several_s, share) in samples {
        above += (1.0 - share) * (several_s - alone_s * share);
        below += (1.0 - share) * (1.0 - share) * alone_s;
    }
    if below > 0.0 { (above / below).clamp(0.0, 1.0) } else { 0.0 }
}

/// Time of each phase without the searches, s. `alone` is the step on one processor, `uses` how the
/// ranks spent the searches, and `talk` the time of communication.
pub fn seconds(
    alone: &RecordedStep,
    split: &PhaseSplit,
    uses: &[ProcessorUse],
    talk: Seconds,
) -> Seconds {
    let (mut seconds, share) = (talk, largest_share(uses));
    for &phase in Phase::ALL.iter().filter(|phase| !phase.is_physical_modelling()) {
        seconds[phase as usize] += match phase {
            Phase::Tests => recording::above_s(alone),
            _ => split.seconds(phase, recording::seconds(alone, phase), share),
        };
    }
    seconds
}

/// Time of the collectives of each phase on this number of ranks, s.
pub fn talk(step: &RecordedStep, vertices: u64, ranks: usize, network: &Network) -> Seconds {
    let attempts = step.solves as f64;
    let collective = |bytes: f64| network.collective_s(ranks, bytes);
    let velocities = (vertices as usize * size_of::<Vec3>()) as f64;
    // Routing starts with a sum that tells each rank how many messages it gets.
    let route = collective((ranks * size_of::<i64>()) as f64) + collective(0.0) / 2.0;
    // A collision has at most four responses.
    let responses = (step.collisions as usize * 4 * size_of::<NodeResponse>()) as f64;
    let rounds = step.impulse_rounds as f64 + attempts;
    let passes = step.fail_safe_passes as f64 + attempts;
    let mut seconds = Seconds::default();
    seconds[Phase::Contacts as usize] = attempts * route;
    seconds[Phase::AllGather as usize] = attempts * (collective(velocities) + route);
    seconds[Phase::Combination as usize] = 2.0 * rounds * collective(0.0) + collective(responses);
    seconds[Phase::FailSafe as usize] = 2.0 * passes * collective(0.0);
    seconds
}

/// The largest share of all candidates that one processor found.
fn largest_share(uses: &[ProcessorUse]) -> f64 {
    let all: u64 = uses.iter().map(|usage| usage.found).sum();
    let most = uses.iter().map(|usage| usage.found).max().unwrap_or(0);
    if all > 0 { most as f64 / all as f64 } else { 1.0 / uses.len().max(1) as f64 }
}
