//! The ranks of a simulation: threads that wait for work.
//!
//! A simulation belongs to the threads of its ranks. Python gives all ranks the same work and gets
//! the result of rank 0. So a method can wait without Python's lock, and any thread of Python may
//! call it.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use cloth_sim::error::{Error, Result};
use cloth_sim::ranks::{World, in_process};

use crate::rank::Rank;

/// What a rank is asked to do.
type Work = Arc<dyn Fn(&mut Rank) -> Result<()> + Send + Sync>;

/// The ranks. Several threads of Python may ask; all ranks do their work in the same order.
pub struct Ranks(Mutex<Threads>);

struct Threads {
    /// The way to each rank.
    work: Vec<Sender<Work>>,
    /// All of them.
    all: Option<JoinHandle<Result<()>>>,
    /// Why they have ended, if they have.
    ended: Option<Error>,
}

/// Work that the ranks do.
pub struct Asked<T> {
    /// What each rank replies, with its number.
    replies: Receiver<(usize, Result<T>)>,
    missing: usize,
    first: Option<(usize, Result<T>)>,
}

/// How far the ranks are.
pub enum Answer<T> {
    /// They still work.
    Waiting,
    /// Rank 0 has this result.
    Done(Result<T>),
    /// A rank has ended.
    Ended,
}

impl Ranks {
    /// Starts `count` ranks. Each makes its part of a simulation by `build`. If that fails, the
    /// first work finds the ranks ended.
    ///
    /// # Errors
    /// When the operating system refuses a thread.
    pub fn start(
        count: usize,
        build: impl for<'w> Fn(&'w dyn World) -> Result<Rank<'w>> + Send + Sync + 'static,
    ) -> Result<Self> {
        let ways = (0..count).map(|_| mpsc::channel());
        let (work, orders): (Vec<_>, Vec<_>) = ways.unzip();
        let orders = Vec::from_iter(orders.into_iter().map(Mutex::new));
        let serve_all = move || {
            let of_rank = |world: &dyn World| serve(build(world)?, world, &orders[world.rank()]);
            in_process::run(count, of_rank).map(drop)
        };
        let thread = std::thread::Builder::new().name("ranks".to_owned()).spawn(serve_all);
        let refused = |cause: std::io::Error| {
            Error::input("threads", cause.to_string(), "allow this user more threads (ulimit -u)")
        };
        let all = Some(thread.map_err(refused)?);
        Ok(Self(Mutex::new(Threads { work, all, ended: None })))
    }

    /// Asks all ranks to do `work`.
    ///
    /// # Errors
    /// Why the ranks have ended, if they have.
    pub fn ask<T: Send + 'static>(
        &self,
        work: impl Fn(&mut Rank) -> Result<T> + Send + Sync + 'static,
    ) -> Result<Asked<T>> {
        let Threads { work: ways, ended, .. } = &*self.threads();
        if let Some(error) = ended {
            return Err(error.clone());
        }
        let (reply, replies) = mpsc::channel();
        let work: Work = Arc::new(move |rank| {
            let done = work(rank);
            let outcome = done.as_ref().map(|_| ()).map_err(Clone::clone);
            // Whoever asked waits for it.
            let _ = reply.send((rank.number(), done));
            outcome
        });
        // A rank that has ended takes no work; then replies are missing.
        ways.iter().for_each(|rank| drop(rank.send(work.clone())));
        Ok(Asked { replies, missing: ways.len(), first: None })
    }

    /// Ends all ranks after one of them has ended. Returns why it did.
    pub fn end(&self) -> Error {
        let Threads { work, all, ended } = &mut *self.threads();
        work.clear();
        let lost = || Error::internal("ranks", "a rank ended without an error");
        let error = match all.take().map(JoinHandle::join) {
            Some(Ok(Err(error))) => error,
            Some(Err(_)) => Error::internal("ranks", "the thread of all ranks panicked"),
            Some(Ok(Ok(()))) | None => lost(),
        };
        ended.get_or_insert(error).clone()
    }

    fn threads(&self) -> MutexGuard<'_, Threads> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Ranks {
    fn drop(&mut self) {
        let Threads { work, all, .. } = &mut *self.threads();
        work.clear();
        if let Some(all) = all.take() {
            let _ = all.join();
        }
    }
}

impl<T> Asked<T> {
    /// Waits for the ranks, at most `limit`.
    pub fn wait(&mut self, limit: Duration) -> Answer<T> {
        while self.missing > 0 {
            match self.replies.recv_timeout(limit) {
                Ok((rank, reply)) => {
                    self.missing -= 1;
                    if self.first.as_ref().is_none_or(|(first, _)| rank < *first) {
                        self.first = Some((rank, reply));
                    }
                }
                Err(RecvTimeoutError::Timeout) => return Answer::Waiting,
                Err(RecvTimeoutError::Disconnected) => return Answer::Ended,
            }
        }
        self.first.take().map_or(Answer::Ended, |(_, reply)| Answer::Done(reply))
    }
}

/// Does the work that `rank` gets, until nobody gives more.
fn serve(mut rank: Rank, world: &dyn World, orders: &Mutex<Receiver<Work>>) -> Result<()> {
    let orders = orders.lock().unwrap_or_else(PoisonError::into_inner);
    for work in orders.iter() {
        match work(&mut rank) {
            // The others may wait for this rank, and learn of its end.
            Err(error) if world.size() > 1 && !is_of_all(&error) => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Whether all ranks meet this error at the same place, so that they can go on.
fn is_of_all(error: &Error) -> bool {
    matches!(error, Error::Input { .. } | Error::Step { .. })
}
