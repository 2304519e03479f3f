//! Who asks whom for tasks, and when a phase is over: one rank's part of the
//! protocol between ranks, as a state machine.
//!
//! Events go in, actions come out; there is no clock, thread or transport inside, so
//! that the ranks of a run and those of a simulated network are driven by one code.
//! Tasks themselves stay with the driver: it has a pool, and says how full it is.
//!
//! A rank with nothing to do asks one victim after the other (receiver-initiated
//! stealing, Thomaszewski & Blochinger 2007, section 4.2.4). Nobody controls when all
//! of them are done (methods 9):
//!
//! | round | what ends it |
//! |---|---|
//! | `Searching` | some victims in turn have rejected an idle rank: it clears `worked` and enters a barrier |
//! | `InBarrier` | all ranks have entered; until then it goes on asking and answering |
//! | `Due` | it contributes `worked`, whether it got a task since it entered, to a sum: a busy rank (it must have got one) at once; an idle one asks nobody any more, and awaits the reply to its request first |
//! | `InSum` | all ranks have contributed. Zero: nobody works, nothing is under way, the phase is `Over`. Else `Searching` again |
//!
//! Every task answers a request, and no rank contributes 0 with a request under way.
//! So if the sum is zero, no rank got a task after the last one entered the barrier,
//! none was under way then, and none is later; nor is any other message.

#[cfg(test)]
mod simulated_network;

use std::fmt;

use crate::stealing::settings::{Share, VictimOrder};

impl Share {
    /// How many tasks of a pool of `tasks` a thief is handed.
    pub fn of(self, tasks: usize) -> usize {
        match self {
            Self::One => tasks.min(1),
            Self::Half => tasks.div_ceil(2),
        }
    }
}

/// Rejections in a row after which an idle rank enters the barrier, while it goes on
/// asking. If it had to ask all others first, the end of a phase would take as many round
/// trips as there are ranks (replayed tablecloth: 6.7 ms a step on 1,024).
const PATIENCE: usize = 4;

/// What a rank has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    /// Processor 0, which asks other ranks, executes a task or finds one in the pool. What
    /// its other processors lack they find there soon: it cuts its stack.
    Busy,
    /// Processor 0 has nothing to do, while others still execute tasks.
    Hungry,
    /// No processor executes a task, and the pool is empty.
    Idle,
}

/// What one rank says to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Letter {
    /// Asks for tasks.
    Request,
    /// Brings tasks, in answer to a request.
    Tasks,
    /// Says that there are none, in answer to a request.
    Rejection,
}

/// What happens to a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Time has passed.
    Polled,
    /// A letter of the given phase has come. Tasks are in the pool already.
    Received {
        /// The rank that wrote it.
        from: usize,
        /// The number of its phase.
        phase: u32,
        /// What it says.
        letter: Letter,
    },
    /// All ranks have entered the barrier.
    BarrierCompleted,
    /// The sum of all contributions.
    SumCompleted(i64),
}

/// What a rank is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Send a request to this rank.
    Ask(usize),
    /// Send tasks from the pool to this rank, or a rejection if there are none.
    Answer(usize),
    /// Enter a barrier without waiting.
    EnterBarrier,
    /// Start a sum over the ranks with this contribution, without waiting.
    Contribute(i64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Round {
    Searching,
    InBarrier,
    Due,
    InSum,
    Over,
}

/// An event that the protocol does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stray {
    event: Event,
    phase: u32,
}

impl fmt::Display for Stray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} cannot come in phase {} of the tests", self.event, self.phase)
    }
}

/// One rank's part of the protocol, from phase to phase.
#[derive(Debug, Clone)]
pub struct Scheduler {
    rank: usize,
    size: usize,
    order: VictimOrder,
    /// The last victim, or the state of the random numbers.
    last: u64,
    phase: u32,
    round: Round,
    /// Whether tasks came since the barrier was entered.
    worked: bool,
    /// The victim whose reply is under way.
    awaited: Option<usize>,
    /// Rejections since the last tasks, or since the phase or the last sum.
    rejections: usize,
    /// Thieves that are in the next phase already.
    early: Vec<usize>,
}

impl Scheduler {
    /// Of `rank` among `size` ranks, between two phases.
    pub fn new(rank: usize, size: usize, order: VictimOrder) -> Self {
        let last = match order {
            VictimOrder::RoundRobin => rank as u64,
            VictimOrder::Random(seed) => seed ^ mix(rank as u64),
        };
        Self {
            rank,
            size,
            order,
            last,
            phase: 0,
            round: Round::Over,
            worked: false,
            awaited: None,
            rejections: 0,
            early: Vec::new(),
        }
    }

    /// Begins the next phase. Before: its first tasks are in the pool.
    pub fn begin(&mut self, actions: &mut Vec<Action>) {
        self.phase = self.phase.wrapping_add(1);
        self.rejections = 0;
        self.round = if self.size > 1 { Round::Searching } else { Round::Over };
        actions.extend(self.early.drain(..).map(Action::Answer));
    }

