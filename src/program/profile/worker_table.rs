//! The workers as tables, and as lines. `profile_workers.csv` has a row for each frame and worker,
//! `profile_steps.csv` a row for each frame. Values are means over the steps of a frame, of
//! a worker over those in which it was there.

use std::path::{Path, PathBuf};

use cloth_core::error::Result;
use cloth_workers::report::WorkerReport;

use crate::program::output::names;
use crate::program::profile::worker_model::NETWORKS;
use crate::program::profile::worker_steps::{LOADS, quartiles};
use crate::program::profile::{
    RunOfWorkers, StepsOfWorkers, SumOfWorker, WorkerColumn, WorkersNetwork, tables as csv,
};
use crate::program::words::{plural, significant};

const COLUMNS: [WorkerColumn; 8] = [
    ("home", |it| it.home as f64),
    ("active", |it| it.active as f64),
    ("shared", |it| it.shared as f64),
    ("contacts", |it| it.contacts as f64),
    ("joints", |it| it.joints as f64),
    ("constraints", |it| it.constraints as f64),
    ("sweeps", |it| it.sweeps as f64),
    ("seconds", |it| it.seconds),
];

/// The headings of the columns that are printed.
const HEADER: &str = "  worker    home  active  shared  contacts         quartiles  joints  sweeps  \
                      ms a step  utilization   steps";

/// Writes both tables into `folder` and returns their paths.
///
/// # Errors
/// When the folder cannot be written.
pub fn write(run: &RunOfWorkers, folder: &Path) -> Result<[PathBuf; 2]> {
    let workers = csv::write(&folder.join(names::PROFILE_WORKERS), &of_workers(run))?;
    Ok([workers, csv::write(&folder.join(names::PROFILE_STEPS), &of_steps(run))?])
}

fn of_workers(run: &RunOfWorkers) -> String {
    let names = COLUMNS.map(|(name, _)| name.to_owned());
    let header = csv::row("frame", ["worker".to_owned()].into_iter().chain(names));
    let row_of = |frame: &StepsOfWorkers, worker: &SumOfWorker| {
        let values = COLUMNS.map(|(_, value)| worker.mean(value).to_string());
        csv::row(frame.frame, [worker.sum.worker.to_string()].into_iter().chain(values))
    };
    let rows = run
        .frames
        .iter()
        .flat_map(|frame| frame.workers.values().map(move |worker| row_of(frame, worker)));
    header + &rows.collect::<String>()
}

fn of_steps(run: &RunOfWorkers) -> String {
    let columns = [
        "step_s",
        "longest_worker_s",
        "modelled_threads_s",
        "modelled_processes_s",
        "modelled_network_s",
        "sweeps",
        "joint_gap_m",
        "workers",
        "residual_m_s",
    ];
    let row_of = |frame: &StepsOfWorkers| {
        let mean = |sum: f64| frame.a_step(sum).to_string();
        let modelled = frame.modelled_s.map(|it| run.is_serial.then(|| mean(it)));
        let times = [mean(frame.step_s), mean(frame.longest_s)].into_iter();
        let times = times.chain(modelled.map(Option::unwrap_or_default));
        let workers = mean(frame.counts.iter().sum::<usize>() as f64);
        let residual = frame.residual_m_s.map(|it| it.to_string()).unwrap_or_default();
        let sweeps = mean(frame.sweeps as f64);
        let rest = [sweeps, frame.joint_gap_m.to_string(), workers, residual];
        csv::row(frame.frame, times.chain(rest))
    };
    let header = csv::row("frame", columns.into_iter().map(str::to_owned));
    header + &run.frames.iter().map(row_of).collect::<String>()
}

