//! The details of a run for profiling: its partition, solver, contacts, phases and processors.

use std::fmt;

use cloth_step::{Counter, Measure, Phase, StepReport};

use crate::program::profile::Profile;
use crate::program::run::RunFacts;
use crate::program::run::cloth::sums::ClothSums;
use crate::program::words::plural;

/// The details of a finished run, printed with -v before the summary.
pub struct Details<'a> {
    /// The run.
    pub run: &'a RunFacts<'a>,
    /// Its sums.
    pub sums: &'a ClothSums,
    /// How its processors spent their time.
    pub profile: &'a Profile,
    /// Number of cloth vertices.
    pub vertices: usize,
    /// Number of checkpoints, and the time that saving and writing them took, s.
    pub checkpoints: (u32, f64),
    /// Wall time in which rank 0 handed frames to the writer or waited for it, s.
    pub output_s: f64,
}

impl fmt::Display for Details<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ClothSums { totals, step_s, .. } = self.sums;
        let (head, totals, steps) = (self.run.head, &*totals.of_ranks(), totals.steps);
        let of_rank_0 = totals.first().copied().unwrap_or_default();
        writeln!(
            f,
            "details: {}, whole steps have {:.4} ms; {} x {} ({})",
            plural(steps, "step"),
            step_s * 1e3,
            plural(head.ranks, "rank"),
            plural(head.threads, "thread"),
            if head.transport == "mpi" { "MPI" } else { "one process" },
        )?;
        writeln!(
            f,
            "  partition   {}, load index {:.3}, surface index {:.3}; bending {}",
            plural(head.patches, "patch"),
            head.load_index,
            head.surface_index,
            head.bending
        )?;
        write_repartitions(f, &of_rank_0)?;
        write_solver(f, &of_rank_0, totals)?;
        write_contacts(f, totals, steps)?;
        write_fail_safe(f, &of_rank_0, totals, self.vertices)?;
        self.write_phases(f, totals, steps)?;
        write_processors(f, self.profile)
    }
}

impl Details<'_> {
    /// Seconds of each phase, averaged over the ranks.
    fn write_phases(
        &self,
        f: &mut fmt::Formatter<'_>,
        totals: &[StepReport],
        steps: usize,
    ) -> fmt::Result {
        let mean = |phase: Phase| {
            totals.iter().map(|total| total.seconds(phase)).sum::<f64>() / totals.len() as f64
        };
        let group = |physical: bool| -> f64 {
            let phases = Phase::ALL.iter().filter(|p| p.is_physical_modelling() == physical);
            phases.map(|&phase| mean(phase)).sum()
        };
        let mut line = |name: &str, seconds: f64| {
            let per_step = 1e3 * seconds / steps.max(1) as f64;
            let share = 100.0 * seconds / self.run.wall_s;
            writeln!(f, "  {name:<22} {seconds:>9.3} s {per_step:>9.3} ms/step {share:>6.1} %")
        };
        line("physical modelling", group(true))?;
        for phase in Phase::ALL.iter().filter(|phase| phase.is_physical_modelling()) {
            line(&format!("  {}", phase.name()), mean(*phase))?;
        }
        line("collision handling", group(false))?;
        for phase in Phase::ALL.iter().filter(|phase| !phase.is_physical_modelling()) {
            line(&format!("  {}", phase.name()), mean(*phase))?;
        }
        line("output", self.output_s)?;
        line(&plural(self.checkpoints.0 as usize, "checkpoint"), self.checkpoints.1)
    }
}

/// How often patches changed their ranks, if they did.
fn write_repartitions(f: &mut fmt::Formatter<'_>, rank_0: &StepReport) -> fmt::Result {
    let count = rank_0.get(Counter::Repartitions);
    if count == 0 {
        return Ok(());
    }
    writeln!(
        f,
        "              {} in {:.3} s, {} moved",
        plural(count as usize, "repartition"),
        rank_0.measured(Measure::RepartitionTime),
        plural(rank_0.get(Counter::MovedNodes) as usize, "node"),
    )
}

