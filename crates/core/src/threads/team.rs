//! Threads that help the rank's thread with one job at a time.
//!
//! The helpers sleep between jobs, and a job does not wait for a helper that has not begun. Both
//! matter where other programs run on the same cores: a helper may be without a core for several
//! milliseconds, in which the rank's thread can do all the work. With two niced programs on the
//! same two cores, the same loops took 1.5 to 3 times as long with rayon, because its idle threads
//! yield their cores 32 times before they sleep. With this team they took no longer than without
//! the other programs.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{JoinHandle, Thread};

use crate::threads::wait::{Patience, wait_for};

/// A thread and its helpers.
pub(super) struct Team {
    shared: Arc<Shared>,
    helpers: Vec<JoinHandle<()>>,
    /// Held while a job runs: one caller at a time has the helpers.
    turn: Mutex<()>,
}

/// What the caller shares with its helpers.
#[derive(Default)]
struct Shared {
    /// The number of jobs so far. A helper looks here before it takes the lock.
    jobs: AtomicU64,
    /// The job that a helper may begin now.
    open: Mutex<Option<Job>>,
    /// Helpers that have begun and not ended. It rises only while `open` is locked.
    inside: AtomicUsize,
    /// The first panic of a helper in this job.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    /// The team is dropped.
    ended: AtomicBool,
}

#[derive(Clone)]
struct Job {
    /// Called with the helper's number. It lives until the caller has closed the job and
    /// `inside` is zero.
    help: &'static (dyn Fn(usize) + Sync),
    caller: Thread,
    /// Its number, from 1 on.
    number: u64,
}

impl Team {
    /// A team of `count` threads: the caller and `count - 1` helpers.
    ///
    /// # Errors
    /// When the operating system refuses a thread.
    pub fn new(count: usize) -> std::io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let mut team = Self { shared, helpers: Vec::new(), turn: Mutex::new(()) };
        for number in 1..count {
            let shared = team.shared.clone();
            let helper = std::thread::Builder::new().name(format!("helper {number}"));
            team.helpers.push(helper.spawn(move || shared.serve(number))?);
        }
        Ok(team)
    }

    /// Number of threads, the caller included.
    pub fn count(&self) -> usize {
        self.helpers.len() + 1
    }

    /// Calls `own` on this thread, and `help(number)` at the same time on helpers 1, 2, ..
    /// `count() - 1`. A helper that has not begun when `own` returns does not begin. If another
    /// thread has the helpers, none begins.
    ///
    /// # Panics
    /// If `own` or a helper panics; not before all helpers have ended.
    pub fn run<R>(&self, help: &(dyn Fn(usize) + Sync), own: impl FnOnce() -> R) -> R {
        let _turn = match self.turn.try_lock() {
            Ok(turn) => turn,
            // An earlier job panicked; its helpers have ended.
            Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
            Err(TryLockError::WouldBlock) => return own(),
        };
        let job = OpenJob::begin(self, help);
        let result = own();
        drop(job);
        if let Some(payload) = lock(&self.shared.panic).take() {
            resume_unwind(payload);
        }
        result
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Release);
        for helper in self.helpers.drain(..) {
            helper.thread().unpark();
            // A helper catches the panics of jobs.
            let _ = helper.join();
        }
    }
}

/// A job that helpers may begin. Dropping it closes the job and waits for those that have begun.
struct OpenJob<'a>(&'a Shared);

impl<'a> OpenJob<'a> {
    fn begin(team: &'a Team, help: &(dyn Fn(usize) + Sync)) -> Self {
        // SAFETY: helpers call `help` only between `inside += 1` and `inside -= 1`. The first
        // happens under the lock of `open` while the job is there. Dropping this `OpenJob`,
        // which also happens if the caller panics, takes the job away under the lock and then
        // waits until `inside` is zero. It is not leaked: `run` alone makes it. So the borrow
        // outlives every call.
        #[allow(unsafe_code)]
        let help = unsafe {
            std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(help)
        };
        let shared = &*team.shared;
        // Only the caller that has the turn changes the number of jobs.
        let number = shared.jobs.load(Ordering::Relaxed) + 1;
        *lock(&shared.open) = Some(Job { help, caller: std::thread::current(), number });
        shared.jobs.store(number, Ordering::Release);
        team.helpers.iter().for_each(|helper| helper.thread().unpark());
        Self(shared)
    }
}

