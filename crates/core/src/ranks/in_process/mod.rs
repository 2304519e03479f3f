//! Ranks as threads of one process: the default transport.
//!
//! No MPI library is needed. A rank writes into memory that all ranks share: messages go into the
//! `Mailbox` of the receiver, neighbour exchanges into the `Lane` of a pair of ranks, and the
//! parts of a collective into a slot of `Collectives`. The receiver polls, as it does with MPI. A
//! rank that writes something for which it may be waiting unparks its thread.
//!
//! [`run`] starts the ranks. [`run_strict`] is for tests: it delays messages and
//! collectives as long as MPI may delay them, and reports a deadlock with each rank's wait.

mod collective;
mod mailbox;
mod strict;
mod world;

use std::sync::{Arc, OnceLock};
use std::thread::Thread;

use self::collective::Collectives;
use self::mailbox::{Lane, Mailbox};
use self::strict::Watch;
use self::world::ThreadWorld;
use crate::ranks::failure;
use crate::ranks::launch::usable_cores;
use crate::ranks::world::World;
use crate::threads::wait::Patience;
use crate::{Error, Place, Result};

/// Stack of a rank's thread, bytes of address space: memory is used when touched.
const STACK_BYTES: usize = 64 << 20;

/// Runs `rank_main` on `size` new threads, one per rank, and returns their
/// results by rank.
///
/// A rank that returns an error or panics poisons the world: every waiting call
/// of the others fails with [`Error::Rank`], so that all of them end.
///
/// # Errors
/// The error of the rank that failed first (its panic as [`Error::Rank`]).
pub fn run<T: Send>(
    size: usize,
    rank_main: impl Fn(&dyn World) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    run_shared(&Arc::new(Shared::new(size, None)), rank_main)
}

/// Like [`run`], for tests: shows deadlocks that can occur with MPI but not with [`run`].
/// A message is handed over only after its receiver has polled for it and its
/// sender has called again; a collective starts only at the next call; and a
/// rank ends only when all its messages were received. A deadlock is an error that lists
/// each rank's wait.
///
/// # Errors
/// Those of [`run`], and [`Error::Internal`] for a deadlock.
pub fn run_strict<T: Send>(
    size: usize,
    rank_main: impl Fn(&dyn World) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    run_shared(&Arc::new(Shared::new(size, Some(Watch::new(size)))), rank_main)
}

/// A world of one rank, owned by whoever calls: for a simulation that is kept in a struct.
///
/// ```
/// let world = cloth_sim::ranks::in_process::alone();
/// assert_eq!((world.rank(), world.size()), (0, 1));
/// ```
pub fn alone() -> Box<dyn World> {
    Box::new(ThreadWorld::new(0, Arc::new(Shared::new(1, None))))
}

fn run_shared<T: Send>(
    shared: &Arc<Shared>,
    rank_main: impl Fn(&dyn World) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    if shared.size == 0 {
        return Err(Error::input(Place::Ranks, "a run needs a rank", "ask for one rank or more"));
    }
    let rank_main = &rank_main;
    let results = std::thread::scope(|scope| {
        let spawn = |rank| {
            let builder = std::thread::Builder::new().name(format!("rank {rank}"));
            let spawned = builder
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, move || run_rank(rank, shared, rank_main));
            let refused = |cause: std::io::Error| {
                let cause = format!("the thread of rank {rank} was refused: {cause}");
                shared.fail(rank, Error::input(Place::Ranks, cause, "ask for fewer ranks"));
            };
            spawned.map_err(refused).ok()
        };
        let ranks: Vec<_> = (0..shared.size).map(spawn).collect();
        let result =
            |rank: Option<std::thread::ScopedJoinHandle<'_, Option<T>>>| rank?.join().ok()?;
        ranks.into_iter().map(result).collect::<Option<Vec<_>>>()
    });
    let lost = || Error::internal("in-process ranks", "a rank ended without result or error");
    match shared.failure.get() {
        Some((_, error)) => Err(error.clone()),
        None => results.ok_or_else(lost),
    }
}

/// The whole life of one rank.
fn run_rank<T>(
    rank: usize,
    shared: &Arc<Shared>,
    rank_main: &impl Fn(&dyn World) -> Result<T>,
) -> Option<T> {
    shared.threads[rank].get_or_init(std::thread::current);
    let world = ThreadWorld::new(rank, shared.clone());
    let result = failure::caught(rank, || {
        let value = rank_main(&world)?;
        world.finish_sends()?;
        Ok(value)
    });
    if let Some(watch) = &shared.watch {
        watch.end(rank);
    }
    result.map_err(|error| shared.fail(rank, error)).ok()
}

/// The memory that the ranks of one world share.
struct Shared {
    size: usize,
    mailboxes: Vec<Mailbox>,
    /// `lanes[from * size + to]`.
    lanes: Vec<Lane>,
    collectives: Collectives,
    /// The rank that failed first, and its error: the world is poisoned.
    failure: OnceLock<(usize, Error)>,
    /// In strict mode only.
    watch: Option<Watch>,
    /// How a rank waits for others.
    patience: Patience,
    /// The thread of each rank that has begun.
    threads: Vec<OnceLock<Thread>>,
}

/// How each of `size` ranks waits.
fn patience(size: usize, is_strict: bool) -> Patience {
    match is_strict {
        // Messages that are handed over late unpark no thread.
        true => Patience::CROWDED,
        false if size <= usable_cores() => Patience::RANK,
        false => Patience::UNPARKED,
    }
}

impl Shared {
    fn new(size: usize, watch: Option<Watch>) -> Self {
        Self {
            size,
            mailboxes: (0..size).map(|_| Mailbox::default()).collect(),
            lanes: (0..size * size).map(|_| Lane::default()).collect(),
            collectives: Collectives::new(size),
            failure: OnceLock::new(),
            patience: patience(size, watch.is_some()),
            watch,
            threads: (0..size).map(|_| OnceLock::new()).collect(),
        }
    }

    /// Poisons the world; the first error stands.
    fn fail(&self, rank: usize, error: Error) {
        self.failure.get_or_init(|| (rank, error));
        self.unpark_all();
    }

    /// Wakes a rank, if it sleeps. Before: what it may be waiting for is written.
    fn unpark(&self, rank: usize) {
        if let Some(thread) = self.threads[rank].get() {
            thread.unpark();
        }
    }

    fn unpark_all(&self) {
        (0..self.size).for_each(|rank| self.unpark(rank));
    }

    /// Fails if the world is poisoned.
    fn check(&self) -> Result<()> {
        match self.failure.get() {
            None => Ok(()),
            Some((rank, error)) => {
                Err(Error::Rank { rank: *rank, message: failure::message_of(error) })
            }
        }
    }
}
