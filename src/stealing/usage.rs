//! What each processor does during the tests of a step: the profile.

use std::ops::{Add, Sub};
use std::time::{Duration, Instant};

use bytemuck::{Pod, Zeroable};
use nix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// How a processor (a thread of a rank) spends the test part of its phases. The
/// uses of several phases add up.
///
/// Clocks are read when its own deque is empty, so that taking tasks from there counts as
/// part of executing them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Pod, Zeroable)]
#[repr(C)]
pub struct ProcessorUse {
    /// From the beginning of the test part to its end on this rank, s.
    pub length_s: f64,
    /// Executing tests, s: processor time of the thread, without what others took.
    pub busy_s: f64,
    /// Looking at what other ranks say, and answering, between tests, s.
    pub scheduling_s: f64,
    /// With nothing to execute, asking other ranks for tasks or for the end, s.
    pub waiting_s: f64,
    /// Executed tests.
    pub tests: u64,
    /// Candidates found.
    pub candidates: u64,
    /// Tasks at the beginning.
    pub top_level_tasks: u64,
    /// Tasks cut off its stack.
    pub tasks_created: u64,
    /// Tasks executed.
    pub tasks_executed: u64,
    /// Tasks taken from other processors of its rank, or got from other ranks.
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
    /// What came after `earlier`, when this use was that one.
    pub fn since(&self, earlier: &Self) -> Self {
        self.with(earlier, Sub::sub, Sub::sub)
    }

    /// Adds another phase.
    pub fn add(&mut self, other: &Self) {
        *self = self.with(other, Add::add, Add::add);
    }

    /// Each field of both, put together.
    fn with(
        &self,
        other: &Self,
        seconds: fn(f64, f64) -> f64,
        counts: fn(u64, u64) -> u64,
    ) -> Self {
        Self {
            length_s: seconds(self.length_s, other.length_s),
            busy_s: seconds(self.busy_s, other.busy_s),
            scheduling_s: seconds(self.scheduling_s, other.scheduling_s),
            waiting_s: seconds(self.waiting_s, other.waiting_s),
            tests: counts(self.tests, other.tests),
            candidates: counts(self.candidates, other.candidates),
            top_level_tasks: counts(self.top_level_tasks, other.top_level_tasks),
            tasks_created: counts(self.tasks_created, other.tasks_created),
            tasks_executed: counts(self.tasks_executed, other.tasks_executed),
            tasks_stolen: counts(self.tasks_stolen, other.tasks_stolen),
            requests: counts(self.requests, other.requests),
            rejections: counts(self.rejections, other.rejections),
        }
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

    /// How long the tests took until now, s, if looking at messages took `scheduling` of the
    /// wall time: no more than is left of that, nor than the thread ran. (A thread may lose
    /// its core while it looks at messages, so that one cannot be taken from the other.)
    pub(super) fn busy_s(&self, scheduling: Duration) -> f64 {
        let left = self.start.elapsed().saturating_sub(scheduling);
        left.min(thread_time() - self.thread_time).as_secs_f64()
    }
}

/// Processor time of the calling thread; zero where the system does not tell.
fn thread_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As where four ranks share two cores.
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