    /// The number of the phase, which all its letters carry.
    pub fn phase(&self) -> u32 {
        self.phase
    }

    /// Whether the phase is over on all ranks, with no letter under way.
    pub fn is_over(&self) -> bool {
        self.round == Round::Over
    }

    /// Whether a reply is under way to this rank.
    pub fn awaits_reply(&self) -> bool {
        self.awaited.is_some()
    }

    /// Takes note of `event`, the rank's load being `load`, and adds what is to be
    /// done now to `actions`.
    ///
    /// # Errors
    /// An event that the protocol does not allow.
    pub fn handle(
        &mut self,
        event: Event,
        load: Load,
        actions: &mut Vec<Action>,
    ) -> Result<(), Stray> {
        self.note(event, actions).ok_or(Stray { event, phase: self.phase })?;
        if self.round == Round::Searching
            && load == Load::Idle
            && self.rejections >= PATIENCE.min(self.size - 1)
        {
            self.worked = false;
            self.round = Round::InBarrier;
            actions.push(Action::EnterBarrier);
        }
        if self.round == Round::Due && (load != Load::Idle || self.awaited.is_none()) {
            self.round = Round::InSum;
            actions.push(Action::Contribute(self.worked.into()));
        }
        let may_ask = matches!(self.round, Round::Searching | Round::InBarrier);
        if may_ask && load != Load::Busy && self.awaited.is_none() {
            let victim = self.next_victim();
            self.awaited = Some(victim);
            actions.push(Action::Ask(victim));
        }
        Ok(())
    }

    /// `None` if the event cannot come now.
    fn note(&mut self, event: Event, actions: &mut Vec<Action>) -> Option<()> {
        match event {
            Event::Polled => {}
            Event::Received { from, phase, letter: Letter::Request } => {
                if phase == self.phase && self.round != Round::Over {
                    actions.push(Action::Answer(from));
                } else if phase == self.phase.wrapping_add(1) {
                    self.early.push(from);
                } else {
                    return None;
                }
            }
            Event::Received { from, phase, letter } => {
                if self.awaited.take() != Some(from) || phase != self.phase {
                    return None;
                }
                if letter == Letter::Tasks {
                    self.worked = true;
                    self.rejections = 0;
                } else {
                    self.rejections += 1;
                }
            }
            Event::BarrierCompleted => {
                self.leave(Round::InBarrier, Round::Due)?;
            }
            Event::SumCompleted(sum) => {
                self.leave(Round::InSum, if sum == 0 { Round::Over } else { Round::Searching })?;
                self.rejections = 0;
            }
        }
        Some(())
    }

    fn leave(&mut self, from: Round, to: Round) -> Option<()> {
        (std::mem::replace(&mut self.round, to) == from).then_some(())
    }

    fn next_victim(&mut self) -> usize {
        let others = self.size as u64 - 1;
        match self.order {
            VictimOrder::RoundRobin => {
                self.last = (self.last + 1) % self.size as u64;
                if self.last == self.rank as u64 {
                    self.last = (self.last + 1) % self.size as u64;
                }
                self.last as usize
            }
            VictimOrder::Random(_) => {
                self.last = self.last.wrapping_add(0x9e37_79b9_7f4a_7c15);
                // Any of the others with equal chance, but for one in 2^32.
                let victim = (((mix(self.last) >> 32) * others) >> 32) as usize;
                victim + usize::from(victim >= self.rank)
            }
        }
    }
}

/// The finaliser of SplitMix64 (Steele, Lea & Flood 2014).
pub(super) fn mix(z: u64) -> u64 {
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn victims_are_all_others_in_turn_or_at_random() {
        let victims = |order| {
            let mut scheduler = Scheduler::new(2, 4, order);
            Vec::from_iter((0..600).map(|_| scheduler.next_victim()))
        };
        assert_eq!(victims(VictimOrder::RoundRobin)[..7], [3, 0, 1, 3, 0, 1, 3]);
        let random = victims(VictimOrder::Random(7));
        for victim in [0, 1, 3] {
            let times = random.iter().filter(|&&v| v == victim).count();
            assert!((150..250).contains(&times), "{times}");
        }
        assert!(!random.contains(&2));
        assert_ne!(random, victims(VictimOrder::Random(8)));
    }

    #[test]
    fn what_cannot_come_is_refused() {
        let mut scheduler = Scheduler::new(0, 2, VictimOrder::RoundRobin);
        let mut actions = Vec::new();
        scheduler.begin(&mut actions);
        let phase = scheduler.phase();
        for event in [
            Event::Received { from: 1, phase, letter: Letter::Rejection },
            Event::Received { from: 1, phase: phase - 1, letter: Letter::Request },
            Event::SumCompleted(0),
        ] {
            assert!(scheduler.clone().handle(event, Load::Busy, &mut actions).is_err());
        }
    }
}
