//! Where messages lie between two ranks of one process.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::ranks::{Message, Tag};

/// The messages sent to one rank, in the order of their arrival.
#[derive(Default)]
pub(super) struct Mailbox {
    queues: Mutex<BTreeMap<Tag, VecDeque<Parcel>>>,
    /// Number of messages: an empty mailbox is polled without its lock.
    waiting: AtomicUsize,
}

struct Parcel {
    message: Message,
    stage: Stage,
}

/// How far a message is. Strict mode goes through all three, as MPI does with
/// large messages: the receiver asks, then the sender, at its next call, gives.
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
        queues.entry(tag).or_default().push_back(Parcel { message, stage });
        self.waiting.fetch_add(1, Ordering::Release);
    }

    /// Takes the oldest message with `tag` from rank `from` (any if `None`).
    pub fn take(&self, from: Option<usize>, tag: Tag) -> Option<Message> {
        if self.waiting.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut queues = lock(&self.queues);
        let queue = queues.get_mut(&tag)?;
        let wanted = |parcel: &Parcel| from.is_none_or(|rank| parcel.message.from == rank);
        let at = queue.iter().position(wanted)?;
        if queue[at].stage != Stage::Given {
            queue[at].stage = Stage::Asked;
            return None;
        }
        self.waiting.fetch_sub(1, Ordering::Release);
        queue.remove(at).map(|parcel| parcel.message)
    }

    /// Gives what rank `from` sent and was asked for.
    pub fn give(&self, from: usize) {
        for parcel in lock(&self.queues).values_mut().flatten() {
            if parcel.message.from == from && parcel.stage == Stage::Asked {
                parcel.stage = Stage::Given;
            }
        }
    }

    /// Whether a message of rank `from` lies here.
    pub fn holds_from(&self, from: usize) -> bool {
        lock(&self.queues).values().flatten().any(|parcel| parcel.message.from == from)
    }
}

/// What one rank sends to one neighbour in exchanges: a queue of buffers that
/// go back and forth, so that nothing is allocated once it has warmed up.
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

    /// Moves the oldest message to `into`; its length, which should be that of
    /// `into`, or `None` if there is no message yet.
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

/// No code panics while it holds a lock of this module, so a poisoned lock
/// guards sound data.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
