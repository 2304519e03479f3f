//! The collision phase of one recorded step on a modelled machine.
//!
//! The machine executes the searches again ([`super::machine`]). The other parts of the phase
//! follow from their times on one processor ([`super::other_phases`]). Assembly, solve and the new
//! state are not part of the collision phase. They are left out.

use cloth_collision::stealing::{ProcessorUse, StealingSettings};
use cloth_core::error::{Error, Result};
use cloth_step::Phase;

use crate::replay::model::fitted_steps::RecordingSet;
use crate::replay::model::machine::Machine;
use crate::replay::model::network::Network;
use crate::replay::model::other_phases::{self, PhaseSplit};
use crate::replay::model::unit_costs::{Sample, UnitCosts};
use crate::replay::recording::{Recording, above_s};
use crate::replay::trees::unfold;
use cloth_sim::program::run::recording::RecordedStep;

/// A machine, and how its processors share tests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variant {
    /// Number of ranks. Each has one processor.
    pub processors: usize,
    /// How they share tests.
    pub collision: StealingSettings,
    /// How they are connected.
    pub network: Network,
}

/// The modelled collision phase of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelledStep {
    /// Number of the step.
    pub step: u64,
    /// Number of its frame.
    pub frame: u64,
    /// Seconds of each phase. Zero for physical modelling.
    pub seconds: [f64; Phase::ALL.len()],
    /// Time of the tests above the roots, which every rank executes, s.
    pub above_s: f64,
    /// Length of the test parts of all searches, s.
    pub test_part_s: f64,
    /// Time of all tests on one processor without tasks, s.
    pub serial_s: f64,
    /// The best possible length of the test parts, s: that of evenly shared tests, or that of the
    /// longest chain, if that is longer.
    pub best_s: f64,
    /// The longest chain of tests, over all searches, s.
    pub chain_s: f64,
    /// From the last executed test to the end of a search, s.
    pub termination_s: f64,
    /// Number of sums over the ranks that looked for the end of the searches.
    pub sums: u64,
    /// Number of processors.
    pub processors: usize,
    /// How all processors together spent the test parts.
    pub usage: ProcessorUse,
}

impl ModelledStep {
    /// The whole collision phase, s.
    pub fn phase_s(&self) -> f64 {
        self.seconds.iter().sum()
    }

    /// Mean utilization of the processors in the test parts. `None` without tests.
    pub fn utilization(&self) -> Option<f64> {
        let all_s = self.test_part_s * self.processors as f64;
        (self.test_part_s > 0.0).then(|| self.usage.busy_s / all_s)
    }
}

/// Fits unit costs to the steps for fitting of all recordings of one processor.
///
/// # Errors
/// No recording of one processor, or none with a search.
pub fn fit_unit_costs(set: &RecordingSet) -> Result<UnitCosts> {
    let of_one = set.recordings().filter(|recording| recording.is_of_one_processor());
    let steps = of_one
        .flat_map(|recording| recording.steps.iter().filter(|step| set.is_fitted(recording, step)));
    let samples = steps.flat_map(|step| &step.searches).filter_map(Sample::of);
    UnitCosts::fit(&Vec::from_iter(samples)).ok_or_else(|| {
        Error::input(
            "recordings",
            "no recorded step on one processor has a test, so costs cannot be fitted",
            "add a recording made with --ranks 1 --threads 1, in which surfaces come near each other",
        )
    })
}

/// The input of a replay: times on one processor, and how they are divided among ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// The unit costs of tests.
    pub costs: UnitCosts,
    /// How the other phases are divided.
    pub split: PhaseSplit,
}

/// A modelled step, and how each processor spent its test parts.
pub type Replay = (ModelledStep, Vec<ProcessorUse>);

/// Models the collision phases of `steps`, one after the other. They belong to `recording`, or are
/// the same steps recorded on one processor.
///
/// # Errors
/// When METIS refuses the patches. For a single step, when it has no trees or the protocol fails.
pub fn replay<'a>(
    recording: &'a Recording,
    steps: impl Iterator<Item = &'a RecordedStep>,
    times: &'a Times,
    variant: &'a Variant,
) -> Result<impl Iterator<Item = Result<Replay>>> {
    let Variant { processors, collision, network } = variant;
    let header = &recording.header;
    let owners = header.patches.split(*processors)?;
    let mut machine = Machine::new(*processors, collision, *network, &times.costs);
    Ok(steps.map(move |step| {
        let (mut modelled, uses) = tests(step, &mut machine, &owners, &times.costs)?;
        modelled.frame = step.step.saturating_sub(1) / header.steps_per_frame.max(1) + 1;
        modelled.seconds = other_phases::seconds(
            step,
            &times.split,
            &uses,
            other_phases::talk(step, header.vertices, *processors, network),
        );
        modelled.seconds[Phase::Tests as usize] += modelled.test_part_s;
        Ok((modelled, uses))
    }))
}

/// Models the test parts only.
fn tests(
    step: &RecordedStep,
    machine: &mut Machine,
    owners: &[u32],
    costs: &UnitCosts,
) -> Result<Replay> {
    let mut sum = ModelledStep {
        step: step.step,
        frame: 0,
        seconds: [0.0; Phase::ALL.len()],
        above_s: above_s(step),
        test_part_s: 0.0,
        serial_s: 0.0,
        best_s: 0.0,
        chain_s: 0.0,
        termination_s: 0.0,
        sums: 0,
        processors: machine.ranks(),
        usage: ProcessorUse::default(),
    };
    let mut uses = vec![ProcessorUse::default(); machine.ranks()];
    // Rounded to picoseconds like on the machine. Otherwise the machine could seem faster than the
    // best possible.
    let of_kind = |kind| costs.of_kind(kind);
    for search in &step.searches {
        let trees = unfold(&search.trees).ok_or_else(|| {
            let cause = format!("step {} holds no test trees", step.step);
            Error::input("recording", cause, "record it again")
        })?;
        let played = machine.play(&trees, owners)?;
        let serial_s = trees.total(of_kind) as f64 * 1e-12;
        let chain_s = trees.longest_chain(of_kind) as f64 * 1e-12;
        sum.test_part_s += played.length_s;
        sum.termination_s += played.termination_s;
        sum.sums += played.sums;
        sum.serial_s += serial_s;
        sum.chain_s += chain_s;
        sum.best_s += chain_s.max(serial_s / machine.ranks() as f64);
        uses.iter_mut().zip(&played.uses).for_each(|(sum, usage)| sum.add(usage));
    }
    uses.iter().for_each(|usage| sum.usage.add(usage));
    Ok((sum, uses))
}
