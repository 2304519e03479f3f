//! Messages between two ranks of one process, from their sending to their receipt.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::ranks::{Message, Tag};

/// The messages sent to one rank, in the order of their arrival.
#[derive(Default)]
pub(super) struct Mailbox {
    queues: Mutex<BTreeMap<Tag, VecDeque<Queued>>>,
    /// Number of messages: an empty mailbox is polled without its lock.
    waiting: AtomicUsize,
}

struct Queued {
    message: Message,
    stage: Stage,
}

/// The stage of a message. Strict mode goes through all three, like MPI with large
/// messages: the receiver asks, then the sender hands over at its next call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// The receiver has not asked for it.
    Offered,
    /// The receiver has asked; the sender has not called since.
    Asked,
    /// The receiver may take it.
    Given,
}

impl Mailbox {
    /// Appends a message.
    pub fn put(&self, tag: Tag, message: Message, stage: Stage) {
        let mut queues = lock(&self.queues);
        queues.entry(tag).or_default().push_back(Queued { message, stage });
        self.waiting.fetch_add(1, Ordering::Release);
    }

    /// Takes the oldest message with `tag` from rank `from` (any if `None`).
    pub fn take(&self, from: Option<usize>, tag: Tag) -> Option<Message> {
        if self.waiting.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut queues = lock(&self.queues);
        let queue = queues.get_mut(&tag)?;
        let wanted = |queued: &Queued| from.is_none_or(|rank| queued.message.from == rank);
        let at = queue.iter().position(wanted)?;
        if queue[at].stage != Stage::Given {
            queue[at].stage = Stage::Asked;
            return None;
        }
        self.waiting.fetch_sub(1, Ordering::Release);
        queue.remove(at).map(|queued| queued.message)
    }

    /// Hands over the messages of rank `from` that their receiver has asked for.
    pub fn give(&self, from: usize) {
        for queued in lock(&self.queues).values_mut().flatten() {
            if queued.message.from == from && queued.stage == Stage::Asked {
                queued.stage = Stage::Given;
            }
        }
    }

    /// Whether a message of rank `from` is still here.
    pub fn holds_from(&self, from: usize) -> bool {
        lock(&self.queues).values().flatten().any(|queued| queued.message.from == from)
    }
}

/// Exchange messages from one rank to one neighbour: a queue of reused buffers, so
/// that nothing is allocated after the first exchanges.
#[derive(Default)]
pub(super) struct Lane {
    buffers: Mutex<Buffers>,
    waiting: AtomicUsize,
}

#[derive(Default)]
struct Buffers {
    full: VecDeque<Vec<u8>>,
    empty: Vec<Vec<u8>>,
}

impl Lane {
    /// Appends a copy of `bytes`.
    pub fn put(&self, bytes: &[u8]) {
        let mut buffers = lock(&self.buffers);
        if buffers.empty.is_empty() {
            // Two at once: a rank may begin its next exchange while its
            // neighbour has not finished the last one.
            buffers.empty.extend([(); 2].map(|()| Vec::with_capacity(bytes.len())));
            buffers.full.reserve(2);
        }
        let mut buffer = buffers.empty.pop().unwrap_or_default();
        buffer.clear();
        buffer.extend_from_slice(bytes);
        buffers.full.push_back(buffer);
        self.waiting.fetch_add(1, Ordering::Release);
    }

    /// Moves the oldest message to `into` and returns its length; it is copied only if
    /// `into` has that length. `None` if there is no message yet.
    pub fn take(&self, into: &mut [u8]) -> Option<usize> {
        if self.waiting.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut buffers = lock(&self.buffers);
        let buffer = buffers.full.pop_front()?;
        self.waiting.fetch_sub(1, Ordering::Release);
        let length = buffer.len();
        if length == into.len() {
            into.copy_from_slice(&buffer);
        }
        buffers.empty.push(buffer);
        Some(length)
    }
}

/// Locks `mutex`. No code panics while it holds a lock of this module, so the data of
/// a poisoned lock is sound.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
