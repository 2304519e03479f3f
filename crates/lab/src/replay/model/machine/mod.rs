//! A modelled machine: ranks of one processor each, driven by a virtual clock.
//!
//! A run and the machine share the [`Scheduler`] and the [`Policy`], so both have the same
//! protocol. A test takes its unit cost. A message takes the latency of the network, its length
//! over the bandwidth, and processor time at both ends. A barrier or a sum takes `ceil(log2 P)`
//! messages after the last rank has entered it.
//!
//! Ranks read messages only when they poll. So each rank runs on to its next poll without looking
//! at the others.

mod event_queue;
mod rank;
#[cfg(test)]
mod tests;

use std::collections::BinaryHeap;

use cloth_collision::collision::Test;
use cloth_collision::stealing::message::message_bytes;
use cloth_collision::stealing::policy::Policy;
use cloth_collision::stealing::scheduler::{Action, Event, Load, MessageKind, Scheduler};
use cloth_collision::stealing::{ProcessorUse, StealingSettings};
use cloth_core::error::{Error, Result};
use cloth_core::math::mix;

use self::event_queue::Scheduled;
use self::rank::{ModelledRank, Rules};
use crate::replay::model::network::Network;
use crate::replay::model::unit_costs::{UnitCosts, picoseconds};
use crate::replay::trees::Unfolded;

/// A task: a list of tests, each given by its place in preorder.
type Task = Vec<u32>;

/// The modelled machine. It executes one search after the other.
pub struct Machine {
    schedulers: Vec<Scheduler>,
    collision: StealingSettings,
    network: Network,
    costs: UnitCosts,
}

/// A search that was executed on the modelled machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// Time from its beginning to its end on the last rank, s.
    pub length_s: f64,
    /// Time from the last executed test to that end, s.
    pub termination_s: f64,
    /// Number of sums over the ranks, until one was zero.
    pub sums: u64,
    /// How each processor spent it.
    pub uses: Vec<ProcessorUse>,
}

impl Machine {
    /// A machine of `ranks` ranks. Tests take `costs`.
    pub fn new(
        ranks: usize,
        collision: &StealingSettings,
        network: Network,
        costs: &UnitCosts,
    ) -> Self {
        let scheduler = |rank| Scheduler::new(rank, ranks, collision.victim_order);
        Self {
            schedulers: (0..ranks).map(scheduler).collect(),
            collision: *collision,
            network,
            costs: *costs,
        }
    }

    /// Number of its ranks.
    pub fn ranks(&self) -> usize {
        self.schedulers.len()
    }

    /// Executes `trees`. The root tests of a patch start on the rank that owns it.
    ///
    /// # Errors
    /// When a test is executed twice or never, or the search does not end.
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
            return Err(Error::internal("modelled machine", cause));
        }
        Ok(played)
    }
}

/// Count and hash of all tests.
fn of_all(tests: usize) -> (u64, u64) {
    (tests as u64, (0..tests as u64).fold(0, |sum, at| sum.wrapping_add(mix(at))))
}

enum MachineEvent {
    /// A rank polls.
    Poll,
    /// A message arrives.
    Arrival {
        from: usize,
        kind: MessageKind,
        tasks: Vec<Task>,
    },
    BarrierCompleted,
    SumCompleted(i64),
}

/// One search on the machine.
struct ModelledSearch<'a> {
    rules: Rules<'a>,
    latency: u64,
    overhead: u64,
    ps_per_byte: f64,
    collective: u64,
    ranks: Vec<ModelledRank>,
    queue: BinaryHeap<Scheduled>,
    number: u64,
    /// Number of ranks in the pending collective, and the sum of their contributions.
    entered: (usize, i64),
    sums: u64,
}

impl<'a> ModelledSearch<'a> {
    fn new(machine: &'a mut Machine, trees: &'a Unfolded) -> Self {
        let schedulers = std::mem::take(&mut machine.schedulers);
        let StealingSettings { stealing, polling_interval_us, .. } = machine.collision;
        let network = &machine.network;
        Self {
            rules: Rules {
                trees,
                costs: &machine.costs,
                policy: Policy::new(&machine.collision),
                interval: (stealing && schedulers.len() > 1)
                    .then(|| picoseconds(polling_interval_us * 1e-6)),
            },
            latency: picoseconds(network.latency_s),
            overhead: picoseconds(network.overhead_s),
            ps_per_byte: 1e12 / network.bandwidth,
            collective: picoseconds(network.collective_s(schedulers.len(), 0.0)),
            ranks: schedulers.into_iter().map(ModelledRank::new).collect(),
            queue: BinaryHeap::new(),
            number: 0,
            entered: (0, 0),
            sums: 0,
        }
    }

