//! Tables as text. Each says that it is modelled.

use std::fmt::Write;

use super::{PARTS, Replayed};
use crate::collision::replay::tree::Item;
use crate::collision::replay::{Comparison, ModelledStep, Network, UnitCosts};
use crate::scene::spec::Collision;

/// Unit costs, a line each.
pub fn costs(costs: &UnitCosts) -> String {
    let mut text = String::from(
        "Unit costs, fitted to every second step of the recordings of one processor:\n",
    );
    for (item, cost) in Item::ALL.iter().zip(costs.0) {
        let _ = writeln!(text, "  {:<32} {:>8.1} ns", item.name(), 1e9 * cost);
    }
    text
}

/// Measured beside modelled times; `named` are recordings with their names.
pub fn comparisons(named: &[(String, Option<Comparison>)]) -> String {
    let mut text = String::from(
        "Prediction against measurement, over the other recorded steps (ms a step; the errors of steps \
         of at least 1 ms):\n  what           ranks  measured  modelled   error  median   worst  recording\n",
    );
    for (name, comparison) in named {
        let Some(comparison) = comparison else {
            let _ =
                writeln!(text, "  {name}: made with several threads a rank, which is not modelled");
            continue;
        };
        let rows = [
            ("test part", &comparison.test_parts),
            ("tests, CPU time", &comparison.busy),
            ("whole phase", &comparison.phases),
        ];
        for (what, pairs) in rows {
            let _ = writeln!(text, "  {what:<15}{:>5} {}  {name}", comparison.ranks, errors(pairs));
        }
    }
    text
}

/// Means of both, the error of the sum, and the median and largest error of a step.
fn errors(pairs: &[(f64, f64)]) -> String {
    let count = pairs.len().max(1) as f64;
    let measured: f64 = pairs.iter().map(|pair| pair.0).sum();
    let modelled: f64 = pairs.iter().map(|pair| pair.1).sum();
    let long = pairs.iter().filter(|pair| pair.0 >= 1e-3);
    let mut errors = Vec::from_iter(long.map(|pair| (pair.1 / pair.0 - 1.0).abs()));
    errors.sort_by(f64::total_cmp);
    let at = |place: usize| 100.0 * errors.get(place).copied().unwrap_or_default();
    format!(
        "{:>9.3} {:>9.3} {:>+6.1}% {:>6.1}% {:>6.1}%",
        1e3 * measured / count,
        1e3 * modelled / count,
        100.0 * (modelled / measured - 1.0),
        at(errors.len() / 2),
        at(errors.len().saturating_sub(1)),
    )
}

/// A row for each modelled machine; all but the number of processors is the same.
pub fn curve(replayed: &[Replayed]) -> String {
    let Some(first) = replayed.first() else { return String::new() };
    let mut text = format!(
        "Modelled, not measured: mean of {} collision phases; {}; {}.\n\
         Times in ms, utilization and efficiency in %, counts a phase.\n\
         {:>10} {:>8} | {:>8} {:>8} {:>8} {:>8} | {:>8} {:>8} {:>8} {:>8} | {:>6} {:>6} {:>6} {:>6} {:>6} {:>8} {:>6} | {:>8} {:>9} {:>9}\n",
        first.steps.len(),
        network(&first.variant.network),
        sharing(&first.variant.collision),
        "processors",
        "phase",
        "replic.",
        "gather",
        "tests",
        "others",
        "best",
        "chain",
        "ending",
        "balance",
        "util.",
        "time",
        "worst",
        "eff.t.",
        "eff.",
        "speed-t.",
        "speed",
        "steals",
        "requests",
        "rejected",
    );
    for replayed in replayed {
        text += &row(replayed);
    }
    text += "phase = replicated (predict, refit, tests above the roots) + all-gather + tests + others (contacts, response, fail-safe). Of the tests: best = tests \
             shared out evenly or the longest chain of them, chain; ending = from the last test to the end; balance = the rest: waiting, \
             talking and making tasks. util. = mean over the frames, time = over all the time, worst = worst frame; eff.t., speed-t. = tests alone.\n";
    text
}

fn row(replayed: &Replayed) -> String {
    let processors = replayed.variant.processors as f64;
    let ms = |value: fn(&ModelledStep) -> f64| 1e3 * replayed.mean(value);
    let part = |index: usize| ms(PARTS[index].1);
    let (utilization, worst) = replayed.utilization();
    let (tests, whole) = (replayed.speed_up_of_tests(), replayed.speed_up());
    let balance = |step: &ModelledStep| step.test_part_s - step.best_s - step.termination_s;
    format!(
        "{:>10} {:>8.3} | {:>8.3} {:>8.3} {:>8.3} {:>8.3} | {:>8.3} {:>8.3} {:>8.3} {:>8.3} | {:>6.1} {:>6.1} {:>6.1} {:>6.1} {:>6.1} {:>8.1} {:>6.1} | {:>8.0} {:>9.0} {:>9.0}\n",
        replayed.variant.processors,
        ms(ModelledStep::phase_s),
        part(0),
        part(1),
        part(2),
        part(3),
        ms(|step| step.best_s),
        ms(|step| step.chain_s),
        ms(|step| step.termination_s),
        1e3 * replayed.mean(balance),
        100.0 * utilization,
        100.0 * replayed.utilization_of_all(),
        100.0 * worst,
        100.0 * tests / processors,
        100.0 * whole / processors,
        tests,
        whole,
        replayed.count(|usage| usage.tasks_stolen),
        replayed.count(|usage| usage.requests),
        replayed.count(|usage| usage.rejections),
    )
}

fn network(network: &Network) -> String {
    format!(
        "latency {} us, {} GB/s, {} us of processor time a letter",
        1e6 * network.latency_s,
        network.bandwidth / 1e9,
        1e6 * network.overhead_s
    )
}

/// How tests are shared out, in words.
pub fn sharing(collision: &Collision) -> String {
    let Collision { decomposition, stealing, a, b, polling_interval_us, victim_order, share } =
        collision;
    let on = |on: &bool| if *on { "on" } else { "off" };
    format!(
        "decomposition {} (a = {a}, b = {b}), stealing {} ({victim_order:?}, {share:?}, polls every {polling_interval_us} us)",
        on(decomposition),
        on(stealing),
    )
}
