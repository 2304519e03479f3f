//! Messages between ranks during a search: drives the [`Scheduler`] over the transport.

use std::time::Duration;

use bytemuck::Pod;

use crate::stealing::message::{read, write};
use crate::stealing::policy::{Policy, WaitingTasks};
use crate::stealing::pool::{Pool, Pooled};
use crate::stealing::scheduler::{Action, Event, Load, MessageKind, Scheduler};
use crate::stealing::usage::{Origin, ProcessorUse, Steal, Theft, TraceClock, note_theft};
use crate::stealing::workload::Task;
use cloth_core::ranks::{Message, PendingId, Tag};
use cloth_core::threads::wait::Patience;
use cloth_core::{Error, Result, World};
use crossbeam_deque::Worker;

/// What links a rank's processor 0 with other ranks.
pub(super) trait Link<T> {
    /// Answers other ranks, between two tasks or between two tests of one (`has_work`). True
    /// if no more tasks can come.
    ///
    /// # Errors
    /// If a rank fails.
    fn poll(&mut self, pool: &Pool<T>, own: &Worker<Pooled<T>>, has_work: bool) -> Result<bool>;

    /// A task that came with a poll. It must be executed at once.
    fn received(&mut self) -> Option<Pooled<T>> {
        None
    }

    /// How a processor waits for what this link brings, or for a task of its rank.
    fn patience(&self) -> Patience {
        Patience::UNPARKED
    }

    /// The longest work between two polls; none if polls are needless.
    fn interval(&self) -> Option<Duration> {
        None
    }
}

/// No other ranks: the search is over when the pool is idle.
#[derive(Clone)]
pub(super) struct Alone;

impl<T> Link<T> for Alone {
    #[inline]
    fn poll(&mut self, pool: &Pool<T>, _: &Worker<Pooled<T>>, _: bool) -> Result<bool> {
        Ok(pool.is_idle())
    }
}

/// The other processors of a rank whose processor 0 talks to other ranks: it closes the pool
/// when the search is over.
#[derive(Clone)]
pub(super) struct Led;

impl<T> Link<T> for Led {
    fn poll(&mut self, pool: &Pool<T>, _: &Worker<Pooled<T>>, _: bool) -> Result<bool> {
        Ok(pool.is_closed())
    }
}

/// How a rank talks during a search.
pub(super) struct Talk<'a> {
    pub world: &'a dyn World,
    pub policy: Policy,
    /// Longest work between two looks at messages.
    pub interval: Duration,
    pub clock: TraceClock,
}

/// One rank's link with the others during a search.
pub(super) struct RankLink<'a, T> {
    talk: Talk<'a>,
    scheduler: &'a mut Scheduler,
    /// The barrier or the sum under way.
    pending: Option<Pending>,
    actions: Vec<Action>,
    /// The task that processor 0 asked for. It never waits in the pool: two ranks
    /// without other work would hand it to and fro.
    received: Option<Pooled<T>>,
    /// Requests, rejections and tasks that came.
    pub usage: ProcessorUse,
    pub thefts: Vec<Theft>,
}

enum Pending {
    Barrier(PendingId),
    Sum(PendingId),
}

/// The pool of a rank with the deque of its processor 0, which hands tasks over.
struct OwnPool<'a, T> {
    pool: &'a Pool<'a, T>,
    own: &'a Worker<Pooled<T>>,
}

impl<T> WaitingTasks<T> for OwnPool<'_, T> {
    fn waiting(&self) -> usize {
        self.pool.waiting()
    }

    fn take_oldest(&mut self) -> Option<(usize, Task<T>)> {
        self.pool.hand_over()
    }

    fn put(&mut self, task: Task<T>) {
        self.pool.put(self.own, task, Origin::Cut);
    }
}

