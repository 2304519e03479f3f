//! The whole collision phase on a modelled machine.
//!
//! | part | with P processors, of one rank each |
//! |---|---|
//! | predict, refit, tests above the parts | replicated: as long as measured on one |
//! | all-gather | what it takes on one (permutation, positions), and a collective of all velocities |
//! | tests | executed again ([`super::machine`]) |
//! | contacts, response, fail-safe | follow from candidates, which stay where they were found: as long as measured on one, times the largest share of the candidates that a rank has; and their collectives |
//!
//! What one processor takes was measured in the same steps. Assembly, solve and the new
//! state are no part of the collision phase and are left out.

use super::costs::{Sample, UnitCosts};
use super::machine::{Machine, Network};
use super::recording::{RecordedSearch, RecordedStep, Recording};
use crate::collision::{ProcessorUse, VertexResponse};
use crate::error::{Error, Result};
use crate::math::Vec3;
use crate::profile::Phase;
use crate::scene::spec::Collision;

/// A machine, and how it shares out tests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variant {
    /// Number of ranks, of one processor each.
    pub processors: usize,
    /// How tests are shared out.
    pub collision: Collision,
    /// How processors are connected.
    pub network: Network,
}

/// A step's collision phase as modelled.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelledStep {
    /// Number of the step.
    pub step: u64,
    /// Number of its frame.
    pub frame: u64,
    /// Seconds of each phase; zero for those of physical modelling.
    pub seconds: [f64; Phase::ALL.len()],
    /// Tests above the roots, which every rank executes, s.
    pub above_s: f64,
    /// Length of the test parts of all searches, s.
    pub test_part_s: f64,
    /// Time of all tests on one processor without tasks, s.
    pub serial_s: f64,
    /// The best possible length of the test parts, s: all tests shared out evenly, or the
    /// longest chain of them.
    pub best_s: f64,
    /// The longest chain of tests, over all searches, s.
    pub chain_s: f64,
    /// From the last executed test to the end of a search, s.
    pub termination_s: f64,
    /// Sums over the ranks by which the end was sought.
    pub sums: u64,
    /// How each processor spent the test parts.
    pub uses: Vec<ProcessorUse>,
}

impl ModelledStep {
    /// Collision handling, s.
    pub fn phase_s(&self) -> f64 {
        self.seconds.iter().sum()
    }

    /// Mean over the processors; none without tests.
    pub fn utilization(&self) -> Option<f64> {
        let busy: f64 = self.uses.iter().map(|usage| usage.busy_s).sum();
        (self.test_part_s > 0.0).then(|| busy / (self.test_part_s * self.uses.len() as f64))
    }
}

/// Unit costs from every second step, the first one among them, of all recordings of one
/// processor.
///
/// # Errors
/// No recording of one processor, or none with a search.
pub fn unit_costs<'a>(recordings: impl Iterator<Item = &'a Recording>) -> Result<UnitCosts> {
    let of_one = recordings.filter(|recording| recording.is_of_one_processor());
    let steps = of_one.flat_map(|recording| recording.steps.iter().step_by(2));
    let samples = steps.flat_map(|step| &step.searches).filter_map(Sample::of);
    UnitCosts::fit(&Vec::from_iter(samples)).ok_or_else(|| {
        Error::input(
            "recordings",
            "no step of them has a test on one processor, of which costs are those",
            "give one made with --ranks 1 --threads 1, of steps in which something is near",
        )
    })
}

/// Models the collision phases of the `steps` of a recording.
///
/// # Errors
/// When METIS refuses the patches, or the protocol fails.
pub fn replay<'a>(
    recording: &Recording,
    steps: impl Iterator<Item = &'a RecordedStep>,
    costs: &UnitCosts,
    variant: &Variant,
) -> Result<Vec<ModelledStep>> {
    let Variant { processors, collision, network } = variant;
    let owners = recording.header.patches.split(*processors)?;
    let mut machine = Machine::new(*processors, collision, *network, costs);
    let per_frame = recording.header.steps_per_frame.max(1);
    let model = |step: &RecordedStep| {
        let frame = step.step.saturating_sub(1) / per_frame + 1;
        let tests = tests(step, frame, &mut machine, &owners, costs)?;
        Ok(with_the_rest(tests, step, recording.header.vertices, variant))
    };
    steps.map(model).collect()
}

/// The test parts alone.
fn tests(
    step: &RecordedStep,
    frame: u64,
    machine: &mut Machine,
    owners: &[u32],
    costs: &UnitCosts,
) -> Result<ModelledStep> {
    let mut sum = ModelledStep {
        step: step.step,
        frame,
        seconds: [0.0; Phase::ALL.len()],
        above_s: step.above_s(),
        test_part_s: 0.0,
        serial_s: 0.0,
        best_s: 0.0,
        chain_s: 0.0,
        termination_s: 0.0,
        sums: 0,
        uses: vec![ProcessorUse::default(); machine.ranks()],
    };
    for search in &step.searches {
        let trees = search.trees.unfold().ok_or_else(|| {
            let cause = format!("step {} holds no test trees", step.step);
            Error::input("recording", cause, "record it again")
        })?;
        let played = machine.play(&trees, owners)?;
        let serial_s = costs.seconds(&search.trees.amounts());
        let chain_s = trees.longest_chain(&costs.of_kinds()) as f64 * 1e-12;
        sum.test_part_s += played.length_s;
        sum.termination_s += played.termination_s;
        sum.sums += played.sums;
        sum.serial_s += serial_s;
        sum.chain_s += chain_s;
        sum.best_s += chain_s.max(serial_s / machine.ranks() as f64);
        sum.uses.iter_mut().zip(&played.uses).for_each(|(sum, usage)| sum.add(usage));
    }
    Ok(sum)
}