impl Drop for OpenJob<'_> {
    fn drop(&mut self) {
        *lock(&self.0.open) = None;
        let ended = || (self.0.inside.load(Ordering::Acquire) == 0).then_some(());
        wait_for(Patience::UNPARKED, ended);
    }
}

impl Shared {
    /// The life of a helper.
    fn serve(&self, number: usize) {
        let mut seen = 0;
        while let Some(jobs) = self.next_job(seen) {
            seen = jobs;
            let Some(job) = self.enter() else { continue };
            // It may be a later job, which the helper must not begin twice.
            seen = job.number;
            let outcome = catch_unwind(AssertUnwindSafe(|| (job.help)(number)));
            if let Err(payload) = outcome {
                lock(&self.panic).get_or_insert(payload);
            }
            if self.inside.fetch_sub(1, Ordering::Release) == 1 {
                job.caller.unpark();
            }
        }
    }

    /// Waits for a job after the `seen` first ones, and returns the number of jobs then; `None`
    /// once the team is dropped.
    fn next_job(&self, seen: u64) -> Option<u64> {
        let news = || {
            if self.ended.load(Ordering::Acquire) {
                return Some(None);
            }
            let jobs = self.jobs.load(Ordering::Acquire);
            (jobs != seen).then_some(Some(jobs))
        };
        wait_for(Patience::UNPARKED, news)
    }

    /// Enters the job, unless it is closed.
    fn enter(&self) -> Option<Job> {
        let open = lock(&self.open);
        let job = open.clone()?;
        self.inside.fetch_add(1, Ordering::Relaxed);
        Some(job)
    }
}

/// Locks `mutex`. No code panics while it holds a lock of this module.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_over_when_run_returns_and_each_helper_begins_it_once_at_most() {
        let team = Team::new(4).unwrap();
        for round in 0..2000 {
            let calls = [const { AtomicUsize::new(0) }; 4];
            let done = AtomicUsize::new(0);
            let work = |number: usize| {
                calls[number].fetch_add(1, Ordering::Relaxed);
                (0..round % 50).for_each(|_| std::hint::spin_loop());
                done.fetch_add(1, Ordering::Relaxed);
            };
            team.run(&work, || work(0));
            let calls = calls.map(AtomicUsize::into_inner);
            assert_eq!(calls[0], 1);
            assert!(calls.iter().all(|&count| count <= 1), "{calls:?}");
            assert_eq!(calls.iter().sum::<usize>(), done.into_inner());
        }
    }

    #[test]
    fn a_job_within_a_job_runs_on_the_thread_that_has_it() {
        let team = Team::new(2).unwrap();
        let inner = || team.run(&|_| unreachable!("the helper is taken"), || 7);
        assert_eq!(team.run(&|_| (), inner), 7);
    }

    #[test]
    fn a_panic_of_a_helper_reaches_the_caller_and_the_team_goes_on() {
        let team = Team::new(2).unwrap();
        let meeting = std::sync::Barrier::new(2);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let fail = |_| {
                meeting.wait();
                panic!("helper");
            };
            team.run(&fail, || meeting.wait());
        }));
        assert_eq!(*outcome.unwrap_err().downcast::<&str>().unwrap(), "helper");
        let sum = AtomicUsize::new(0);
        team.run(
            &|_| {
                sum.fetch_add(1, Ordering::Relaxed);
                meeting.wait();
            },
            || meeting.wait(),
        );
        assert_eq!(sum.into_inner(), 1);
    }
}
