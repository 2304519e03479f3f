//! The protocol on a simulated network: letters take seeded times and overtake each
//! other unless they have one sender and one receiver; some ranks are slow.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::collision::test::Task;
use crate::collision::{Test, TestCounters};
use crate::stealing::processor::Decomposition;
use crate::stealing::scheduler::*;

const SCHEDULES: u64 = 3000;
const PHASES: usize = 3;
/// Events after which a schedule does not end.
const MOST_EVENTS: usize = 2_000_000;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0) % bound
    }
}

/// What unfolds from a test of a synthetic tree: up to three further ones.
fn unfold(test: &Test) -> impl Iterator<Item = Test> + use<> {
    let Test { obj1: tree, dop1: depth, obj2, dop2 } = *test;
    let hash = mix(u64::from(tree) << 32 ^ u64::from(obj2) << 40 ^ u64::from(dop2));
    let children = if depth < 3 + hash as u32 % 9 { (hash >> 8) as u32 % 4 } else { 0 };
    (0..children).map(move |child| {
        let name = mix(hash + u64::from(child));
        Test { obj1: tree, dop1: depth + 1, obj2: (name >> 32) as u32, dop2: name as u32 }
    })
}

/// The counts of plain recursion.
fn recurse(test: &Test, counters: &mut TestCounters) {
    counters.count(test);
    unfold(test).for_each(|test| recurse(&test, counters));
}

enum Happening {
    /// A rank works a little, then polls.
    Turn,
    /// A letter arrives, with the tasks that it brings.
    Arrival(usize, u32, Letter, Vec<Task>),
    BarrierCompleted,
    SumCompleted(i64),
}

/// Its events in order of time: each at a rank.
#[derive(Default)]
struct Network {
    now: u64,
    queue: BinaryHeap<Reverse<(u64, usize)>>,
    happenings: Vec<Option<(usize, Happening)>>,
    /// When the last letter from one rank to another arrives.
    last: Vec<u64>,
    under_way: usize,
}

impl Network {
    fn at(&mut self, time: u64, rank: usize, what: Happening) {
        self.queue.push(Reverse((time, self.happenings.len())));
        self.happenings.push(Some((rank, what)));
    }

    fn next(&mut self) -> Option<(usize, Happening)> {
        let Reverse((time, number)) = self.queue.pop()?;
        self.now = time;
        self.happenings[number].take()
    }
}

/// Who has entered the pending collective, and the sum of what they brought.
#[derive(Default)]
struct Collective {
    entered: usize,
    sum: i64,
}

struct Rank {
    scheduler: Scheduler,
    /// The stack of each of its processors.
    stacks: Vec<Vec<Test>>,
    /// Oldest first.
    pool: VecDeque<Task>,
    /// What has come and was not looked at yet.
    inbox: VecDeque<Happening>,
    /// Tests that a processor executes from one poll to the next, and their time.
    pace: (u64, u64),
    /// Phases that it has begun.
    phases: usize,
}

impl Rank {
    fn load(&self) -> Load {
        match () {
            () if !self.pool.is_empty() || !self.stacks[0].is_empty() => Load::Busy,
            () if self.stacks.iter().all(Vec::is_empty) => Load::Idle,
            () => Load::Hungry,
        }
    }

    fn work(&mut self, decomposition: &Decomposition, counters: &mut TestCounters) {
        for stack in &mut self.stacks {
            for _ in 0..self.pace.0 {
                if stack.is_empty() {
                    stack.extend(self.pool.pop_back().into_iter().flatten());
                }
                let Some(test) = stack.pop() else { break };
                counters.count(&test);
                stack.extend(unfold(&test));
                if stack.len() > decomposition.limit(self.pool.len()) {
                    self.pool.push_back(decomposition.cut(stack, self.pool.len()));
                }
            }
        }
    }
}

struct Simulation {
    random: Random,
    network: Network,
    ranks: Vec<Rank>,
    share: Share,
    decomposition: Decomposition,
    longest_delay: u64,
    /// Top-level tasks, by phase and rank.
    tasks: Vec<Vec<Vec<Task>>>,
    collective: Collective,
    /// By phase.
    executed: Vec<TestCounters>,
}

