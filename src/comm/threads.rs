//! Ranks as threads of one process: the embedded default.
//!
//! Messages go through a `Mailbox` per rank, neighbour exchanges through a
//! `Lane` per pair of ranks, collectives through `Collectives`.

mod collective;
mod mailbox;
mod strict;

use std::cell::{Cell, RefCell};
use std::sync::{Arc, OnceLock};

use self::collective::{Collectives, Operation, Slot};
use self::mailbox::{Lane, Mailbox, Stage};
use self::strict::Watch;
use super::failure;
use super::wait::wait;
use super::world::{check_parts, plain_minima};
use super::{Exchange, Message, PendingId, Tag, World};
use crate::error::{Error, Result};

/// Stack of a rank's thread in bytes (address space; pages come when touched).
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
    run_shared(&Shared::new(size, None), rank_main)
}

/// As [`run`], for tests: shows deadlocks that MPI may have and [`run`] has not.
/// A message is handed over only after its receiver has polled for it and its
/// sender has called again, a collective starts only at the next call, and a
/// rank ends only when all it sent was received. A world in which nothing can
/// happen any more fails with the list of who waits for what.
///
/// # Errors
/// As [`run`], and for a deadlock.
pub fn run_strict<T: Send>(
    size: usize,
    rank_main: impl Fn(&dyn World) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    run_shared(&Shared::new(size, Some(Watch::new(size))), rank_main)
}

fn run_shared<T: Send>(
    shared: &Shared,
    rank_main: impl Fn(&dyn World) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    if shared.size == 0 {
        return Err(Error::input("--ranks", "a run needs a rank", "ask for one rank or more"));
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
                shared.fail(rank, Error::input("--ranks", cause, "ask for fewer ranks"));
            };
            spawned.map_err(refused).ok()
        };
        let ranks: Vec<_> = (0..shared.size).map(spawn).collect();
        let result =
            |rank: Option<std::thread::ScopedJoinHandle<'_, Option<T>>>| rank?.join().ok()?;
        ranks.into_iter().map(result).collect::<Option<Vec<_>>>()
    });
    let lost = || Error::Rank { rank: 0, message: "no result".into() };
    match shared.failure.get() {
        Some((_, error)) => Err(error.clone()),
        None => results.ok_or_else(lost),
    }
}

/// The whole life of one rank.
fn run_rank<T>(
    rank: usize,
    shared: &Shared,
    rank_main: &impl Fn(&dyn World) -> Result<T>,
) -> Option<T> {
    let world = ThreadWorld::new(rank, shared);
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

/// What the ranks of one world share.
struct Shared {
    size: usize,
    mailboxes: Vec<Mailbox>,
    /// `lanes[from * size + to]`.
    lanes: Vec<Lane>,
    collectives: Collectives,
    /// The rank that failed first, and its error: the world is poisoned.
    failure: OnceLock<(usize, Error)>,
    /// Strict mode.
    watch: Option<Watch>,
}

impl Shared {
    fn new(size: usize, watch: Option<Watch>) -> Self {
        Self {
            size,
            mailboxes: (0..size).map(|_| Mailbox::default()).collect(),
            lanes: (0..size * size).map(|_| Lane::default()).collect(),
            collectives: Collectives::new(size),
            failure: OnceLock::new(),
            watch,
        }
    }

    /// Poisons the world; the first error stands.
    fn fail(&self, rank: usize, error: Error) {
        self.failure.get_or_init(|| (rank, error));
    }

    fn check(&self) -> Result<()> {
        match self.failure.get() {
            None => Ok(()),
            Some((rank, error)) => {
                Err(Error::Rank { rank: *rank, message: failure::message_of(error) })
            }
        }
    }
}

/// One rank's view of a [`Shared`] world.
struct ThreadWorld<'a> {
    rank: usize,
    shared: &'a Shared,
    /// Collectives entered so far.
    generation: Cell<u64>,
    pending: RefCell<Vec<Pending>>,
    /// Strict mode: collectives to arrive at with the next call.
    unarrived: RefCell<Vec<Arc<Slot>>>,
}

/// A collective that was started and not yet completed.
struct Pending {
    id: PendingId,
    operation: Operation,
    slot: Arc<Slot>,
    /// Takes the result.
    values: Vec<i64>,
}

impl<'a> ThreadWorld<'a> {
    fn new(rank: usize, shared: &'a Shared) -> Self {
        let (generation, pending, unarrived) = Default::default();
        Self { rank, shared, generation, pending, unarrived }
    }

