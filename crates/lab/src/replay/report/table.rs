//! The tables of a replay as text.

use std::fmt::Write;

use cloth_collision::stealing::StealingSettings;

use crate::replay::model::{Comparison, ModelledStep, Network, PhaseSplit, Times, UnitCosts};
use crate::replay::report::{PARTS, Replayed};
use crate::replay::trees::Item;

/// The unit costs and replicated parts that a replay starts from.
pub fn times(times: &Times) -> String {
    costs(&times.costs) + &split(&times.split)
}

/// The parts of the phases after the tests that every rank repeats.
fn split(split: &PhaseSplit) -> String {
    if split.steps == 0 {
        return "Contacts, response and fail-safe count as divided among the processors. This is \
                optimistic, because every rank\nrepeats a part of them. Add a recording of the same \
                steps on several ranks of one thread to fit that part.\n"
            .to_owned();
    }
    let parts = PhaseSplit::PHASES.iter().zip(split.replicated);
    let parts = parts.map(|(phase, part)| format!("{} {:.0} %", phase.name(), 100.0 * part));
    format!(
        "Work that every rank repeats, fitted to {} steps that were recorded on one processor and on \
         several ranks: {}.\n",
        split.steps,
        Vec::from_iter(parts).join(", "),
    )
}

/// The unit costs, one a line.
fn costs(costs: &UnitCosts) -> String {
    let mut text = String::from(
        "Unit costs, fitted to every second step of the recordings of one processor:\n",
    );
    for (item, cost) in Item::ALL.iter().zip(costs.0) {
        let _ = writeln!(text, "  {:<32} {:>8.1} ns", item.name(), 1e9 * cost);
    }
    text
}

/// Measured times beside modelled ones. `named` are recordings with their names.
pub fn comparisons(named: &[(String, Option<Comparison>)]) -> String {
    let mut text = String::from(
        "Prediction against measurement, on the steps that were not used for fitting. Times are ms a step.\n\
         Median and worst are errors of steps of at least 1 ms. Rows of processor time use all these steps. \
         The other rows\nuse the steps in which the processors ran nearly all the time. \
         The whole phase on one processor has no row,\nbecause the model takes its other parts from the \
         same recording.\n  \
         what             ranks  steps  measured  modelled   error  median   worst  recording\n",
    );
    for (name, comparison) in named {
        let Some(comparison) = comparison else {
            let _ = writeln!(text, "  {name}: not modelled, because its ranks had several threads");
            continue;
        };
        let rows = [
            ("processor time", &comparison.busy),
            ("test part", &comparison.test_parts),
            ("whole phase", &comparison.phases),
        ];
        for (what, pairs) in rows {
            if what == "whole phase" && comparison.ranks == 1 {
                continue;
            }
            let _ =
                writeln!(text, "  {what:<16} {:>5} {}  {name}", comparison.ranks, errors(pairs));
        }
    }
    text
}

/// A row: number of steps, both means, the error of the sum, and the median and largest error of a
/// step.
fn errors(pairs: &[(f64, f64)]) -> String {
    if pairs.is_empty() {
        return format!("{:>6} {:>9} {:>9} {:>7} {:>7} {:>7}", 0, "-", "-", "-", "-", "-");
    }
    let count = pairs.len() as f64;
    let measured: f64 = pairs.iter().map(|pair| pair.0).sum();
    let modelled: f64 = pairs.iter().map(|pair| pair.1).sum();
    let long = pairs.iter().filter(|pair| pair.0 >= 1e-3);
    let mut errors = Vec::from_iter(long.map(|pair| (pair.1 / pair.0 - 1.0).abs()));
    errors.sort_by(f64::total_cmp);
    let percent = |value: Option<f64>| match value {
        Some(value) => format!("{:.1}%", 100.0 * value),
        None => "-".to_owned(),
    };
    let of_sum = (measured > 0.0).then(|| modelled / measured - 1.0);
    format!(
        "{:>6} {:>9.3} {:>9.3} {:>7} {:>7} {:>7}",
        pairs.len(),
        1e3 * measured / count,
        1e3 * modelled / count,
        percent(of_sum),
        percent(errors.get(errors.len() / 2).copied()),
        percent(errors.last().copied()),
    )
}