impl Simulation {
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
            phases: 0,
        });
        let ranks = Vec::from_iter(ranks);
        let tasks = (0..PHASES).map(|_| top_level(size, &mut random)).collect();
        let network = Network { last: vec![0; size * size], ..Default::default() };
        Self {
            share: if random.below(2) == 0 { Share::One } else { Share::Half },
            decomposition: Decomposition {
                a: random.below(3) as u32,
                b: 1 + random.below(8) as u32,
            },
            longest_delay: 1 + [2, 30, 300][random.below(3) as usize],
            random,
            network,
            ranks,
            tasks,
            collective: Collective::default(),
            executed: vec![TestCounters::default(); PHASES],
        }
    }

    /// Plays all phases, one after the other without anything between.
    fn play(&mut self) {
        for rank in 0..self.ranks.len() {
            let time = self.random.below(self.longest_delay);
            self.network.at(time, rank, Happening::Turn);
        }
        for _ in 0..MOST_EVENTS {
            let Some((rank, what)) = self.network.next() else { return };
            match what {
                Happening::Turn => self.turn(rank),
                what => self.ranks[rank].inbox.push_back(what),
            }
        }
        panic!("it does not end");
    }

    fn turn(&mut self, rank: usize) {
        let mut actions = Vec::new();
        let one = &mut self.ranks[rank];
        if one.scheduler.is_over() {
            if one.phases == PHASES {
                return;
            }
            one.pool.extend(self.tasks[one.phases][rank].drain(..));
            one.phases += 1;
            one.scheduler.begin(&mut actions);
            self.perform(rank, &mut actions);
        }
        let one = &mut self.ranks[rank];
        one.work(&self.decomposition, &mut self.executed[one.phases - 1]);
        while let Some(what) = self.ranks[rank].inbox.pop_front() {
            self.tell(rank, what);
            if self.random.below(4) == 0 {
                break;
            }
        }
        self.tell(rank, Happening::Turn);
        let time = self.network.now + 1 + self.random.below(2 * self.ranks[rank].pace.1);
        self.network.at(time, rank, Happening::Turn);
    }

    fn tell(&mut self, rank: usize, what: Happening) {
        let one = &mut self.ranks[rank];
        let event = match what {
            Happening::Turn => Event::Polled,
            Happening::BarrierCompleted => Event::BarrierCompleted,
            Happening::SumCompleted(sum) => Event::SumCompleted(sum),
            Happening::Arrival(from, phase, letter, tasks) => {
                self.network.under_way -= 1;
                for task in tasks {
                    match one.stacks.iter_mut().find(|stack| stack.is_empty()) {
                        Some(stack) => stack.extend(task),
                        None => one.pool.push_back(task),
                    }
                }
                Event::Received { from, phase, letter }
            }
        };
        if one.scheduler.is_over() && event == Event::Polled {
            return;
        }
        let mut actions = Vec::new();
        one.scheduler.handle(event, one.load(), &mut actions).unwrap();
        self.perform(rank, &mut actions);
    }

    fn perform(&mut self, rank: usize, actions: &mut Vec<Action>) {
        for action in actions.drain(..) {
            match action {
                Action::Ask(victim) => self.send(rank, victim, Letter::Request, Vec::new()),
                Action::Answer(thief) => {
                    let pool = &mut self.ranks[rank].pool;
                    let mut tasks = Vec::from_iter(pool.drain(..self.share.of(pool.len())));
                    if pool.is_empty() {
                        pool.extend(tasks.last_mut().and_then(Decomposition::halve));
                    }
                    let letter = if tasks.is_empty() { Letter::Rejection } else { Letter::Tasks };
                    self.send(rank, thief, letter, tasks);
                }
                Action::EnterBarrier => self.enter(0, |_| Happening::BarrierCompleted),
                Action::Contribute(mine) => self.enter(mine, Happening::SumCompleted),
            }
        }
    }

    fn send(&mut self, from: usize, to: usize, letter: Letter, tasks: Vec<Task>) {
        let phase = self.ranks[from].scheduler.phase();
        let delay = 1 + self.random.below(self.longest_delay);
        let last = &mut self.network.last[from * self.ranks.len() + to];
        *last = (*last + 1).max(self.network.now + delay);
        let time = *last;
        self.network.under_way += 1;
        self.network.at(time, to, Happening::Arrival(from, phase, letter, tasks));
    }

    fn enter(&mut self, mine: i64, completed: impl Fn(i64) -> Happening) {
        self.collective.entered += 1;
        self.collective.sum += mine;
        if self.collective.entered == self.ranks.len() {
            let sum = std::mem::take(&mut self.collective).sum;
            for rank in 0..self.ranks.len() {
                let time = self.network.now + 1 + self.random.below(self.longest_delay);
                self.network.at(time, rank, completed(sum));
            }
        }
    }
}

/// Top-level tasks of one phase, by rank: of all ranks, of few, or of none.
fn top_level(size: usize, random: &mut Random) -> Vec<Vec<Task>> {
    let busy = random.below(4);
    let mut tasks = |_| {
        let count = match busy {
            0 => 0,
            1 => random.below(4),
            _ if random.below(size as u64) == 0 => random.below(20),
            _ => 0,
        };
        let mut root = || Test {
            obj1: random.below(1 << 32) as u32,
            dop1: 0,
            obj2: 0,
            dop2: random.below(1 << 32) as u32,
        };
        (0..count).map(|_| vec![root(), root()]).collect()
    };
    (0..size).map(&mut tasks).collect()
}

#[test]
fn every_schedule_ends_with_each_test_executed_once_and_no_letter_left() {
    let mut total = 0;
    for seed in 0..SCHEDULES {
        let mut simulation = Simulation::new(seed);
        let expected = Vec::from_iter(simulation.tasks.iter().map(|tasks| {
            let mut counters = TestCounters::default();
            tasks.iter().flatten().flatten().for_each(|test| recurse(test, &mut counters));
            counters
        }));
        simulation.play();
        let Simulation { network, ranks, executed, .. } = simulation;
        assert_eq!(executed, expected, "schedule {seed}");
        assert_eq!(network.under_way, 0, "schedule {seed}");
        assert!(ranks.iter().all(|rank| rank.load() == Load::Idle && rank.inbox.is_empty()));
        total += expected.iter().map(|counters| counters.tests).sum::<u64>();
    }
    assert!(total > 100 * SCHEDULES, "{total} tests are too few to tell");
}
