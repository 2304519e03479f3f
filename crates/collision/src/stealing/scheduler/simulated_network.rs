//! The protocol on a simulated network. Some ranks are slow.

use std::collections::VecDeque;

use crate::stealing::policy::{Decomposition, Policy};
use crate::stealing::scheduler::*;
use crate::stealing::settings::Share;
use crate::stealing::synthetic::{Count, SyntheticTest, expected, root, unfold};
use crate::stealing::workload;
use cloth_core::ranks::simulated::{EventQueue, Random};

type Task = workload::Task<SyntheticTest>;

const SCHEDULES: u64 = 3000;
const SEARCHES: usize = 3;
/// A schedule with more events counts as one that does not end.
const MOST_EVENTS: usize = 2_000_000;

enum NetworkEvent {
    /// A rank works a little, then polls.
    Turn,
    /// A message of a rank and a search arrives, with the tasks that it brings.
    Arrival(usize, u32, MessageKind, Vec<Task>),
    BarrierCompleted,
    SumCompleted(i64),
}

/// Number of ranks in the pending collective, and the sum of their contributions.
#[derive(Default)]
struct Collective {
    entered: usize,
    sum: i64,
}

struct Rank {
    scheduler: Scheduler,
    /// The stack of each of its processors.
    stacks: Vec<Vec<SyntheticTest>>,
    /// Oldest first.
    pool: VecDeque<Task>,
    /// Events that it has not handled yet.
    inbox: VecDeque<NetworkEvent>,
    /// Tests that a processor executes from one poll to the next, and their time.
    pace: (u64, u64),
    /// Searches that it has begun.
    searches: usize,
}

impl Rank {
    fn load(&self) -> Load {
        match () {
            () if !self.pool.is_empty() || !self.stacks[0].is_empty() => Load::Busy,
            () if self.stacks.iter().all(Vec::is_empty) => Load::Idle,
            () => Load::Hungry,
        }
    }

    fn work(&mut self, policy: &Policy, count: &mut Count) {
        for stack in &mut self.stacks {
            for _ in 0..self.pace.0 {
                if stack.is_empty() {
                    stack.extend(self.pool.pop_back().into_iter().flatten());
                }
                let Some(test) = stack.pop() else { break };
                count.add(&test);
                stack.extend(unfold(&test));
                if let Some(decomposition) = policy.decomposition
                    && stack.len() > decomposition.limit(self.pool.len())
                {
                    self.pool.push_back(decomposition.cut(stack, self.pool.len()));
                }
            }
        }
    }
}

struct SimulatedNetwork {
    random: Random,
    queue: EventQueue<NetworkEvent>,
    /// Messages.
    under_way: usize,
    ranks: Vec<Rank>,
    policy: Policy,
    longest_delay: u64,
    /// Top-level tasks, by search and rank.
    tasks: Vec<Vec<Vec<Task>>>,
    collective: Collective,
    /// By search.
    executed: Vec<Count>,
}