    fn error(&self, message: impl Into<String>) -> Error {
        Error::Rank { rank: self.rank, message: message.into() }
    }

    /// The way of every test: check for a poisoned world, then `test`.
    fn attempt<T>(
        &self,
        waits_for: &'static str,
        test: impl FnOnce() -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        self.shared.check()?;
        let Some(watch) = &self.shared.watch else { return test() };
        self.unarrived.borrow_mut().drain(..).for_each(|slot| slot.arrive());
        self.shared.mailboxes.iter().for_each(|mailbox| mailbox.give(self.rank));
        let outcome = test()?;
        match &outcome {
            Some(_) => watch.progress(),
            None => match watch.no_progress(self.rank, waits_for) {
                Some(deadlock) => return Err(self.error(deadlock)),
                None => std::thread::yield_now(),
            },
        }
        Ok(outcome)
    }

    fn note_progress(&self) {
        if let Some(watch) = &self.shared.watch {
            watch.progress();
        }
    }

    /// Lays down this rank's part of the next collective.
    fn enter(&self, operation: Operation, mine: &[u8]) -> Result<Arc<Slot>> {
        self.shared.check()?;
        let slot = self.shared.collectives.enter(self.generation.get());
        self.generation.set(self.generation.get() + 1);
        slot.lay_down(self.rank, operation, mine);
        match self.shared.watch {
            None => slot.arrive(),
            Some(_) => self.unarrived.borrow_mut().push(Arc::clone(&slot)),
        }
        self.note_progress();
        Ok(slot)
    }

    /// Lays down this rank's part and waits for the others.
    fn enter_and_wait(&self, operation: Operation, mine: &[u8]) -> Result<Arc<Slot>> {
        let slot = self.enter(operation, mine)?;
        wait(|| self.attempt(operation.name(), || Ok(slot.is_complete().then_some(()))))?;
        Ok(slot)
    }

    /// A whole collective: `read(rank, part)` is called for every rank.
    fn collective(
        &self,
        operation: Operation,
        mine: &[u8],
        read: impl FnMut(usize, &[u8]) -> bool,
    ) -> Result<()> {
        let slot = self.enter_and_wait(operation, mine)?;
        self.read_and_leave(operation, &slot, read)
    }

    /// Reads all parts by rising rank; `read` says whether a part fits.
    fn read_and_leave(
        &self,
        operation: Operation,
        slot: &Slot,
        mut read: impl FnMut(usize, &[u8]) -> bool,
    ) -> Result<()> {
        for other in 0..self.shared.size {
            let fits = slot.read(other, |theirs, part| match theirs == operation {
                true => read(other, part).then_some(()).ok_or("another length"),
                false => Err(theirs.name()),
            });
            fits.map_err(|theirs| {
                let ours = operation.name();
                self.error(format!("collective mismatch: {ours} here, {theirs} on rank {other}"))
            })?;
        }
        self.shared.collectives.leave(slot);
        Ok(())
    }

    /// Strict mode: a rank ends only when all it sent was received.
    fn finish_sends(&self) -> Result<()> {
        if self.shared.watch.is_none() {
            return Ok(());
        }
        let held = || self.shared.mailboxes.iter().any(|mailbox| mailbox.holds_from(self.rank));
        wait(|| self.attempt("the receipt of its messages", || Ok((!held()).then_some(()))))
    }

    fn start(&self, operation: Operation, values: Vec<i64>) -> Result<PendingId> {
        let id = PendingId(self.generation.get());
        let slot = self.enter(operation, bytemuck::cast_slice(&values))?;
        self.pending.borrow_mut().push(Pending { id, operation, slot, values });
        Ok(id)
    }
}