/// A row for each modelled machine. They differ in the number of processors only.
pub fn curve(replayed: &[Replayed]) -> String {
    let Some(first) = replayed.first() else { return String::new() };
    let mut text = format!(
        "Modelled, not measured: mean of {} collision phases; {}; {}.\n\
         Times in ms, utilization and efficiency in %, counts a step.\n\
         {:>10} {:>8} | {:>8} {:>8} {:>9} {:>8} | {:>8} {:>8} {:>8} {:>8} | {:>6} {:>6} {:>6} {:>7} {:>7} {:>9} {:>9} | {:>8} {:>9} {:>9}\n",
        first.steps.len(),
        network(&first.variant.network),
        sharing(&first.variant.collision),
        "processors",
        "phase",
        "replic.",
        "gather",
        "test part",
        "others",
        "best",
        "chain",
        "ending",
        "lost",
        "frames",
        "all",
        "worst",
        "eff. t.",
        "eff. p.",
        "faster t.",
        "faster p.",
        "steals",
        "requests",
        "rejected",
    );
    for replayed in replayed {
        text += &row(replayed);
    }
    text += "\
        phase = replic. (predict, refit, tests above the roots) + gather (all-gather) + test part + others (contacts, response, combination, fail-safe)\n\
        test part = best (tests shared evenly, or the longest chain of tests) + ending (after the last test) + lost (waiting, messages, making tasks)\n\
        frames, all, worst: utilization in the test part, as the mean of the frames, over all the time, and in the worst frame\n\
        eff., faster: efficiency and speed-up against one processor, of the test part (t.) and of the phase (p.)\n";
    text
}

fn row(replayed: &Replayed) -> String {
    let ms = |value: fn(&ModelledStep) -> f64| 1e3 * replayed.mean(value);
    let part = |index: usize| ms(PARTS[index].1);
    let (tests, whole) = (replayed.speed_up_of_tests(), replayed.speed_up());
    let lost = |step: &ModelledStep| step.test_part_s - step.best_s - step.termination_s;
    format!(
        "{:>10} {:>8.3} | {:>8.3} {:>8.3} {:>9.3} {:>8.3} | {:>8.3} {:>8.3} {:>8.3} {:>8.3} | {:>6} {:>6} {:>6} {:>7} {:>7} {:>9} {:>9} | {:>8.0} {:>9.0} {:>9.0}\n",
        replayed.variant.processors,
        ms(ModelledStep::phase_s),
        part(0),
        part(1),
        part(2),
        part(3),
        ms(|step| step.best_s),
        ms(|step| step.chain_s),
        ms(|step| step.termination_s),
        1e3 * replayed.mean(lost),
        scaled(100.0, replayed.utilization()),
        scaled(100.0, replayed.utilization_of_all()),
        scaled(100.0, replayed.worst_utilization()),
        scaled(100.0, replayed.efficiency(tests)),
        scaled(100.0, replayed.efficiency(whole)),
        scaled(1.0, tests),
        scaled(1.0, whole),
        replayed.count(|usage| usage.tasks_stolen),
        replayed.count(|usage| usage.requests),
        replayed.count(|usage| usage.rejections),
    )
}

/// A value times a factor. A missing value is a dash.
fn scaled(factor: f64, value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| format!("{:.1}", factor * value))
}

fn network(network: &Network) -> String {
    // Rounded to ps, because seconds may be off by one bit.
    let us = |seconds: f64| (seconds * 1e12).round() / 1e6;
    format!(
        "latency {} us, {} GB/s, {} us of processor time a message",
        us(network.latency_s),
        network.bandwidth / 1e9,
        us(network.overhead_s)
    )
}

/// How tests are shared among processors, in words.
pub fn sharing(collision: &StealingSettings) -> String {
    let StealingSettings {
        decomposition,
        stealing,
        a,
        b,
        polling_interval_us,
        victim_order,
        share,
    } = collision;
    let on = |on: &bool| if *on { "on" } else { "off" };
    format!(
        "decomposition {} (a = {a}, b = {b}), stealing {} ({victim_order:?}, {share:?}, polls every {polling_interval_us} us)",
        on(decomposition),
        on(stealing),
    )
}
