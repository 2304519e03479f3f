//! The [`World`] of one rank, a thread of this process.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use crate::ranks::in_process::Shared;
use crate::ranks::in_process::collective::{Operation, Slot};
use crate::ranks::in_process::mailbox::Stage;
use crate::ranks::world::{check_parts, defect};
use crate::ranks::{Exchange, Message, PendingId, Tag};
use crate::threads::wait::{Patience, wait};
use crate::{Error, Result, World};

/// One rank's view of a [`Shared`] world.
pub(super) struct ThreadWorld {
    rank: usize,
    shared: Arc<Shared>,
    /// Collectives entered so far.
    generation: Cell<u64>,
    pending: RefCell<Vec<StartedCollective>>,
    /// Strict mode: collectives that this rank arrives at with its next call.
    unarrived: RefCell<Vec<Arc<Slot>>>,
}

/// A collective that was started and not yet completed.
struct StartedCollective {
    id: PendingId,
    operation: Operation,
    slot: Arc<Slot>,
    /// This rank's part at first, then the result.
    values: Vec<i64>,
}

impl ThreadWorld {
    pub(super) fn new(rank: usize, shared: Arc<Shared>) -> Self {
        let (generation, pending, unarrived) = Default::default();
        Self { rank, shared, generation, pending, unarrived }
    }

    fn defect(&self, message: impl Into<String>) -> Error {
        defect(self, message.into())
    }

    /// Runs `test` unless the world is poisoned; in strict mode it also counts progress.
    fn attempt<T>(
        &self,
        waits_for: &'static str,
        test: impl FnOnce() -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        self.shared.check()?;
        let Some(watch) = &self.shared.watch else { return test() };
        self.unarrived.borrow_mut().drain(..).for_each(|slot| {
            slot.arrive();
        });
        self.shared.mailboxes.iter().for_each(|mailbox| mailbox.give(self.rank));
        let outcome = test()?;
        match &outcome {
            Some(_) => watch.progress(),
            None => match watch.no_progress(self.rank, waits_for) {
                Some(deadlock) => return Err(self.defect(deadlock)),
                None => std::thread::yield_now(),
            },
        }
        Ok(outcome)
    }

    /// Waits until `test` has a result.
    fn wait<T>(&self, waits_for: &'static str, mut test: impl FnMut() -> Option<T>) -> Result<T> {
        wait(self.patience(), || self.attempt(waits_for, || Ok(test())))
    }

    fn note_progress(&self) {
        if let Some(watch) = &self.shared.watch {
            watch.progress();
        }
    }

    /// Stores this rank's part of the next collective.
    fn enter(&self, operation: Operation, mine: &[u8]) -> Result<Arc<Slot>> {
        self.shared.check()?;
        let slot = self.shared.collectives.enter(self.generation.get());
        self.generation.set(self.generation.get() + 1);
        slot.store(self.rank, operation, mine);
        match self.shared.watch {
            None if slot.arrive() => self.shared.unpark_all(),
            None => {}
            Some(_) => self.unarrived.borrow_mut().push(Arc::clone(&slot)),
        }
        self.note_progress();
        Ok(slot)
    }

    /// Stores this rank's part and waits for those of the others.
    fn enter_and_wait(&self, operation: Operation, mine: &[u8]) -> Result<Arc<Slot>> {
        let slot = self.enter(operation, mine)?;
        self.wait(operation.name(), || slot.is_complete().then_some(()))?;
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

    /// Reads all parts by rising rank; `read` returns whether a part has its length.
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
                self.defect(format!("collective mismatch: {ours} here, {theirs} on rank {other}"))
            })?;
        }
        self.shared.collectives.leave(slot);
        Ok(())
    }

    /// Strict mode: waits until all messages of this rank were received.
    pub(super) fn finish_sends(&self) -> Result<()> {
        if self.shared.watch.is_none() {
            return Ok(());
        }
        let held = || self.shared.mailboxes.iter().any(|mailbox| mailbox.holds_from(self.rank));
        self.wait("the receipt of its messages", || (!held()).then_some(()))
    }

    fn start(&self, operation: Operation, values: Vec<i64>) -> Result<PendingId> {
        let id = PendingId(self.generation.get());
        let slot = self.enter(operation, bytemuck::cast_slice(&values))?;
        self.pending.borrow_mut().push(StartedCollective { id, operation, slot, values });
        Ok(id)
    }
}

impl World for ThreadWorld {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.shared.size
    }

    fn neighbours(&self) -> usize {
        self.size()
    }

    fn patience(&self) -> Patience {
        self.shared.patience
    }

    fn send(&self, to: usize, tag: Tag, bytes: Vec<u8>) -> Result<()> {
        self.shared.check()?;
        let stage = if self.shared.watch.is_some() { Stage::Offered } else { Stage::Given };
        self.shared.mailboxes[to].put(tag, Message { from: self.rank, bytes }, stage);
        self.shared.unpark(to);
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
            self.shared.unpark(neighbour.rank);
        }
        self.note_progress();
        Ok(())
    }

    fn finish_exchange(&self, exchange: &mut Exchange) -> Result<()> {
        self.shared.check()?;
        for neighbour in exchange.neighbours.iter_mut().filter(|other| !other.incoming.is_empty()) {
            let from = neighbour.rank;
            let lane = &self.shared.lanes[from * self.shared.size + self.rank];
            let length = self.wait("an exchange", || lane.take(&mut neighbour.incoming))?;
            if length != neighbour.incoming.len() {
                return Err(self.defect(format!(
                    "exchange mismatch: {length} bytes came from rank {from} instead of {}",
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

    fn begin_barrier(&self) -> Result<PendingId> {
        self.start(Operation::Barrier, Vec::new())
    }

    fn begin_all_reduce_sum(&self, values: Vec<i64>) -> Result<PendingId> {
        self.start(Operation::AllReduceSum, values)
    }

    fn test(&self, pending: PendingId) -> Result<Option<Vec<i64>>> {
        let mut all = self.pending.borrow_mut();
        let at = all.iter().position(|one| one.id == pending);
        let at = at.ok_or_else(|| self.defect(format!("{pending:?} is not pending")))?;
        let operation = all[at].operation;
        let complete = || Ok(all[at].slot.is_complete().then_some(()));
        if self.attempt(operation.name(), complete)?.is_none() {
            return Ok(None);
        }
        let StartedCollective { slot, mut values, .. } = all.swap_remove(at);
        values.fill(0);
        self.read_and_leave(operation, &slot, |_, part| add(&mut values, part))?;
        Ok(Some(values))
    }

    fn abort(&self, message: &str) {
        self.shared.fail(self.rank, Error::Rank { rank: self.rank, message: message.into() });
    }
}

/// Copies `part` to the front of `rest` and cuts it off; false if it is not `count`
/// bytes long.
fn append(rest: &mut &mut [u8], count: usize, part: &[u8]) -> bool {
    let fits = part.len() == count && count <= rest.len();
    if fits {
        let (front, back) = std::mem::take(rest).split_at_mut(count);
        front.copy_from_slice(part);
        *rest = back;
    }
    fits
}

/// Adds the integers in `part` to `sums`, wrapping; false if their numbers differ.
fn add(sums: &mut [i64], part: &[u8]) -> bool {
    let values = part.chunks_exact(8).map(bytemuck::pod_read_unaligned::<i64>);
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum = sum.wrapping_add(value));
    part.len() == 8 * sums.len()
}
