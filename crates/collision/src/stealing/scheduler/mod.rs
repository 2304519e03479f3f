//! Whom a rank asks for tasks, and when a search is over: one rank's part of the protocol
//! between ranks, as a state machine.
//!
//! Events go in, actions come out. There is no clock, thread or transport inside, so the same
//! code runs on real ranks, on the tests' simulated network and on the modelled machine. Tasks
//! stay with the caller, who says whether there are any ([`Load`]).
//!
//! A rank whose processor 0 has nothing to do asks one victim after the other (receiver-initiated
//! stealing, Thomaszewski & Blochinger 2007, section 4.2.4). No rank is in charge of the end of a
//! search. The ranks find it out together (`docs/methods.md`, section 9):
//!
//! - `Searching` ends when an idle rank has got `REJECTIONS_BEFORE_BARRIER` rejections in a row (or
//!   one from each other rank, if they are fewer). The rank clears `worked` and enters a barrier.
//! - `InBarrier` ends when all ranks have entered. Until then the rank asks and answers on.
//! - `Due` ends when the rank contributes `worked` to a sum: whether it got a task since it entered
//!   the barrier. A rank that is not [`Load::Idle`] contributes at once, because it did get a task.
//!   An idle rank asks no more, and first awaits the answer to its last request.
//! - `InSum` ends when all ranks have contributed. If the sum is zero, nobody works and no message
//!   of this search is under way: the search is `Over`. Else `Searching` begins again.
//!
//! Every task answers a request, and no rank contributes 0 while its request is under way. So a
//! sum of zero says that no rank got a task after the last rank entered the barrier. Then no task
//! was under way at that time or later. No other message of this search is under way either.

#[cfg(test)]
mod simulated_network;

use std::fmt;

use crate::stealing::settings::VictimOrder;
use cloth_core::mix;

/// Rejections in a row after which an idle rank enters the barrier. It goes on asking there. If
/// it had to ask all others first, the end of a search would take as many round trips as there
/// are ranks (modelled tablecloth: 6.7 ms a step on 1,024 ranks).
const REJECTIONS_BEFORE_BARRIER: usize = 4;

/// What a rank has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    /// Processor 0, which asks other ranks, executes a task or finds one in the pool. It cuts
    /// its stack, so that the other processors soon find tasks there too.
    Busy,
    /// Processor 0 has nothing to do, while others still execute tasks.
    Hungry,
    /// No processor executes a task, and the pool is empty.
    Idle,
}

/// The kind of a message from one rank to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageKind {
    /// Asks for tasks.
    Request,
    /// Brings tasks, in answer to a request.
    Tasks,
    /// Says that there are none, in answer to a request.
    Rejection,
}

impl MessageKind {
    /// The answer that brings these tasks.
    pub fn answer<T>(tasks: &[T]) -> Self {
        if tasks.is_empty() { Self::Rejection } else { Self::Tasks }
    }
}

/// What the scheduler of a rank learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Time has passed.
    Polled,
    /// A message has come. The caller has taken its tasks, so that [`Load`] counts them.
    Received {
        /// The rank that sent it.
        from: usize,
        /// The number of its search.
        search: u32,
        /// What it says.
        kind: MessageKind,
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
pub struct ProtocolError {
    event: Event,
    search: u32,
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} cannot come in search {}", self.event, self.search)
    }
}

/// One rank's part of the protocol, from search to search.
#[derive(Debug, Clone)]
pub struct Scheduler {
    rank: usize,
    size: usize,
    order: VictimOrder,
    /// The last victim, or the state of the random numbers.
    last: u64,
    search: u32,
    round: Round,
    /// Whether tasks came since the barrier was entered.
    worked: bool,
    /// The victim whose answer is under way.
    awaited: Option<usize>,
    /// Rejections since the last tasks came, the search began or the last sum was not zero.
    rejections: usize,
    /// Thieves that are in the next search already.
    early: Vec<usize>,
}

impl Scheduler {
    /// For `rank` of `size` ranks, between two searches.
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
            search: 0,
            round: Round::Over,
            worked: false,
            awaited: None,
            rejections: 0,
            early: Vec::new(),
        }
    }

    /// Begins the next search. Before: its first tasks are in the pool.
    pub fn begin(&mut self, actions: &mut Vec<Action>) {
        self.search = self.search.wrapping_add(1);
        self.rejections = 0;
        self.round = if self.size > 1 { Round::Searching } else { Round::Over };
        actions.extend(self.early.drain(..).map(Action::Answer));
    }

    /// The number of the search. All its messages carry it.
    pub fn search(&self) -> u32 {
        self.search
    }

    /// Whether the search is over on all ranks, with no message under way.
    pub fn is_over(&self) -> bool {
        self.round == Round::Over
    }

    /// Handles an `event`; `load` is that of its rank now. Adds to `actions` what the rank must
    /// do.
    ///
    /// # Errors
    /// An event that the protocol does not allow.
    pub fn handle(
        &mut self,
        event: Event,
        load: Load,
        actions: &mut Vec<Action>,
    ) -> Result<(), ProtocolError> {
        self.note(event, actions).ok_or(ProtocolError { event, search: self.search })?;
        if self.round == Round::Searching
            && load == Load::Idle
            && self.rejections >= REJECTIONS_BEFORE_BARRIER.min(self.size - 1)
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
            Event::Received { from, search, kind: MessageKind::Request } => {
                if search == self.search && self.round != Round::Over {
                    actions.push(Action::Answer(from));
                } else if search == self.search.wrapping_add(1) {
                    self.early.push(from);
                } else {
                    return None;
                }
            }
            Event::Received { from, search, kind } => {
                if self.awaited.take() != Some(from) || search != self.search {
                    return None;
                }
                if kind == MessageKind::Tasks {
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
                // Each of the others with equal chance, up to one in 2^32.
                let victim = (((mix(self.last) >> 32) * others) >> 32) as usize;
                victim + usize::from(victim >= self.rank)
            }
        }
    }
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
    fn an_event_that_cannot_come_is_refused() {
        let mut scheduler = Scheduler::new(0, 2, VictimOrder::RoundRobin);
        let mut actions = Vec::new();
        scheduler.begin(&mut actions);
        let search = scheduler.search();
        for event in [
            Event::Received { from: 1, search, kind: MessageKind::Rejection },
            Event::Received { from: 1, search: search - 1, kind: MessageKind::Request },
            Event::SumCompleted(0),
        ] {
            assert!(scheduler.clone().handle(event, Load::Busy, &mut actions).is_err());
        }
    }
}