impl World for ThreadWorld<'_> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.shared.size
    }

    fn send(&self, to: usize, tag: Tag, bytes: Vec<u8>) -> Result<()> {
        self.shared.check()?;
        let stage = if self.shared.watch.is_some() { Stage::Offered } else { Stage::Given };
        self.shared.mailboxes[to].put(tag, Message { from: self.rank, bytes }, stage);
        self.note_progress();
        Ok(())
    }

    fn poll(&self, from: Option<usize>, tag: Tag) -> Result<Option<Message>> {
        self.attempt("a message", || Ok(self.shared.mailboxes[self.rank].take(from, tag)))
    }

    fn begin_exchange(&self, exchange: &mut Exchange) -> Result<()> {
        self.shared.check()?;
        for neighbour in exchange.neighbours.iter().filter(|other| !other.outgoing.is_empty()) {
            self.shared.lanes[self.rank * self.shared.size + neighbour.rank]
                .put(&neighbour.outgoing);
        }
        self.note_progress();
        Ok(())
    }

    fn finish_exchange(&self, exchange: &mut Exchange) -> Result<()> {
        self.shared.check()?;
        for neighbour in exchange.neighbours.iter_mut().filter(|other| !other.incoming.is_empty()) {
            let from = neighbour.rank;
            let lane = &self.shared.lanes[from * self.shared.size + self.rank];
            let length =
                wait(|| self.attempt("an exchange", || Ok(lane.take(&mut neighbour.incoming))))?;
            if length != neighbour.incoming.len() {
                return Err(self.error(format!(
                    "exchange mismatch: {length} bytes came from rank {from}, {} were awaited",
                    neighbour.incoming.len()
                )));
            }
        }
        Ok(())
    }

    fn all_gather_v(&self, mine: &[u8], counts: &[usize], all: &mut [u8]) -> Result<()> {
        check_parts(self, mine, counts, all.len(), true)?;
        let mut rest = all;
        self.collective(Operation::AllGather, mine, |other, part| {
            append(&mut rest, counts[other], part)
        })
    }

    fn gather_v(&self, root: usize, mine: &[u8], counts: &[usize], all: &mut [u8]) -> Result<()> {
        let is_root = self.rank == root;
        check_parts(self, mine, counts, all.len(), is_root)?;
        let mut rest = all;
        self.collective(Operation::Gather, mine, |other, part| {
            !is_root || append(&mut rest, counts[other], part)
        })
    }

    fn broadcast(&self, root: usize, bytes: &mut Vec<u8>) -> Result<()> {
        let mine = if self.rank == root { std::mem::take(bytes) } else { Vec::new() };
        self.collective(Operation::Broadcast, &mine, |other, part| {
            if other == root && self.rank != root {
                bytes.clear();
                bytes.extend_from_slice(part);
            }
            true
        })?;
        if self.rank == root {
            *bytes = mine;
        }
        Ok(())
    }

    fn all_reduce_sum(&self, values: &mut [i64]) -> Result<()> {
        let slot = self.enter_and_wait(Operation::AllReduceSum, bytemuck::cast_slice(values))?;
        values.fill(0);
        self.read_and_leave(Operation::AllReduceSum, &slot, |_, part| add(values, part))
    }

    fn all_reduce_min(&self, values: &mut [f64]) -> Result<()> {
        plain_minima(self, values)?;
        let slot = self.enter_and_wait(Operation::AllReduceMin, bytemuck::cast_slice(values))?;
        self.read_and_leave(Operation::AllReduceMin, &slot, |_, part| {
            let theirs = part.chunks_exact(8).map(bytemuck::pod_read_unaligned::<f64>);
            values.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine = mine.min(theirs));
            part.len() == 8 * values.len()
        })
    }

    fn begin_barrier(&self) -> Result<PendingId> {
        self.start(Operation::Barrier, Vec::new())
    }

    fn begin_all_reduce_sum(&self, values: Vec<i64>) -> Result<PendingId> {
        self.start(Operation::AllReduceSum, values)
    }

    fn test(&self, pending: PendingId) -> Result<Option<Vec<i64>>> {
        let mut all = self.pending.borrow_mut();
        let at = all.iter().position(|one| one.id == pending);
        let at = at.ok_or_else(|| self.error(format!("{pending:?} is not pending")))?;
        let operation = all[at].operation;
        let complete = || Ok(all[at].slot.is_complete().then_some(()));
        if self.attempt(operation.name(), complete)?.is_none() {
            return Ok(None);
        }
        let Pending { slot, mut values, .. } = all.swap_remove(at);
        values.fill(0);
        self.read_and_leave(operation, &slot, |_, part| add(&mut values, part))?;
        Ok(Some(values))
    }

    fn abort(&self, message: &str) {
        self.shared.fail(self.rank, self.error(message));
    }
}

/// Moves `part` to the front of `rest`, if it is `count` bytes long.
fn append(rest: &mut &mut [u8], count: usize, part: &[u8]) -> bool {
    let fits = part.len() == count && count <= rest.len();
    if fits {
        let (front, back) = std::mem::take(rest).split_at_mut(count);
        front.copy_from_slice(part);
        *rest = back;
    }
    fits
}

/// Adds the integers in `part` to `sums`, wrapping, if they are as many.
fn add(sums: &mut [i64], part: &[u8]) -> bool {
    let values = part.chunks_exact(8).map(bytemuck::pod_read_unaligned::<i64>);
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum = sum.wrapping_add(value));
    part.len() == 8 * sums.len()
}