impl<'a, T: Pod> RankLink<'a, T> {
    /// Begins a search. Before: its first tasks are in the pool.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn begin(
        talk: Talk<'a>,
        scheduler: &'a mut Scheduler,
        pool: &Pool<T>,
        own: &Worker<Pooled<T>>,
    ) -> Result<Self> {
        let mut link = Self {
            talk,
            scheduler,
            pending: None,
            actions: Vec::new(),
            received: None,
            usage: ProcessorUse::default(),
            thefts: Vec::new(),
        };
        link.scheduler.begin(&mut link.actions);
        link.perform(pool, own)?;
        Ok(link)
    }

    fn receive(
        &mut self,
        message: Message,
        pool: &Pool<T>,
        own: &Worker<Pooled<T>>,
        has_work: bool,
    ) -> Result<Event> {
        let from = message.from;
        let message = read(&message.bytes).ok_or_else(|| Error::Rank {
            rank: self.talk.world.rank(),
            message: format!("a message of rank {from} about tasks cannot be read"),
        })?;
        self.usage.rejections += u64::from(message.kind == MessageKind::Rejection);
        self.usage.tasks_stolen += message.tasks.len() as u64;
        let (victim_rank, handed_over_s) = (from as u32, message.sent_s);
        for (victim, task) in message.tasks {
            note_theft(&mut self.thefts, Theft { thief: 0, victim_rank, victim, tasks: 1 });
            let origin = Origin::Stolen(Steal { victim_rank, victim, handed_over_s });
            if has_work || self.received.is_some() {
                pool.put(own, task, origin);
            } else {
                pool.raise();
                self.received = Some(Pooled { task, origin });
            }
        }
        Ok(Event::Received { from, search: message.search, kind: message.kind })
    }

    fn handle(
        &mut self,
        event: Event,
        pool: &Pool<T>,
        own: &Worker<Pooled<T>>,
        has_work: bool,
    ) -> Result<()> {
        let load = match () {
            () if pool.is_idle() => Load::Idle,
            () if has_work || self.received.is_some() || pool.waiting() > 0 => Load::Busy,
            () => Load::Hungry,
        };
        let handled = self.scheduler.handle(event, load, &mut self.actions);
        let rank = self.talk.world.rank();
        handled.map_err(|error| Error::Rank { rank, message: error.to_string() })?;
        self.perform(pool, own)
    }

    fn perform(&mut self, pool: &Pool<T>, own: &Worker<Pooled<T>>) -> Result<()> {
        let mut actions = std::mem::take(&mut self.actions);
        for action in actions.drain(..) {
            match action {
                Action::Ask(victim) => {
                    self.usage.requests += 1;
                    self.send(victim, MessageKind::Request, &[])?;
                }
                Action::Answer(thief) => {
                    let handed = self.talk.policy.hand_over(&mut OwnPool { pool, own });
                    self.usage.tasks_created += u64::from(handed.divided);
                    self.send(thief, MessageKind::answer(&handed.tasks), &handed.tasks)?;
                }
                Action::EnterBarrier => {
                    self.pending = Some(Pending::Barrier(self.talk.world.begin_barrier()?));
                }
                Action::Contribute(mine) => {
                    let sum = self.talk.world.begin_all_reduce_sum(vec![mine])?;
                    self.pending = Some(Pending::Sum(sum));
                }
            }
        }
        self.actions = actions;
        Ok(())
    }

    fn send(&self, to: usize, kind: MessageKind, tasks: &[(usize, Task<T>)]) -> Result<()> {
        let Talk { world, clock, .. } = self.talk;
        world.send(to, Tag::Steal, write(self.scheduler.search(), kind, clock.now_s(), tasks))
    }

    /// The end of the pending collective, once it has come.
    fn completed(&mut self) -> Result<Option<Event>> {
        let world = self.talk.world;
        let event = match self.pending {
            None => None,
            Some(Pending::Barrier(id)) => world.test(id)?.map(|_| Event::BarrierCompleted),
            Some(Pending::Sum(id)) => {
                let sum = world.test(id)?;
                sum.map(|sum| Event::SumCompleted(sum.first().copied().unwrap_or_default()))
            }
        };
        if event.is_some() {
            self.pending = None;
        }
        Ok(event)
    }
}

impl<T: Pod> Link<T> for RankLink<'_, T> {
    fn poll(&mut self, pool: &Pool<T>, own: &Worker<Pooled<T>>, has_work: bool) -> Result<bool> {
        while let Some(message) = self.talk.world.poll(None, Tag::Steal)? {
            let event = self.receive(message, pool, own, has_work)?;
            self.handle(event, pool, own, has_work)?;
        }
        let event = self.completed()?.unwrap_or(Event::Polled);
        self.handle(event, pool, own, has_work)?;
        Ok(self.scheduler.is_over())
    }

    fn received(&mut self) -> Option<Pooled<T>> {
        self.received.take()
    }

    fn patience(&self) -> Patience {
        self.talk.world.patience()
    }

    fn interval(&self) -> Option<Duration> {
        Some(self.talk.interval)
    }
}
