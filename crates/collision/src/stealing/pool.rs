//! The task pool of one rank: a deque for each of its processors.
//!
//! A processor puts tasks on its own deque and takes the newest from it. Thieves get the oldest,
//! whether they are threads of the rank or other ranks.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Thread;

use crate::stealing::usage::Origin;
use crate::stealing::workload::Task;
use crossbeam_deque::{Steal, Stealer, Worker};

/// A task in the pool, and how its processor got it.
#[derive(Debug, PartialEq)]
pub(super) struct Pooled<T> {
    pub task: Task<T>,
    pub origin: Origin,
}

/// A task pool during one search.
pub(super) struct Pool<'a, T> {
    deques: &'a [Stealer<Pooled<T>>],
    /// Tasks that wait or are being executed: raised before a task is put here,
    /// lowered after it was executed or handed over. Zero: the rank is idle.
    open: AtomicUsize,
    /// If true, no processor may look for tasks any more.
    closed: AtomicBool,
    /// The threads of processors that look for tasks, and their number.
    seekers: Mutex<Vec<Thread>>,
    seeking: AtomicUsize,
}

impl<'a, T> Pool<'a, T> {
    pub fn new(deques: &'a [Stealer<Pooled<T>>]) -> Self {
        Self {
            deques,
            open: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
            seekers: Mutex::default(),
            seeking: AtomicUsize::new(0),
        }
    }

    /// Puts a task on the processor's own deque.
    pub fn put(&self, own: &Worker<Pooled<T>>, task: Task<T>, origin: Origin) {
        self.raise();
        own.push(Pooled { task, origin });
        self.wake_seekers();
    }

    /// Counts a task that is executed without ever waiting here.
    pub fn raise(&self) {
        self.open.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a task as executed.
    pub fn executed(&self) {
        if self.open.fetch_sub(1, Ordering::Release) == 1 {
            self.wake_seekers();
        }
    }

    /// Until the guard is dropped, the calling thread is unparked when a task comes, when the
    /// last one is done, and when the pool is closed.
    pub fn seek(&self) -> Seeking<'_, 'a, T> {
        self.seekers().push(std::thread::current());
        self.seeking.fetch_add(1, Ordering::Relaxed);
        // Either this thread sees every change before `wake_seekers`, or `wake_seekers` sees this
        // thread.
        fence(Ordering::SeqCst);
        Seeking(self)
    }

    fn wake_seekers(&self) {
        fence(Ordering::SeqCst);
        if self.seeking.load(Ordering::Relaxed) > 0 {
            self.seekers().iter().for_each(Thread::unpark);
        }
    }

    fn seekers(&self) -> MutexGuard<'_, Vec<Thread>> {
        self.seekers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The oldest task of another processor, and the number of that processor. The others are
    /// asked in turn.
    pub fn steal(&self, thief: usize) -> Option<(usize, Task<T>)> {
        let count = self.deques.len();
        let victims = (1..count).map(|step| (thief + step) % count);
        victims.into_iter().find_map(|victim| Some((victim, take(&self.deques[victim])?)))
    }

    /// The oldest task of the fullest deque, for another rank, and the number of its processor.
    pub fn hand_over(&self) -> Option<(usize, Task<T>)> {
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

    /// Ends the work of all processors.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.wake_seekers();
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }
}

/// A processor that looks for tasks.
pub(super) struct Seeking<'p, 'a, T>(&'p Pool<'a, T>);

impl<T> Drop for Seeking<'_, '_, T> {
    fn drop(&mut self) {
        self.0.seeking.fetch_sub(1, Ordering::Relaxed);
        let own = std::thread::current().id();
        self.0.seekers().retain(|thread| thread.id() != own);
    }
}

fn take<T>(deque: &Stealer<Pooled<T>>) -> Option<Task<T>> {
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

    #[test]
    fn owners_take_the_newest_and_thieves_the_oldest_task() {
        let workers = [Worker::new_lifo(), Worker::new_lifo()];
        let deques = workers.each_ref().map(Worker::stealer);
        let pool = Pool::new(&deques);
        for number in 0..3 {
            pool.put(&workers[0], vec![number], Origin::Cut);
        }
        assert_eq!(workers[0].pop().map(|pooled| pooled.task), Some(vec![2]));
        assert_eq!(pool.steal(1), Some((0, vec![0])));
        assert_eq!(pool.steal(0), None);
        assert_eq!(pool.waiting(), 1);
        assert_eq!(pool.hand_over(), Some((0, vec![1])));
        assert_eq!(pool.hand_over(), None);
        pool.executed();
        assert!(!pool.is_idle());
        pool.executed();
        assert!(pool.is_idle());
    }
}
