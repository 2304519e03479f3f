//! Stealing between ranks: drives the [`Scheduler`] over the transport.
//!
//! A letter is a list of 32-bit words: number of the phase, what it says, when it was
//! written (two words; 0 without a time line), and for each task that it brings the
//! victim's thread, the number of tests, and the tests.

use std::time::Duration;

use crossbeam_deque::Worker;

use crate::collision::Test;
use crate::collision::test::Task;
use crate::error::{Error, Result};
use crate::ranks::{Message, PendingId, Tag, World};
use crate::stealing::pool::{Pool, Pooled};
use crate::stealing::processor::{Decomposition, Link, SearchRun};
use crate::stealing::scheduler::{Action, Event, Letter, Load, Scheduler};
use crate::stealing::settings::Share;
use crate::stealing::trace::{Clock, Origin, Steal};
use crate::stealing::usage::{ProcessorUse, Theft, note_theft};

/// What a letter, and a task in it, has beside the tests.
const HEAD_BYTES: usize = 4 * size_of::<u32>();
const TASK_HEAD_BYTES: usize = 2 * size_of::<u32>();

/// Length of a letter that brings tasks of so many `tests` each.
pub(super) fn letter_bytes(tests: impl Iterator<Item = usize>) -> usize {
    HEAD_BYTES + tests.map(|tests| TASK_HEAD_BYTES + size_of::<Test>() * tests).sum::<usize>()
}

/// One rank's link with the others during a search.
pub(super) struct RankLink<'a> {
    world: &'a dyn World,
    scheduler: &'a mut Scheduler,
    share: Share,
    /// Whether tasks may be divided.
    divides: bool,
    interval: Duration,
    clock: Clock,
    /// The barrier or the sum under way.
    pending: Option<Pending>,
    actions: Vec<Action>,
    /// The task that processor 0 asked for. It never waits in the pool: two ranks
    /// without other work would hand it to and fro.
    received: Option<Pooled>,
    /// Requests, rejections and tasks that came.
    pub usage: ProcessorUse,
    pub thefts: Vec<Theft>,
}

enum Pending {
    Barrier(PendingId),
    Sum(PendingId),
}

impl<'a> RankLink<'a> {
    /// Begins a phase. Before: its first tasks are in the pool.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn begin(
        world: &'a dyn World,
        scheduler: &'a mut Scheduler,
        (share, interval): (Share, Duration),
        run: &SearchRun,
        own: &Worker<Pooled>,
    ) -> Result<Self> {
        let mut link = Self {
            world,
            scheduler,
            share,
            divides: run.decomposition.is_some(),
            interval,
            clock: run.clock,
            pending: None,
            actions: Vec::new(),
            received: None,
            usage: ProcessorUse::default(),
            thefts: Vec::new(),
        };
        link.scheduler.begin(&mut link.actions);
        link.perform(run.pool, own)?;
        Ok(link)
    }

    fn receive(
        &mut self,
        message: Message,
        pool: &Pool,
        own: &Worker<Pooled>,
        has_work: bool,
    ) -> Result<Event> {
        let from = message.from;
        let (phase, letter, handed_over_s, tasks) =
            read(&message.bytes).ok_or_else(|| Error::Rank {
                rank: self.world.rank(),
                message: format!("a letter of rank {from} about tasks cannot be read"),
            })?;
        self.usage.rejections += u64::from(letter == Letter::Rejection);
        self.usage.tasks_stolen += tasks.len() as u64;
        let victim_rank = from as u32;
        for (victim, task) in tasks {
            note_theft(&mut self.thefts, Theft { thief: 0, victim_rank, victim, tasks: 1 });
            let origin = Origin::Stolen(Steal { victim_rank, victim, handed_over_s });
            if has_work || self.received.is_some() {
                pool.put(own, task, origin);
            } else {
                pool.raise();
                self.received = Some(Pooled { task, origin });
            }
        }
        Ok(Event::Received { from, phase, letter })
    }

    fn handle(
        &mut self,
        event: Event,
        pool: &Pool,
        own: &Worker<Pooled>,
        has_work: bool,
    ) -> Result<()> {
        let load = match () {
            () if pool.is_idle() => Load::Idle,
            () if has_work || self.received.is_some() || pool.waiting() > 0 => Load::Busy,
            () => Load::Hungry,
        };
        let handled = self.scheduler.handle(event, load, &mut self.actions);
        let rank = self.world.rank();
        handled.map_err(|stray| Error::Rank { rank, message: stray.to_string() })?;
        self.perform(pool, own)
    }

    fn perform(&mut self, pool: &Pool, own: &Worker<Pooled>) -> Result<()> {
        let mut actions = std::mem::take(&mut self.actions);
        for action in actions.drain(..) {
            match action {
                Action::Ask(victim) => {
                    self.usage.requests += 1;
                    self.send(victim, Letter::Request, &[])?;
                }
                Action::Answer(thief) => {
                    let tasks = self.hand_over(pool, own);
                    let letter = if tasks.is_empty() { Letter::Rejection } else { Letter::Tasks };
                    self.send(thief, letter, &tasks)?;
                }
                Action::EnterBarrier => {
                    self.pending = Some(Pending::Barrier(self.world.begin_barrier()?));
                }
                Action::Contribute(mine) => {
                    let sum = self.world.begin_all_reduce_sum(vec![mine])?;
                    self.pending = Some(Pending::Sum(sum));
                }
            }
        }
        self.actions = actions;
        Ok(())
    }

    /// The tasks for a thief, and whose they were. Of the last one that waits half of the
    /// tests stay.
    fn hand_over(&mut self, pool: &Pool, own: &Worker<Pooled>) -> Vec<(usize, Task)> {
        let count = self.share.of(pool.waiting());
        let mut tasks = Vec::from_iter((0..count).map_while(|_| pool.hand_over()));
        if self.divides
            && pool.waiting() == 0
            && let Some((_, last)) = tasks.last_mut()
            && let Some(kept) = Decomposition::halve(last)
        {
            pool.put(own, kept, Origin::Cut);
            self.usage.tasks_created += 1;
        }
        tasks
    }

    fn send(&self, to: usize, letter: Letter, tasks: &[(usize, Task)]) -> Result<()> {
        self.world.send(
            to,
            Tag::Steal,
            write((self.scheduler.phase(), letter, self.clock.now_s()), tasks),
        )
    }

    /// What became of the pending collective.
    fn completed(&mut self) -> Result<Option<Event>> {
        let event = match self.pending {
            None => None,
            Some(Pending::Barrier(id)) => self.world.test(id)?.map(|_| Event::BarrierCompleted),
            Some(Pending::Sum(id)) => {
                let sum = self.world.test(id)?;
                sum.map(|sum| Event::SumCompleted(sum.first().copied().unwrap_or_default()))
            }
        };
        if event.is_some() {
            self.pending = None;
        }
        Ok(event)
    }
}