/// Adds the other parts of the phase.
fn with_the_rest(
    mut modelled: ModelledStep,
    step: &RecordedStep,
    vertices: u64,
    variant: &Variant,
) -> ModelledStep {
    let (ranks, network) = (variant.processors, &variant.network);
    let largest_share = largest_share(&modelled.uses);
    let measured = |phase| step.seconds(phase);
    let attempts = step.solves as f64;
    let collective = |bytes: f64| network.collective_s(ranks, bytes);
    let velocities = (vertices as usize * size_of::<Vec3>()) as f64;
    // Who sends to whom is found out by a sum over as many numbers as ranks.
    let route = collective((ranks * size_of::<i64>()) as f64) + collective(0.0) / 2.0;
    // At most four vertices answer to a collision.
    let responses = (step.collisions as usize * 4 * size_of::<VertexResponse>()) as f64;
    let rounds = step.impulse_rounds as f64 + attempts;
    let passes = step.fail_safe_passes as f64 + attempts;

    let seconds = &mut modelled.seconds;
    let mut set = |phase: Phase, value: f64| seconds[phase as usize] = value;
    set(Phase::Predict, measured(Phase::Predict));
    set(Phase::Refit, measured(Phase::Refit));
    set(Phase::Tests, modelled.above_s + modelled.test_part_s);
    set(Phase::Contacts, largest_share * measured(Phase::Contacts) + attempts * route);
    let gather = attempts * (collective(velocities) + route);
    set(Phase::AllGather, measured(Phase::AllGather) + gather);
    let combination = 2.0 * rounds * collective(0.0) + collective(responses);
    set(Phase::Response, largest_share * measured(Phase::Response) + combination);
    let planes = 2.0 * passes * collective(0.0);
    set(Phase::FailSafe, largest_share * measured(Phase::FailSafe) + planes);
    modelled
}

/// The largest part of all candidates that one processor found.
fn largest_share(uses: &[ProcessorUse]) -> f64 {
    let all: u64 = uses.iter().map(|usage| usage.candidates).sum();
    let most = uses.iter().map(|usage| usage.candidates).max().unwrap_or(0);
    if all > 0 { most as f64 / all as f64 } else { 1.0 / uses.len().max(1) as f64 }
}

/// Steps whose processors were taken away for more than this part of a search are not
/// compared but in processor time.
const DISTURBED: f64 = 0.05;

/// Measured beside modelled times of one recording, over the steps that costs were not
/// fitted to; pairs in s.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Number of ranks.
    pub ranks: usize,
    /// Processor time of all tests.
    pub busy: Vec<(f64, f64)>,
    /// Test parts, of steps whose processors ran all the time.
    pub test_parts: Vec<(f64, f64)>,
    /// Their whole collision phases.
    pub phases: Vec<(f64, f64)>,
}

/// Models a recording as it was made and puts both side by side. `None` if its ranks had
/// several threads, which the model does not know.
///
/// # Errors
/// As for [`replay`].
pub fn compare(
    recording: &Recording,
    costs: &UnitCosts,
    network: Network,
) -> Result<Option<Comparison>> {
    if recording.header.threads != 1 {
        return Ok(None);
    }
    let (ranks, collision) = (recording.header.ranks, recording.header.collision);
    let variant = Variant { processors: ranks, collision, network };
    let others = || recording.steps.iter().skip(1).step_by(2);
    let modelled = replay(recording, others(), costs, &variant)?;
    let ran = |step: &RecordedStep| step.searches.iter().all(|one| one.ran_but_for(DISTURBED));
    let both = || others().zip(&modelled);
    let undisturbed = || both().filter(|(step, _)| ran(step));
    let busy = |(step, modelled): (&RecordedStep, &ModelledStep)| {
        let modelled_s = modelled.uses.iter().map(|usage| usage.busy_s).sum();
        (step.searches.iter().map(RecordedSearch::busy_s).sum(), modelled_s)
    };
    let phases = |(step, modelled): (&RecordedStep, &ModelledStep)| {
        let phases = Phase::ALL.iter().filter(|phase| !phase.is_physical_modelling());
        (phases.map(|&phase| step.seconds(phase)).sum(), modelled.phase_s())
    };
    Ok(Some(Comparison {
        ranks,
        busy: both().map(busy).collect(),
        test_parts: undisturbed()
            .map(|(step, modelled)| (step.searched_s(), modelled.test_part_s))
            .collect(),
        phases: undisturbed().map(phases).collect(),
    }))
}
