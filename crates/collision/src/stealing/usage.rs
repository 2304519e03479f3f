//! How each processor spends its searches: the profile.

use std::time::{Duration, Instant};

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

use cloth_core::threads::clock::thread_time;
use nix::time::{ClockId, clock_gettime};

/// How a processor (a thread of a rank) spends a search. The uses of several searches add up.
///
/// Clocks are read when its own deque is empty. So taking tasks from there counts as executing
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Pod, Zeroable)]
#[repr(C)]
pub struct ProcessorUse {
    /// From the beginning of the search to its end on this rank, s.
    pub length_s: f64,
    /// Executing tests, s: processor time of the thread. Time in which other threads had its
    /// core does not count.
    pub busy_s: f64,
    /// Reading and answering messages of other ranks between tests, s.
    pub scheduling_s: f64,
    /// Without a task: asking other ranks for one, or waiting for the end of the search, s.
    pub waiting_s: f64,
    /// Executed tests.
    pub tests: u64,
    /// Items found: candidates of the collision phase.
    #[serde(rename = "candidates")] // the name in files
    pub found: u64,
    /// Tasks at the beginning.
    pub top_level_tasks: u64,
    /// Tasks cut off its stack.
    pub tasks_created: u64,
    /// Tasks executed.
    pub tasks_executed: u64,
    /// Tasks that were taken from other processors of the rank, or came from other ranks.
    pub tasks_stolen: u64,
    /// Requests sent to other ranks.
    pub requests: u64,
    /// Requests that were rejected.
    pub rejections: u64,
}

impl Default for ProcessorUse {
    fn default() -> Self {
        Self::zeroed()
    }
}

impl ProcessorUse {
    /// Adds another search.
    pub fn add(&mut self, other: &Self) {
        self.length_s += other.length_s;
        self.busy_s += other.busy_s;
        self.scheduling_s += other.scheduling_s;
        self.waiting_s += other.waiting_s;
        self.tests += other.tests;
        self.found += other.found;
        self.top_level_tasks += other.top_level_tasks;
        self.tasks_created += other.tasks_created;
        self.tasks_executed += other.tasks_executed;
        self.tasks_stolen += other.tasks_stolen;
        self.requests += other.requests;
        self.rejections += other.rejections;
    }
}

/// Tasks that one processor took from another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Pod, Zeroable)]
#[repr(C)]
pub struct Theft {
    /// The thief, a thread of this rank.
    pub thief: u32,
    /// The rank of the victim.
    pub victim_rank: u32,
    /// The victim, a thread of that rank.
    pub victim: u32,
    /// Number of tasks.
    pub tasks: u32,
}

/// Adds a theft to others.
pub fn note_theft(thefts: &mut Vec<Theft>, new: Theft) {
    let parties = |theft: &Theft| (theft.thief, theft.victim_rank, theft.victim);
    match thefts.iter_mut().find(|theft| parties(theft) == parties(&new)) {
        Some(theft) => theft.tasks += new.tasks,
        None => thefts.push(new),
    }
}

/// A time in which a thread executes tasks, and looks at messages in between.
pub(super) struct Stretch {
    start: Instant,
    thread_time: Duration,
}

impl Stretch {
    /// Begins now.
    pub(super) fn begin() -> Self {
        Self { start: Instant::now(), thread_time: thread_time() }
    }

    /// Processor time of the tests until now, s. Looking at messages took `scheduling` of the
    /// wall time. The rest of the wall time is a bound, and so is the processor time of the
    /// thread: a thread may lose its core while it looks at messages, so one of the two cannot
    /// be subtracted from the other.
    pub(super) fn busy_s(&self, scheduling: Duration) -> f64 {
        let left = self.start.elapsed().saturating_sub(scheduling);
        left.min(thread_time() - self.thread_time).as_secs_f64()
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    /// Four ranks on two cores look like this.
    #[test]
    fn tests_count_as_long_as_they_took_though_the_core_is_lost_between_them() {
        let (spun, slept) = (Duration::from_millis(5), Duration::from_millis(20));
        let stretch = Stretch::begin();
        while thread_time() - stretch.thread_time < spun {}
        let scheduling = Instant::now();
        std::thread::sleep(slept);
        let busy_s = stretch.busy_s(scheduling.elapsed());
        // The two clocks need not run alike.
        assert!(busy_s >= 0.9 * spun.as_secs_f64(), "{busy_s}");
    }
}
