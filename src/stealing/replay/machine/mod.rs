//! A modelled machine: ranks of one processor each, driven by a virtual clock.
//!
//! The protocol is that of a run: the same [`Scheduler`], the same rules by which stacks
//! are cut and tasks handed over. Tests take their unit costs; a letter takes the
//! latency and its length over the bandwidth, and processor time at both ends. A barrier
//! or a sum takes `ceil(log2 P)` latencies after the last rank has entered it.
//!
//! Ranks hear each other only when they poll, so one runs ahead from poll to poll without
//! looking at the others.

mod rank;
mod scheduled;
#[cfg(test)]
mod tests;

use std::collections::BinaryHeap;

use self::rank::{Rank, Rules};
use self::scheduled::Scheduled;
use crate::error::{Error, Result};
use crate::stealing::link::letter_bytes;
use crate::stealing::processor::Decomposition;
use crate::stealing::replay::costs::{UnitCosts, picoseconds};
use crate::stealing::replay::tree::Unfolded;
use crate::stealing::scheduler::{Action, Event, Letter, Load, Scheduler, mix};
use crate::stealing::settings::Settings;
use crate::stealing::usage::ProcessorUse;

/// How processors are connected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Network {
    /// From one processor to another, s.
    pub latency_s: f64,
    /// Bytes that a processor sends in a second.
    pub bandwidth: f64,
    /// Processor time of a poll, and of sending or receiving a letter, s.
    pub overhead_s: f64,
}

impl Network {
    /// Of ranks that share a machine's memory, as those that are measured do.
    pub const SHARED_MEMORY: Self = Self { latency_s: 2e-6, bandwidth: 1e10, overhead_s: 2e-7 };

    /// Time of a collective in which every rank gets `bytes` bytes, s.
    pub fn collective_s(&self, ranks: usize, bytes: f64) -> f64 {
        match ranks {
            0 | 1 => 0.0,
            _ => hops(ranks) * (self.latency_s + 2.0 * self.overhead_s) + bytes / self.bandwidth,
        }
    }
}

/// Messages that what a rank knows takes to reach all others.
fn hops(ranks: usize) -> f64 {
    f64::from(ranks.max(1).next_power_of_two().ilog2())
}

/// A task: tests as places in preorder.
type Task = Vec<u32>;

/// The modelled machine, from search to search.
pub struct Machine {
    schedulers: Vec<Scheduler>,
    collision: Settings,
    network: Network,
    kinds: [u64; 256],
    task: u64,
}

/// A search as it went on the modelled machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// From its beginning to its end on the last rank, s.
    pub length_s: f64,
    /// From the last executed test to that end, s.
    pub termination_s: f64,
    /// Sums over the ranks until one was zero.
    pub sums: u64,
    /// How each processor spent it.
    pub uses: Vec<ProcessorUse>,
}

impl Machine {
    /// Of `ranks` ranks, whose tests take `costs`.
    pub fn new(ranks: usize, collision: &Settings, network: Network, costs: &UnitCosts) -> Self {
        let scheduler = |rank| Scheduler::new(rank, ranks, collision.victim_order);
        Self {
            schedulers: (0..ranks).map(scheduler).collect(),
            collision: *collision,
            network,
            kinds: costs.of_kinds(),
            task: costs.of_task(),
        }
    }

    /// Number of its ranks.
    pub fn ranks(&self) -> usize {
        self.schedulers.len()
    }

    /// Executes `trees`, the root tests of a patch on the rank that owns it.
    ///
    /// # Errors
    /// If a test is executed twice or never, or the search does not end.
    pub fn play(&mut self, trees: &Unfolded, rank_of_patch: &[u32]) -> Result<Played> {
        let mut search = ModelledSearch::new(self, trees);
        if !trees.roots.is_empty() {
            search.share_out(rank_of_patch);
            search.play()?;
        }
        let played = search.played();
        let (executed, expected) = (search.executed(), of_all(trees.kinds.len()));
        self.schedulers = search.ranks.into_iter().map(|rank| rank.scheduler).collect();
        if executed != expected {
            let cause = format!("{} of {} tests were executed once", executed.0, expected.0);
            return Err(Error::input("modelled machine", cause, "report this as a bug"));
        }
        Ok(played)
    }
}

/// Count and hash of all tests.
fn of_all(tests: usize) -> (u64, u64) {
    (tests as u64, (0..tests as u64).fold(0, |sum, at| sum.wrapping_add(mix(at))))
}