    /// Makes the top-level tasks like a run: one for each patch, or a single one on one processor.
    fn share_out(&mut self, rank_of_patch: &[u32]) {
        let alone = self.ranks.len() == 1;
        let mut roots = self.rules.trees.roots.to_vec();
        roots.sort_by_key(|&(patch, _)| patch);
        // Tasks are taken from the back, so that the first one is executed first.
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
                self.schedule(0, rank, MachineEvent::Poll);
            }
        }
        while let Some(Scheduled { time, rank, event, .. }) = self.queue.pop() {
            let one = &mut self.ranks[rank];
            let polls = matches!(event, MachineEvent::Poll);
            if !polls {
                one.inbox.push_back(event);
            }
            if polls || one.waits {
                one.waits = false;
                one.now = one.now.max(time);
                self.poll(rank)?;
            }
        }
        let over = |rank: &ModelledRank| self.rules.interval.is_none() || rank.scheduler.is_over();
        match self.ranks.iter().all(over) {
            true => Ok(()),
            false => Err(Error::internal("modelled machine", "a search does not end")),
        }
    }

    fn schedule(&mut self, time: u64, rank: usize, event: MachineEvent) {
        self.number += 1;
        self.queue.push(Scheduled { time, number: self.number, rank, event });
    }

    /// Lets a rank handle all events that have arrived, and go on with its work.
    fn poll(&mut self, rank: usize) -> Result<()> {
        let one = &mut self.ranks[rank];
        let start = one.now;
        if one.works {
            one.now += self.overhead;
        }
        while let Some(event) = self.ranks[rank].inbox.pop_front() {
            self.handle(rank, event)?;
        }
        self.handle(rank, MachineEvent::Poll)?;
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

    fn handle(&mut self, rank: usize, event: MachineEvent) -> Result<()> {
        let one = &mut self.ranks[rank];
        let event = match event {
            MachineEvent::Poll => Event::Polled,
            MachineEvent::BarrierCompleted => Event::BarrierCompleted,
            MachineEvent::SumCompleted(sum) => Event::SumCompleted(sum),
            MachineEvent::Arrival { from, kind, tasks } => {
                one.now += self.overhead;
                one.usage.rejections += u64::from(kind == MessageKind::Rejection);
                one.usage.tasks_stolen += tasks.len() as u64;
                for task in tasks {
                    if one.works || one.received.is_some() {
                        one.pool.push_back(task);
                    } else {
                        one.received = Some(task);
                    }
                }
                Event::Received { from, search: one.scheduler.search(), kind }
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
                self.send(rank, victim, MessageKind::Request, Vec::new());
            }
            Action::Answer(thief) => {
                let handed = self.rules.policy.hand_over(&mut one.pool);
                one.usage.tasks_created += u64::from(handed.divided);
                let tasks = Vec::from_iter(handed.tasks.into_iter().map(|(_, task)| task));
                self.send(rank, thief, MessageKind::answer(&tasks), tasks);
            }
            Action::EnterBarrier => self.enter(rank, 0, |_| MachineEvent::BarrierCompleted),
            Action::Contribute(mine) => {
                self.enter(rank, mine, MachineEvent::SumCompleted);
                self.sums += u64::from(self.entered.0 == 0);
            }
        }
    }

    /// Sends a message. Messages of a rank leave one after the other.
    fn send(&mut self, from: usize, to: usize, kind: MessageKind, tasks: Vec<Task>) {
        let bytes = message_bytes::<Test>(tasks.iter().map(Vec::len));
        let one = &mut self.ranks[from];
        one.now += self.overhead;
        one.sent = one.sent.max(one.now) + (bytes as f64 * self.ps_per_byte) as u64;
        let time = one.sent + self.latency;
        self.schedule(time, to, MachineEvent::Arrival { from, kind, tasks });
    }

    /// Enters a collective. The last rank to enter completes it. It is also the latest one, because
    /// ranks poll in the order of time.
    fn enter(&mut self, rank: usize, mine: i64, completed: fn(i64) -> MachineEvent) {
        self.entered.0 += 1;
        self.entered.1 += mine;
        if self.entered.0 == self.ranks.len() {
            let (_, sum) = std::mem::take(&mut self.entered);
            let time = self.ranks[rank].now + self.collective;
            (0..self.ranks.len()).for_each(|rank| self.schedule(time, rank, completed(sum)));
        }
    }

    /// Lets a rank work until it must poll or has no task.
    fn advance(&mut self, rank: usize) {
        let one = &mut self.ranks[rank];
        if one.load() == Load::Idle {
            one.waits = true;
            return;
        }
        one.work(&self.rules);
        if self.rules.interval.is_some() {
            let time = one.now;
            self.schedule(time, rank, MachineEvent::Poll);
        }
    }

    /// Count and hash of the executed tests.
    fn executed(&self) -> (u64, u64) {
        let sum = |(tests, hash): (u64, u64), rank: &ModelledRank| {
            (tests + rank.usage.tests, hash.wrapping_add(rank.hash))
        };
        self.ranks.iter().fold((0, 0), sum)
    }

    fn played(&self) -> Played {
        let latest =
            |time: fn(&ModelledRank) -> u64| self.ranks.iter().map(time).max().unwrap_or(0);
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