/// What `profile` prints. `one_core_s` is the time of a step in the run that it is compared with.
pub fn lines(run: &RunOfWorkers, one_core_s: Option<f64>) -> Vec<String> {
    let whole = &run.whole;
    let (count, steps) = (run.count(), whole.steps as usize);
    let mut lines = vec![
        format!("{}: {count}, {:?}, {}", run.scene, run.coupling, plural(steps, "step")),
        HEADER.to_owned(),
    ];
    lines.extend(whole.workers.values().map(|worker| line_of(run, worker)));
    lines.push(imbalances(whole));
    let [step, slowest] = [whole.step_s, whole.longest_s].map(|it| milliseconds(whole.a_step(it)));
    let sweeps = significant(whole.a_step(whole.sweeps as f64));
    lines.push(format!(
        "  a step: {step} ms, its slowest worker {slowest} ms, {sweeps} sweeps or rounds",
    ));
    let residual = whole.residual_m_s.map_or("unknown".to_owned(), |it| format!("{it:.1e} m/s"));
    let gap = significant(1e3 * whole.joint_gap_m);
    lines.push(format!("  in any step: widest joint {gap} mm, largest residual {residual}"));
    lines.extend(modelled(run, one_core_s));
    lines
}

fn line_of(run: &RunOfWorkers, worker: &SumOfWorker) -> String {
    let mean = |count: fn(&WorkerReport) -> u64| worker.mean(|it| count(it) as f64);
    let (number, steps) = (worker.sum.worker, worker.steps);
    let [home, active, shared] = [mean(|it| it.home), mean(|it| it.active), mean(|it| it.shared)];
    let [contacts, joints] = [mean(|it| it.contacts), mean(|it| it.joints)];
    let each_step = run.each_step.get(&number).map_or(&[][..], |[contacts, _]| contacts);
    let [_, first, _, third, _] = quartiles(each_step);
    let quartiles = format!("{first:.0} to {third:.0}");
    let sweeps = significant(worker.mean(|it| it.sweeps as f64));
    let time = milliseconds(worker.mean(|it| it.seconds));
    let share = 100.0 * worker.sum.seconds / worker.longest_s.max(f64::MIN_POSITIVE);
    let utilization = format!("{share:.1} %");
    format!(
        "  {number:>6}  {home:>6.0}  {active:>6.0}  {shared:>6.0}  {contacts:>8.0}  {quartiles:>16}  \
         {joints:>6.0}  {sweeps:>6}  {time:>9}  {utilization:>11}  {steps:>6}"
    )
}

fn imbalances(whole: &StepsOfWorkers) -> String {
    let known = LOADS.iter().zip(&whole.loads).filter(|(_, [_, mean])| *mean > 0.0);
    let known =
        known.map(|((name, _), [most, mean])| format!("{name} {}", significant(most / mean)));
    format!("  imbalance (largest over mean): {}", known.collect::<Vec<_>>().join(", "))
}

/// The modelled time, and the speed-up against this run and against another one.
fn modelled(run: &RunOfWorkers, one_core_s: Option<f64>) -> Vec<String> {
    const MODELLED: &str = "  modelled, a rank for each worker";
    if !run.is_serial {
        let how = "only from a run with --ranks 1 --threads 1, in which workers take turns";
        return vec![format!("{MODELLED}: {how}")];
    }
    let whole = &run.whole;
    let other = if one_core_s.is_some() { "against the other run" } else { "" };
    let header = format!("{MODELLED:<34}  ms a step  speed-up against itself  {other}");
    let row = |(network, &sum_s): (&WorkersNetwork, &f64)| {
        let modelled_s = whole.a_step(sum_s);
        let own = significant(whole.a_step(whole.step_s) / modelled_s);
        let than_other = one_core_s.map_or_else(String::new, |it| significant(it / modelled_s));
        let (name, step) = (network.name, milliseconds(modelled_s));
        format!("    {name:<30}  {step:>9}  {own:>23}  {than_other:>21}")
    };
    let rows = NETWORKS.iter().zip(&whole.modelled_s).map(row);
    [header].into_iter().chain(rows).map(|line| line.trim_end().to_owned()).collect()
}

fn milliseconds(seconds: f64) -> String {
    significant(1e3 * seconds)
}
