//! One rank of the modelled machine: its processor, its pool and its clock.

use std::collections::VecDeque;

use cloth_collision::collision::test::BRANCHES;
use cloth_collision::stealing::policy::Policy;
use cloth_collision::stealing::scheduler::{Load, Scheduler};
use cloth_collision::stealing::{ProcessorUse, RUNS_PER_LOOK};
use cloth_core::math::mix;

use crate::replay::model::machine::{MachineEvent, Task};
use crate::replay::model::unit_costs::UnitCosts;
use crate::replay::trees::{Unfolded, branches, candidates};

/// Data that all ranks share during a search. Times are in ps.
pub(super) struct Rules<'a> {
    pub trees: &'a Unfolded<'a>,
    pub costs: &'a UnitCosts,
    pub policy: Policy,
    /// Time from one poll to the next. `None` if ranks send no messages.
    pub interval: Option<u64>,
}

impl Rules<'_> {
    fn limit(&self, pool: &VecDeque<Task>) -> usize {
        self.policy.limit(pool.len())
    }
}

/// Why a rank stopped working.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pause {
    /// It must look for messages.
    PollDue,
    /// It has no task.
    OutOfWork,
}

/// One rank of the machine. All times are in ps.
pub(super) struct ModelledRank {
    pub scheduler: Scheduler,
    pub stack: Vec<u32>,
    pub limit: usize,
    /// The waiting tasks, oldest first.
    pub pool: VecDeque<Task>,
    /// A task from another rank. It is executed at once.
    pub received: Option<Task>,
    pub inbox: VecDeque<MachineEvent>,
    /// Whether it stopped between two tests of a task.
    pub works: bool,
    /// Whether it has nothing to do until an event arrives.
    pub waits: bool,
    pub now: u64,
    pub polled: u64,
    /// The time when its last message has left.
    pub sent: u64,
    /// Number of runs until it next looks at pool and clock.
    pub runs: u32,
    pub busy: u64,
    pub scheduling: u64,
    pub last_test: u64,
    pub hash: u64,
    pub usage: ProcessorUse,
}

impl ModelledRank {
    /// A rank without a task at time 0.
    pub fn new(scheduler: Scheduler) -> Self {
        Self {
            scheduler,
            stack: Vec::new(),
            limit: 0,
            pool: VecDeque::new(),
            received: None,
            inbox: VecDeque::new(),
            works: false,
            waits: false,
            now: 0,
            polled: 0,
            sent: 0,
            runs: RUNS_PER_LOOK,
            busy: 0,
            scheduling: 0,
            last_test: 0,
            hash: 0,
            usage: ProcessorUse::default(),
        }
    }

    /// Its load. A rank of one processor is never [`Load::Hungry`].
    pub fn load(&self) -> Load {
        match self.works || self.received.is_some() || !self.pool.is_empty() {
            true => Load::Busy,
            false => Load::Idle,
        }
    }

    /// Works like a processor of a run: takes tasks, executes tests and cuts its stack. Stops when
    /// it must poll (then it still `works`) or has no task.
    pub fn work(&mut self, rules: &Rules) {
        let start = self.now;
        let mut resumes = self.works;
        let pause = loop {
            if !std::mem::take(&mut resumes) && !self.take_task(rules) {
                break Pause::OutOfWork;
            }
            if self.execute(rules) == Pause::PollDue {
                break Pause::PollDue;
            }
        };
        self.busy += self.now - start;
        self.last_test = self.now;
        self.works = pause == Pause::PollDue;
    }

    fn take_task(&mut self, rules: &Rules) -> bool {
        let task = self.received.take().or_else(|| self.pool.pop_back());
        let Some(task) = task else { return false };
        self.now += rules.costs.of_task();
        self.usage.tasks_executed += 1;
        self.stack.extend(task);
        self.limit = rules.limit(&self.pool);
        true
    }

    /// Executes the tests on the stack, except those that it cuts off.
    fn execute(&mut self, rules: &Rules) -> Pause {
        while !self.stack.is_empty() {
            for _ in 0..BRANCHES {
                let Some(at) = self.stack.pop() else { break };
                self.branch(rules, at);
            }
            while let Some(decomposition) = rules.policy.decomposition
                && self.stack.len() > self.limit
            {
                let task = decomposition.cut(&mut self.stack, self.pool.len());
                self.pool.push_back(task);
                self.usage.tasks_created += 1;
                self.limit = rules.limit(&self.pool);
            }
            self.runs -= 1;
            if self.runs == 0 {
                self.runs = RUNS_PER_LOOK;
                self.limit = rules.limit(&self.pool);
                if rules.interval.is_some_and(|interval| self.now - self.polled >= interval) {
                    return Pause::PollDue;
                }
            }
        }
        Pause::OutOfWork
    }

    /// Executes a test, then its first child, and so on down the tree. The other children go on the
    /// stack.
    #[inline]
    fn branch(&mut self, rules: &Rules, mut at: u32) {
        loop {
            let kind = rules.trees.kinds[at as usize];
            self.now += rules.costs.of_kind(kind);
            self.usage.tests += 1;
            self.hash = self.hash.wrapping_add(mix(at.into()));
            let children = branches(kind);
            if children == 0 {
                self.usage.found += candidates(kind);
                return;
            }
            at += 1;
            let mut sibling = at;
            for _ in 1..children {
                sibling = rules.trees.ends[sibling as usize];
                self.stack.push(sibling);
            }
        }
    }
}
