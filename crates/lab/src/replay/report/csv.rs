//! Modelled collision phases as CSV: a row for each machine and step.

use std::path::Path;

use cloth_collision::stealing::ProcessorUse;
use cloth_core::error::{Error, Result};
use cloth_step::Phase;

use crate::replay::model::ModelledStep;
use crate::replay::report::Replayed;

const HEADER: &str = "source,processors,decomposition,stealing,a,b,victim_order,share,polling_interval_us,\
                      latency_s,bandwidth_bytes_per_s,overhead_s,frame,step,phase_s,predict_s,refit_s,all_gather_s,\
                      tests_s,contacts_s,response_s,combination_s,fail_safe_s,above_s,test_part_s,serial_tests_s,best_tests_s,\
                      longest_chain_s,termination_s,utilization,sums,tests,candidates,tasks_created,\
                      tasks_executed,tasks_stolen,requests,rejections\n";

const PHASES: [Phase; 8] = [
    Phase::Predict,
    Phase::Refit,
    Phase::AllGather,
    Phase::Tests,
    Phase::Contacts,
    Phase::Response,
    Phase::Combination,
    Phase::FailSafe,
];

/// Writes all steps of all machines to `path`. The first column of each row says `modelled`.
///
/// # Errors
/// When the file cannot be written.
pub fn write_csv(replayed: &[Replayed], path: &Path) -> Result<()> {
    let rows =
        replayed.iter().flat_map(|replayed| replayed.steps.iter().map(|step| row(replayed, step)));
    let text: String = std::iter::once(HEADER.to_owned()).chain(rows).collect();
    std::fs::write(path, text)
        .map_err(|cause| Error::file(path, cause, "free some space or choose another file (--csv)"))
}

fn row(replayed: &Replayed, step: &ModelledStep) -> String {
    let (collision, network) = (&replayed.variant.collision, &replayed.variant.network);
    let settings = format!(
        "modelled,{},{},{},{},{},{:?},{:?},{},{},{},{}",
        replayed.variant.processors,
        collision.decomposition,
        collision.stealing,
        collision.a,
        collision.b,
        collision.victim_order,
        collision.share,
        collision.polling_interval_us,
        network.latency_s,
        network.bandwidth,
        network.overhead_s,
    );
    let phases = PHASES.map(|phase| step.seconds[phase as usize].to_string()).join(",");
    let tests = [
        step.above_s,
        step.test_part_s,
        step.serial_s,
        step.best_s,
        step.chain_s,
        step.termination_s,
    ];
    let tests = tests.map(|value| value.to_string()).join(",");
    let counts: [fn(&ProcessorUse) -> u64; 7] = [
        |usage| usage.tests,
        |usage| usage.found,
        |usage| usage.tasks_created,
        |usage| usage.tasks_executed,
        |usage| usage.tasks_stolen,
        |usage| usage.requests,
        |usage| usage.rejections,
    ];
    let counts = counts.map(|count| count(&step.usage).to_string()).join(",");
    let utilization = step.utilization().map(|value| value.to_string()).unwrap_or_default();
    format!(
        "{settings},{},{},{},{phases},{tests},{utilization},{},{counts}\n",
        step.frame,
        step.step,
        step.phase_s(),
        step.sums
    )
}