impl SimulatedNetwork {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let size = 2 + random.below(15) as usize;
        let order = match random.below(2) {
            0 => VictimOrder::RoundRobin,
            _ => VictimOrder::Random(seed),
        };
        let ranks = (0..size).map(|rank| Rank {
            scheduler: Scheduler::new(rank, size, order),
            stacks: vec![Vec::new(); 1 + random.below(3) as usize],
            pool: VecDeque::new(),
            inbox: VecDeque::new(),
            pace: match random.below(4) {
                0 => (1, 30 + random.below(100)),
                _ => (1 + random.below(8), 5 + random.below(30)),
            },
            searches: 0,
        });
        let ranks = Vec::from_iter(ranks);
        let tasks = (0..SEARCHES).map(|_| top_level(size, &mut random)).collect();
        Self {
            policy: Policy {
                share: if random.below(2) == 0 { Share::One } else { Share::Half },
                decomposition: Some(Decomposition {
                    a: random.below(3) as u32,
                    b: 1 + random.below(8) as u32,
                }),
                stealing: true,
            },
            longest_delay: 1 + [2, 30, 300][random.below(3) as usize],
            random,
            queue: EventQueue::new(size),
            under_way: 0,
            ranks,
            tasks,
            collective: Collective::default(),
            executed: vec![Count::default(); SEARCHES],
        }
    }

    /// Plays all searches, one after the other without anything between.
    fn play(&mut self) {
        for rank in 0..self.ranks.len() {
            let time = self.random.below(self.longest_delay);
            self.queue.at(time, rank, NetworkEvent::Turn);
        }
        for _ in 0..MOST_EVENTS {
            let Some((rank, event)) = self.queue.take() else { return };
            match event {
                NetworkEvent::Turn => self.turn(rank),
                event => self.ranks[rank].inbox.push_back(event),
            }
        }
        panic!("it does not end");
    }

    fn turn(&mut self, rank: usize) {
        let mut actions = Vec::new();
        let one = &mut self.ranks[rank];
        if one.scheduler.is_over() {
            if one.searches == SEARCHES {
                return;
            }
            one.pool.extend(self.tasks[one.searches][rank].drain(..));
            one.searches += 1;
            one.scheduler.begin(&mut actions);
            self.perform(rank, &mut actions);
        }
        let one = &mut self.ranks[rank];
        one.work(&self.policy, &mut self.executed[one.searches - 1]);
        while let Some(event) = self.ranks[rank].inbox.pop_front() {
            self.tell(rank, event);
            if self.random.below(4) == 0 {
                break;
            }
        }
        self.tell(rank, NetworkEvent::Turn);
        let time = self.queue.now + 1 + self.random.below(2 * self.ranks[rank].pace.1);
        self.queue.at(time, rank, NetworkEvent::Turn);
    }

    fn tell(&mut self, rank: usize, event: NetworkEvent) {
        let one = &mut self.ranks[rank];
        let event = match event {
            NetworkEvent::Turn => Event::Polled,
            NetworkEvent::BarrierCompleted => Event::BarrierCompleted,
            NetworkEvent::SumCompleted(sum) => Event::SumCompleted(sum),
            NetworkEvent::Arrival(from, search, kind, tasks) => {
                self.under_way -= 1;
                for task in tasks {
                    match one.stacks.iter_mut().find(|stack| stack.is_empty()) {
                        Some(stack) => stack.extend(task),
                        None => one.pool.push_back(task),
                    }
                }
                Event::Received { from, search, kind }
            }
        };
        if one.scheduler.is_over() && event == Event::Polled {
            return;
        }
        let mut actions = Vec::new();
        // This file is compiled for tests alone. No input reaches it, and a fault of the protocol
        // shall end the test here.
        one.scheduler.handle(event, one.load(), &mut actions).unwrap();
        self.perform(rank, &mut actions);
    }

    fn perform(&mut self, rank: usize, actions: &mut Vec<Action>) {
        for action in actions.drain(..) {
            match action {
                Action::Ask(victim) => self.send(rank, victim, MessageKind::Request, Vec::new()),
                Action::Answer(thief) => {
                    let handed = self.policy.hand_over(&mut self.ranks[rank].pool);
                    let tasks = Vec::from_iter(handed.tasks.into_iter().map(|(_, task)| task));
                    self.send(rank, thief, MessageKind::answer(&tasks), tasks);
                }
                Action::EnterBarrier => self.enter(0, |_| NetworkEvent::BarrierCompleted),
                Action::Contribute(mine) => self.enter(mine, NetworkEvent::SumCompleted),
            }
        }
    }

    fn send(&mut self, from: usize, to: usize, kind: MessageKind, tasks: Vec<Task>) {
        let search = self.ranks[from].scheduler.search();
        let delay = 1 + self.random.below(self.longest_delay);
        self.under_way += 1;
        self.queue.send(from, to, delay, NetworkEvent::Arrival(from, search, kind, tasks));
    }

    fn enter(&mut self, mine: i64, completed: impl Fn(i64) -> NetworkEvent) {
        self.collective.entered += 1;
        self.collective.sum += mine;
        if self.collective.entered == self.ranks.len() {
            let sum = std::mem::take(&mut self.collective).sum;
            for rank in 0..self.ranks.len() {
                let time = self.queue.now + 1 + self.random.below(self.longest_delay);
                self.queue.at(time, rank, completed(sum));
            }
        }
    }
}

/// Top-level tasks of one search, by rank: on some ranks, on one, or on none.
fn top_level(size: usize, random: &mut Random) -> Vec<Vec<Task>> {
    let busy = random.below(4);
    let mut tasks = |_| {
        let count = match busy {
            0 => 0,
            1 => random.below(4),
            _ if random.below(size as u64) == 0 => random.below(20),
            _ => 0,
        };
        let mut root = || root(random.below(1 << 32));
        (0..count).map(|_| vec![root(), root()]).collect()
    };
    (0..size).map(&mut tasks).collect()
}

#[test]
fn every_schedule_ends_with_each_test_executed_once_and_no_message_left() {
    let mut total = 0;
    for seed in 0..SCHEDULES {
        let mut network = SimulatedNetwork::new(seed);
        let tasks = network.tasks.iter();
        let expected =
            Vec::from_iter(tasks.map(|tasks| expected(tasks.iter().flatten().flatten())));
        network.play();
        let SimulatedNetwork { under_way, ranks, executed, .. } = network;
        assert_eq!(executed, expected, "schedule {seed}");
        assert_eq!(under_way, 0, "schedule {seed}");
        assert!(ranks.iter().all(|rank| rank.load() == Load::Idle && rank.inbox.is_empty()));
        total += expected.iter().map(|count| count.tests).sum::<u64>();
    }
    assert!(total > 100 * SCHEDULES, "{total} tests are too few to tell");
}