fn write_solver(
    f: &mut fmt::Formatter<'_>,
    rank_0: &StepReport,
    totals: &[StepReport],
) -> fmt::Result {
    let solves = rank_0.get(Counter::Solves).max(1);
    let iterations = rank_0.get(Counter::CgIterations);
    writeln!(
        f,
        "  solver      {}, {}, {:.1} CG iterations each, {:.3} ms an iteration",
        plural(rank_0.get(Counter::Solves) as usize, "solve"),
        plural(rank_0.get(Counter::Halvings) as usize, "halving"),
        iterations as f64 / solves as f64,
        1e3 * rank_0.seconds(Phase::Solve) / iterations.max(1) as f64,
    )?;
    let sum = |counter| totals.iter().map(|total| total.get(counter)).sum::<u64>() as f64;
    let exchanges = (iterations * totals.len() as u64).max(1) as f64;
    writeln!(
        f,
        "  ghosts      {:.0} bytes in {:.1} messages per exchange and rank, {:.0} messages a solve",
        sum(Counter::GhostBytes) / exchanges,
        sum(Counter::GhostMessages) / exchanges,
        sum(Counter::GhostMessages) / solves as f64,
    )
}

fn write_contacts(f: &mut fmt::Formatter<'_>, totals: &[StepReport], steps: usize) -> fmt::Result {
    let sum = |counter| totals.iter().map(|total| total.get(counter)).sum::<u64>();
    let mean = |counter| sum(counter) as f64 / steps.max(1) as f64;
    writeln!(
        f,
        "  contacts    {:.1} a step (predicted impacts: {:.1}) from {:.1} candidate pairs",
        mean(Counter::ProximityPairs) + mean(Counter::PredictedImpacts),
        mean(Counter::PredictedImpacts),
        mean(Counter::Candidates),
    )?;
    writeln!(
        f,
        "  collisions  {} after the solve, {} still there after the impulses",
        sum(Counter::Collisions),
        sum(Counter::Unresolved),
    )
}

/// The share of vertex-steps and of motion that the fail-safe took away, and the steps that were
/// redone.
fn write_fail_safe(
    f: &mut fmt::Formatter<'_>,
    rank_0: &StepReport,
    totals: &[StepReport],
    vertices: usize,
) -> fmt::Result {
    let vertex_steps = (rank_0.get(Counter::Solves) * vertices as u64).max(1) as f64;
    let path: f64 = totals.iter().map(|total| total.measured(Measure::Path)).sum();
    writeln!(
        f,
        "  fail-safe   {} ({:.1e} of all vertex-steps), {:.1e} of their motion taken away",
        shortened(rank_0.get(Counter::Truncated)),
        rank_0.get(Counter::Truncated) as f64 / vertex_steps,
        rank_0.measured(Measure::PathLost) / path.max(f64::MIN_POSITIVE),
    )?;
    let [turned, redone, pinches, inaccurate, held] =
        [Counter::Turned, Counter::Redone, Counter::Pinches, Counter::Inaccurate, Counter::Held]
            .map(|counter| rank_0.get(counter));
    if turned + redone + pinches + inaccurate + held > 0 {
        writeln!(
            f,
            "              steps redone at half the size: {redone} lost too much motion, {turned} turned \
             an edge too far, {pinches} had no room, {inaccurate} were inaccurate; bodies waited in {}",
            plural(held as usize, "step"),
        )?;
    }
    Ok(())
}

/// A line for each processor, which shows how evenly the tests were shared.
fn write_processors(f: &mut fmt::Formatter<'_>, profile: &Profile) -> fmt::Result {
    writeln!(
        f,
        "  {:<10} {:>12} {:>14} {:>13} {:>9} {:>7}",
        "processor", "utilization", "tests", "tasks created", "executed", "stolen"
    )?;
    for processor in &profile.processors {
        let utilization = match profile.share(processor) {
            Some(share) => format!("{:.1} %", 100.0 * share),
            None => "no tests".to_owned(),
        };
        let [tests, created, executed, stolen] =
            ["tests", "tasks_created", "tasks_executed", "tasks_stolen"]
                .map(|column| profile.value(processor, column).unwrap_or_default());
        writeln!(
            f,
            "    {:<8} {utilization:>12} {tests:>14} {created:>13} {executed:>9} {stolen:>7}",
            profile.name_of(processor),
        )?;
    }
    Ok(())
}

fn shortened(motions: u64) -> String {
    format!("{} shortened", plural(motions as usize, "motion"))
}