impl Link for RankLink<'_> {
    fn poll(&mut self, pool: &Pool, own: &Worker<Pooled>, has_work: bool) -> Result<bool> {
        while let Some(message) = self.world.poll(None, Tag::Steal)? {
            let event = self.receive(message, pool, own, has_work)?;
            self.handle(event, pool, own, has_work)?;
        }
        let event = self.completed()?.unwrap_or(Event::Polled);
        self.handle(event, pool, own, has_work)?;
        Ok(self.scheduler.is_over())
    }

    fn received(&mut self) -> Option<Pooled> {
        self.received.take()
    }

    fn interval(&self) -> Option<Duration> {
        Some(self.interval)
    }
}

fn write((phase, letter, time_s): (u32, Letter, f64), tasks: &[(usize, Task)]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(letter_bytes(tasks.iter().map(|(_, task)| task.len())));
    bytes.extend_from_slice(bytemuck::bytes_of(&[phase, letter as u32]));
    bytes.extend_from_slice(bytemuck::bytes_of(&time_s));
    for (thread, task) in tasks {
        bytes.extend_from_slice(bytemuck::bytes_of(&[*thread as u32, task.len() as u32]));
        bytes.extend_from_slice(bytemuck::cast_slice(task));
    }
    bytes
}

/// Tasks with the threads that they were taken from.
type Handed = Vec<(u32, Task)>;

/// Phase, content, time and tasks.
fn read(bytes: &[u8]) -> Option<(u32, Letter, f64, Handed)> {
    let (head, rest) = bytes.split_first_chunk::<8>()?;
    let (time, mut rest) = rest.split_first_chunk::<8>()?;
    let [phase, letter] = bytemuck::pod_read_unaligned::<[u32; 2]>(head);
    let letters = [Letter::Request, Letter::Tasks, Letter::Rejection];
    let letter = *letters.get(letter as usize)?;
    let mut tasks = Vec::new();
    while !rest.is_empty() {
        let (head, others) = rest.split_first_chunk::<8>()?;
        let [thread, count] = bytemuck::pod_read_unaligned::<[u32; 2]>(head);
        let (tests, others) = others.split_at_checked(count as usize * size_of::<Test>())?;
        let tests = tests.chunks_exact(size_of::<Test>()).map(bytemuck::pod_read_unaligned);
        tasks.push((thread, tests.collect()));
        rest = others;
    }
    (tasks.is_empty() == (letter != Letter::Tasks)).then_some((
        phase,
        letter,
        bytemuck::pod_read_unaligned(time),
        tasks,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_read_as_they_were_written() {
        let test = |dop1| Test { obj1: 1, dop1, obj2: 3, dop2: 4 };
        let tasks = vec![(2, vec![test(7), test(8)]), (0, vec![test(9)])];
        let bytes = write((5, Letter::Tasks, 0.25), &tasks);
        assert_eq!(bytes.len(), letter_bytes([2, 1].into_iter()));
        let read_tasks = tasks.into_iter().map(|(thread, task)| (thread as u32, task)).collect();
        assert_eq!(read(&bytes), Some((5, Letter::Tasks, 0.25, read_tasks)));
        assert_eq!(
            read(&write((1, Letter::Rejection, 0.0), &[])),
            Some((1, Letter::Rejection, 0.0, Vec::new()))
        );
        for length in 0..bytes.len() {
            assert_ne!(read(&bytes[..length]).map(|(_, _, _, tasks)| tasks.len()), Some(2));
        }
        assert_eq!(read(&write((1, Letter::Tasks, 0.0), &[])), None);
    }
}
