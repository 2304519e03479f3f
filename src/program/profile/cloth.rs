//! The profile of a run of cloth: how each processor spent the test parts of the steps.
//!
//! A processor is a thread of a rank. The test part of a step is the time of its searches, each
//! until its slowest rank is done. Without stealing, a rank that is done goes on and waits
//! elsewhere. Averages are over the steps in which any processor executed a test, because other
//! steps say nothing about balance (Thomaszewski & Blochinger 2007, figure 8).

use cloth_step::Phase;

use crate::observe::ProcessorUse;
use crate::program::output::{Cloth, StepRecord};
use crate::program::profile::frames::{BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION};
use crate::program::profile::{Colour, ColumnChart, Look, ProfileKind, Sums};

const LOOK: Look = Look {
    runs_of: "cloth",
    by_thread: true,
    share: "utilization",
    length: "test_part_s",
    of_frame: &[],
    heat_map: "Utilization of each processor (rank.thread) in the test parts, %",
    color: |phase| color_of(Phase::ALL[phase]),
    charts: &[
        ColumnChart {
            title: "What the processors did in the test parts",
            is_share: true,
            columns: &[
                ("busy: tests", BLUE, "busy_s"),
                ("scheduling", GREEN, "scheduling_s"),
                ("waiting for ranks", ORANGE, "waiting_s"),
                ("idle, not running", GREY, "idle_s"),
            ],
        },
        ColumnChart {
            title: "Tasks of all processors",
            is_share: false,
            columns: &[
                ("executed", BLUE, "tasks_executed"),
                ("cut off a stack", GREEN, "tasks_created"),
            ],
        },
        ColumnChart {
            title: "Steals, and requests between ranks",
            is_share: false,
            columns: &[
                ("tasks stolen", VERMILION, "tasks_stolen"),
                ("requests", PURPLE, "requests"),
                ("rejected", ORANGE, "rejections"),
            ],
        },
    ],
};

/// What one processor did in some steps.
#[derive(Default)]
pub struct TestParts {
    usage: ProcessorUse,
    /// Length of the test parts, s.
    pub length_s: f64,
    /// The sum of the utilizations of the steps with tests.
    utilization: f64,
    steps_with_tests: u32,
}

impl TestParts {
    /// Adds a step with a test part of `length_s` (s). Any processor `has_tests` in it, or none.
    pub fn add(&mut self, usage: &ProcessorUse, length_s: f64, has_tests: bool) {
        self.usage.add(usage);
        self.length_s += length_s;
        if has_tests && length_s > 0.0 {
            self.utilization += usage.busy_s / length_s;
            self.steps_with_tests += 1;
        }
    }
}

/// The columns of a processor, each with its value.
type Column = (&'static str, fn(&TestParts) -> f64);

const COLUMNS: [Column; 15] = [
    ("test_part_s", |it| it.length_s),
    ("length_s", |it| it.usage.length_s),
    ("busy_s", |it| it.usage.busy_s),
    ("scheduling_s", |it| it.usage.scheduling_s),
    ("waiting_s", |it| it.usage.waiting_s),
    // The rest of the test parts: without work, or not running.
    ("idle_s", |it| {
        (it.length_s - it.usage.busy_s - it.usage.scheduling_s - it.usage.waiting_s).max(0.0)
    }),
    // Unknown without a step with tests.
    ("utilization", |it| it.utilization / f64::from(it.steps_with_tests)),
    ("tests", |it| it.usage.tests as f64),
    ("candidates", |it| it.usage.found as f64),
    ("top_level_tasks", |it| it.usage.top_level_tasks as f64),
    ("tasks_created", |it| it.usage.tasks_created as f64),
    ("tasks_executed", |it| it.usage.tasks_executed as f64),
    ("tasks_stolen", |it| it.usage.tasks_stolen as f64),
    ("requests", |it| it.usage.requests as f64),
    ("rejections", |it| it.usage.rejections as f64),
];

impl ProfileKind for Cloth {
    const LOOK: &'static Look = &LOOK;
    type Sum = TestParts;

    fn columns() -> Vec<String> {
        COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect()
    }

    fn add(step: &[&StepRecord<Self>], sums: &mut Sums<TestParts>) {
        let has_tests = step.iter().flat_map(|it| &it.part.processors).any(|it| it.tests > 0);
        for record in step {
            for (thread, usage) in record.part.processors.iter().enumerate() {
                let sum = sums.entry((record.rank, thread)).or_default();
                sum.add(usage, record.part.test_part_s, has_tests);
            }
        }
    }

    fn values(sum: &TestParts) -> Vec<f64> {
        COLUMNS.iter().map(|(_, value)| value(sum)).collect()
    }
}

/// The colour of a phase. Physical modelling is blue.
fn color_of(phase: Phase) -> Colour {
    match phase {
        Phase::Predict => "#969696",
        Phase::Refit => "#ffdd71",
        Phase::Tests => VERMILION,
        Phase::Contacts => "#f7b679",
        Phase::AllGather => "#9467bd",
        Phase::Response => GREEN,
        Phase::Combination => "#006d2c",
        Phase::FailSafe => "#98df8a",
        Phase::Assembly => "#c6dbef",
        Phase::Solve => "#6baed6",
        Phase::Advance => "#084594",
    }
}
