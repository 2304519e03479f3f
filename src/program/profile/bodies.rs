//! The profile of a run of rigid bodies: how busy each rank was, and with what.
//!
//! A rank works in all of a step except where it waits for messages. The length of a step is that
//! of its slowest rank.

use cloth_core::report::{Cell, Report};
use cloth_rigid::{Phase, RigidReport};

use crate::program::output::{Bodies, StepRecord};
use crate::program::profile::frames::{BLUE, GREEN, ORANGE, PURPLE, VERMILION};
use crate::program::profile::{Colour, Look, ProfileKind, Sums};

const LOOK: Look = Look {
    runs_of: "rigid bodies",
    by_thread: false,
    share: "busy",
    length: "length_s",
    of_frame: &["length_s"],
    heat_map: "Each rank's share of time at work: not waiting for messages, %",
    color: |phase| color_of(Phase::ALL[phase]),
    charts: &[],
};

/// What one rank did in some steps.
#[derive(Default)]
pub struct RankSum {
    report: RigidReport,
    /// Length of the steps, s.
    length_s: f64,
}

impl ProfileKind for Bodies {
    const LOOK: &'static Look = &LOOK;
    type Sum = RankSum;

    fn columns() -> Vec<String> {
        let [seconds, waited] = RigidReport::time_names();
        let times = seconds.into_iter().zip(waited).flat_map(<[String; 2]>::from);
        let mut report = RigidReport::default();
        let counts = report.entries().filter_map(|it| it.column).map(str::to_owned);
        let first = ["length_s", "work_s", "busy"].map(str::to_owned);
        first.into_iter().chain(times).chain(counts).collect()
    }

    fn add(step: &[&StepRecord<Self>], sums: &mut Sums<RankSum>) {
        let length_s = step.iter().map(|it| it.report.total_s()).fold(0.0, f64::max);
        for record in step {
            let sum = sums.entry((record.rank, 0)).or_default();
            sum.report.add(&record.report);
            sum.length_s += length_s;
        }
    }

    fn values(&RankSum { mut report, length_s }: &RankSum) -> Vec<f64> {
        let work_s = report.work_s();
        let busy = if length_s > 0.0 { work_s.max(0.0) / length_s } else { 0.0 };
        let mut values = vec![length_s, work_s, busy];
        let [seconds, waited] = report.times();
        values.extend(seconds.iter().zip(waited).flat_map(|(&seconds, &waited)| [seconds, waited]));
        let shown = report.entries().filter(|it| it.column.is_some());
        values.extend(shown.map(|it| match it.cell {
            Cell::Count(count) => *count as f64,
            Cell::Measure(measure) => *measure,
            _ => f64::NAN,
        }));
        values
    }
}

fn color_of(phase: Phase) -> Colour {
    match phase {
        Phase::Forces => PURPLE,
        Phase::Motion => BLUE,
        Phase::Synchronisation => ORANGE,
        Phase::Contacts => GREEN,
        Phase::Response => VERMILION,
    }
}