enum Happening {
    /// A rank polls.
    Poll,
    Arrival {
        from: usize,
        letter: Letter,
        tasks: Vec<Task>,
    },
    BarrierCompleted,
    SumCompleted(i64),
}

/// One search on the machine.
struct ModelledSearch<'a> {
    rules: Rules<'a>,
    collision: &'a Settings,
    latency: u64,
    overhead: u64,
    ps_per_byte: f64,
    collective: u64,
    ranks: Vec<Rank>,
    queue: BinaryHeap<Scheduled>,
    number: u64,
    /// Who has entered the pending collective, and the sum of what they brought.
    entered: (usize, i64),
    sums: u64,
}

impl<'a> ModelledSearch<'a> {
    fn new(machine: &'a mut Machine, trees: &'a Unfolded) -> Self {
        let schedulers = std::mem::take(&mut machine.schedulers);
        let Settings { decomposition, stealing, a, b, polling_interval_us, .. } = machine.collision;
        let network = &machine.network;
        Self {
            rules: Rules {
                trees,
                kinds: &machine.kinds,
                task: machine.task,
                decomposition: decomposition.then_some(Decomposition { a, b }),
                interval: (stealing && schedulers.len() > 1)
                    .then(|| picoseconds(polling_interval_us * 1e-6)),
            },
            collision: &machine.collision,
            latency: picoseconds(network.latency_s),
            overhead: picoseconds(network.overhead_s),
            ps_per_byte: 1e12 / network.bandwidth,
            collective: picoseconds(network.collective_s(schedulers.len(), 0.0)),
            ranks: schedulers.into_iter().map(Rank::new).collect(),
            queue: BinaryHeap::new(),
            number: 0,
            entered: (0, 0),
            sums: 0,
        }
    }

    /// Top-level tasks as in a run: those of a patch are one, and on one processor all.
    fn share_out(&mut self, rank_of_patch: &[u32]) {
        let alone = self.ranks.len() == 1;
        let mut roots = self.rules.trees.roots.to_vec();
        roots.sort_by_key(|&(patch, _)| patch);
        // The first one is executed first, and tasks are taken from the back.
        for tests in roots.chunk_by(|a, b| alone || a.0 == b.0).rev() {
            let rank = if alone { 0 } else { rank_of_patch[tests[0].0 as usize] };
            let rank = &mut self.ranks[rank as usize];
            rank.pool.push_back(tests.iter().map(|&(_, at)| at).collect());
            rank.usage.top_level_tasks += 1;
        }
    }

    fn play(&mut self) -> Result<()> {
        for rank in 0..self.ranks.len() {
            if self.rules.interval.is_some() {
                let mut actions = Vec::new();
                self.ranks[rank].scheduler.begin(&mut actions);
            }
            self.advance(rank);
            if std::mem::take(&mut self.ranks[rank].waits) && self.rules.interval.is_some() {
                self.schedule(0, rank, Happening::Poll);
            }
        }
        while let Some(Scheduled { time, rank, what, .. }) = self.queue.pop() {
            let one = &mut self.ranks[rank];
            let polls = matches!(what, Happening::Poll);
            if !polls {
                one.inbox.push_back(what);
            }
            if polls || one.waits {
                one.waits = false;
                one.now = one.now.max(time);
                self.poll(rank)?;
            }
        }
        let over = |rank: &Rank| self.rules.interval.is_none() || rank.scheduler.is_over();
        match self.ranks.iter().all(over) {
            true => Ok(()),
            false => Err(Error::input(
                "modelled machine",
                "a search does not end",
                "report this as a bug",
            )),
        }
    }

    fn schedule(&mut self, time: u64, rank: usize, what: Happening) {
        self.number += 1;
        self.queue.push(Scheduled { time, number: self.number, rank, what });
    }

    /// Lets a rank answer what has come, and work on.
    fn poll(&mut self, rank: usize) -> Result<()> {
        let one = &mut self.ranks[rank];
        let start = one.now;
        if one.works {
            one.now += self.overhead;
        }
        while let Some(what) = self.ranks[rank].inbox.pop_front() {
            self.tell(rank, what)?;
        }
        self.tell(rank, Happening::Poll)?;
        let one = &mut self.ranks[rank];
        if one.works {
            one.polled = one.now;
            one.scheduling += one.now - start;
        }
        if !one.scheduler.is_over() {
            self.advance(rank);
        }
        Ok(())
    }

