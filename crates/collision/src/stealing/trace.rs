//! Which processor executed which task when: the time line of a search.
//!
//! Tasks are traced only on request. Otherwise the clock stands still and is never read, and a
//! task carries a few bytes more than its tests.

use serde::{Deserialize, Serialize};

use nix::time::{ClockId, clock_gettime};

/// How a processor got a task.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The processor had it at the beginning.
    TopLevel,
    /// It was cut off the processor's own stack, or it is the part of a handed-over task that
    /// stayed.
    Cut,
    /// It was taken from another processor of the rank, or came from another rank.
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
    /// When it was done, s. The parts that it cut off are tasks of their own.
    pub end_s: f64,
    /// Processor time of its tests, s.
    pub busy_s: f64,
    /// Executed tests.
    pub tests: u64,
    /// How the processor got it.
    pub origin: Origin,
}

/// One rank in one search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchSpan {
    /// When the rank began, s.
    pub begin_s: f64,
    /// When all its processors were done, s.
    pub end_s: f64,
    /// Their tasks, by thread and time.
    pub tasks: Vec<TaskSpan>,
}

/// The clock of a time line. All ranks of a machine read the same.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TraceClock {
    /// Whether tasks are traced.
    pub runs: bool,
}

impl TraceClock {
    /// Seconds since some moment in the past; 0 if nothing is traced.
    pub fn now_s(self) -> f64 {
        if !self.runs {
            return 0.0;
        }
        let now = clock_gettime(ClockId::CLOCK_MONOTONIC);
        now.map_or(0.0, |now| std::time::Duration::from(now).as_secs_f64())
    }
}
