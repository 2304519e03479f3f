//! The task pool of one rank: a deque for each of its processors.
//!
//! A processor puts tasks on its own deque and takes the newest from it; thieves,
//! threads of the rank and other ranks alike, get the oldest.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crossbeam_deque::{Steal, Stealer, Worker};

use crate::collision::test::Task;
use crate::stealing::trace::Origin;

/// A task in the pool, and where its processor got it.
#[derive(Debug, PartialEq)]
pub(super) struct Pooled {
    pub task: Task,
    pub origin: Origin,
}

/// A task pool during one phase.
pub(super) struct Pool<'a> {
    deques: &'a [Stealer<Pooled>],
    /// Tasks that wait or are being executed: raised before a task is put here,
    /// lowered after it was executed or handed over. Zero: the rank is idle.
    open: AtomicUsize,
    /// No processor is to look for tasks any more.
    closed: AtomicBool,
}

impl<'a> Pool<'a> {
    pub fn new(deques: &'a [Stealer<Pooled>]) -> Self {
        Self { deques, open: AtomicUsize::new(0), closed: AtomicBool::new(false) }
    }

    /// Puts a task on the processor's own deque.
    pub fn put(&self, own: &Worker<Pooled>, task: Task, origin: Origin) {
        self.raise();
        own.push(Pooled { task, origin });
    }

    /// Notes a task that is executed without ever waiting here.
    pub fn raise(&self) {
        self.open.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that a task was executed.
    pub fn executed(&self) {
        self.open.fetch_sub(1, Ordering::Release);
    }

    /// The oldest task of another processor, asked in turn, and whose it was.
    pub fn steal(&self, thief: usize) -> Option<(usize, Task)> {
        let count = self.deques.len();
        let victims = (1..count).map(|step| (thief + step) % count);
        victims.into_iter().find_map(|victim| Some((victim, take(&self.deques[victim])?)))
    }

    /// The oldest task of the fullest deque, for another rank, and whose it was.
    pub fn hand_over(&self) -> Option<(usize, Task)> {
        let victim = (0..self.deques.len()).max_by_key(|&victim| self.deques[victim].len())?;
        let task = take(&self.deques[victim])?;
        self.open.fetch_sub(1, Ordering::Relaxed);
        Some((victim, task))
    }

    /// Number of waiting tasks.
    pub fn waiting(&self) -> usize {
        self.deques.iter().map(Stealer::len).sum()
    }

    /// True if no task waits or is being executed.
    pub fn is_idle(&self) -> bool {
        self.open.load(Ordering::Acquire) == 0
    }

    /// Sends the processors home.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }
}

fn take(deque: &Stealer<Pooled>) -> Option<Task> {
    loop {
        match deque.steal() {
            Steal::Success(pooled) => return Some(pooled.task),
            Steal::Empty => return None,
            Steal::Retry => std::hint::spin_loop(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::Test;

    #[test]
    fn owners_take_the_newest_and_thieves_the_oldest_task() {
        let workers = [Worker::new_lifo(), Worker::new_lifo()];
        let deques = workers.each_ref().map(Worker::stealer);
        let pool = Pool::new(&deques);
        let task = |dop1| vec![Test { obj1: 0, dop1, obj2: 0, dop2: 0 }];
        for number in 0..3 {
            pool.put(&workers[0], task(number), Origin::Cut);
        }
        assert_eq!(workers[0].pop().map(|pooled| pooled.task), Some(task(2)));
        assert_eq!(pool.steal(1), Some((0, task(0))));
        assert_eq!(pool.steal(0), None);
        assert_eq!(pool.waiting(), 1);
        assert_eq!(pool.hand_over(), Some((0, task(1))));
        assert_eq!(pool.hand_over(), None);
        pool.executed();
        assert!(!pool.is_idle());
        pool.executed();
        assert!(pool.is_idle());
    }
}