    fn tell(&mut self, rank: usize, what: Happening) -> Result<()> {
        let one = &mut self.ranks[rank];
        let event = match what {
            Happening::Poll => Event::Polled,
            Happening::BarrierCompleted => Event::BarrierCompleted,
            Happening::SumCompleted(sum) => Event::SumCompleted(sum),
            Happening::Arrival { from, letter, tasks } => {
                one.now += self.overhead;
                one.usage.rejections += u64::from(letter == Letter::Rejection);
                one.usage.tasks_stolen += tasks.len() as u64;
                for task in tasks {
                    if one.works || one.received.is_some() {
                        one.pool.push_back(task);
                    } else {
                        one.received = Some(task);
                    }
                }
                Event::Received { from, phase: one.scheduler.phase(), letter }
            }
        };
        let mut actions = Vec::new();
        let handled = one.scheduler.handle(event, one.load(), &mut actions);
        handled.map_err(|stray| Error::Rank { rank, message: stray.to_string() })?;
        for action in actions {
            self.perform(rank, action);
        }
        Ok(())
    }

    fn perform(&mut self, rank: usize, action: Action) {
        let one = &mut self.ranks[rank];
        match action {
            Action::Ask(victim) => {
                one.usage.requests += 1;
                self.send(rank, victim, Letter::Request, Vec::new());
            }
            Action::Answer(thief) => {
                let count = self.collision.share.of(one.pool.len());
                let mut tasks = Vec::from_iter(one.pool.drain(..count));
                if self.rules.decomposition.is_some()
                    && one.pool.is_empty()
                    && let Some(kept) = tasks.last_mut().and_then(Decomposition::halve)
                {
                    one.pool.push_back(kept);
                    one.usage.tasks_created += 1;
                }
                let letter = if tasks.is_empty() { Letter::Rejection } else { Letter::Tasks };
                self.send(rank, thief, letter, tasks);
            }
            Action::EnterBarrier => self.enter(rank, 0, |_| Happening::BarrierCompleted),
            Action::Contribute(mine) => {
                self.enter(rank, mine, Happening::SumCompleted);
                self.sums += u64::from(self.entered.0 == 0);
            }
        }
    }

    /// A rank's letters leave one after the other, each as long as its bytes take.
    fn send(&mut self, from: usize, to: usize, letter: Letter, tasks: Vec<Task>) {
        let bytes = letter_bytes(tasks.iter().map(Vec::len));
        let one = &mut self.ranks[from];
        one.now += self.overhead;
        one.sent = one.sent.max(one.now) + (bytes as f64 * self.ps_per_byte) as u64;
        let time = one.sent + self.latency;
        self.schedule(time, to, Happening::Arrival { from, letter, tasks });
    }

    /// Enters a collective; the last one to come completes it. Ranks poll in order of
    /// time, so the last one is the latest.
    fn enter(&mut self, rank: usize, mine: i64, completed: fn(i64) -> Happening) {
        self.entered.0 += 1;
        self.entered.1 += mine;
        if self.entered.0 == self.ranks.len() {
            let (_, sum) = std::mem::take(&mut self.entered);
            let time = self.ranks[rank].now + self.collective;
            (0..self.ranks.len()).for_each(|rank| self.schedule(time, rank, completed(sum)));
        }
    }

    /// Lets a rank work until it polls, or has nothing to do.
    fn advance(&mut self, rank: usize) {
        let one = &mut self.ranks[rank];
        if one.load() == Load::Idle {
            one.waits = true;
            return;
        }
        one.work(&self.rules);
        if self.rules.interval.is_some() {
            let time = one.now;
            self.schedule(time, rank, Happening::Poll);
        }
    }

    /// Count and hash of what was executed.
    fn executed(&self) -> (u64, u64) {
        let sum = |(tests, hash): (u64, u64), rank: &Rank| {
            (tests + rank.usage.tests, hash.wrapping_add(rank.hash))
        };
        self.ranks.iter().fold((0, 0), sum)
    }

    fn played(&self) -> Played {
        let latest = |time: fn(&Rank) -> u64| self.ranks.iter().map(time).max().unwrap_or(0);
        let length = latest(|rank| rank.now);
        let seconds = |time: u64| time as f64 * 1e-12;
        let uses = self.ranks.iter().map(|rank| {
            let waiting = length - rank.busy - rank.scheduling;
            ProcessorUse {
                length_s: seconds(length),
                busy_s: seconds(rank.busy),
                scheduling_s: seconds(rank.scheduling),
                waiting_s: if self.rules.interval.is_some() { seconds(waiting) } else { 0.0 },
                ..rank.usage
            }
        });
        Played {
            length_s: seconds(length),
            termination_s: seconds(length - latest(|rank| rank.last_test)),
            sums: self.sums,
            uses: uses.collect(),
        }
    }
}
