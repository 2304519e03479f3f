//! Which processor executed which task when: the time line of a step.
//!
//! Noted only when asked for. Otherwise the clock stands still, and nothing is read,
//! kept or sent but a few bytes beside each task.

use nix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// Where a processor got a task.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// It had it at the beginning.
    TopLevel,
    /// Cut off its own stack, or kept of what its rank handed over.
    Cut,
    /// Taken from another processor of its rank, or got from another rank.
    Stolen(Steal),
}

/// How a task changed hands.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Steal {
    /// The rank of the victim.
    pub victim_rank: u32,
    /// The victim, a thread of that rank.
    pub victim: u32,
    /// When the task left the victim's pool, s.
    pub handed_over_s: f64,
}

/// A task that was executed. Times count from a moment that all ranks of a machine share.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TaskSpan {
    /// The processor, a thread of its rank.
    pub thread: u32,
    /// When it began, s.
    pub begin_s: f64,
    /// When it was done, s; all that it cut off is tasks of their own.
    pub end_s: f64,
    /// Processor time of its tests, s.
    pub busy_s: f64,
    /// Executed tests.
    pub tests: u64,
    /// Where the processor got it.
    pub origin: Origin,
}

/// One rank in one search for candidates: a step has a search for each of its solves, and
/// one for each time that vertices left their paths.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchSpan {
    /// When the rank began, s.
    pub begin_s: f64,
    /// When all its processors were done, s.
    pub end_s: f64,
    /// Their tasks, by thread and time.
    pub tasks: Vec<TaskSpan>,
}

/// The clock of a time line, the same for all ranks of a machine.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Clock {
    /// Whether a time line is noted.
    pub runs: bool,
}

impl Clock {
    /// Seconds since some moment in the past; 0 where nothing is noted.
    pub fn now_s(self) -> f64 {
        if !self.runs {
            return 0.0;
        }
        let now = clock_gettime(ClockId::CLOCK_MONOTONIC);
        now.map_or(0.0, |now| std::time::Duration::from(now).as_secs_f64())
    }
}
