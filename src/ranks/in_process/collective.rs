//! Collective operations between the ranks of one process.
//!
//! Every collective is the same: each rank lays down its part, and once all
//! have, each reads the parts that it needs. Ranks call collectives in one
//! order, so the number of the call, its *generation*, says which belong together.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::ranks::in_process::mailbox::lock;

/// Slots made at the start. Blocking collectives use two at a time (one rank may
/// be in the next while another has not left the last).
const SLOTS: usize = 4;
/// Bytes set aside for each part at the start: reductions never allocate.
const PART_BYTES: usize = 1024;

/// The collectives that some rank is in.
pub(super) struct Collectives {
    size: usize,
    slots: Mutex<Slots>,
}

struct Slots {
    /// Generation of the first active slot.
    oldest: u64,
    active: VecDeque<Arc<Slot>>,
    /// Taken in turn, so that all buffers grow to their size within a few calls.
    free: VecDeque<Arc<Slot>>,
}

/// Which collective a rank is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Barrier,
    AllReduceSum,
    AllReduceMin,
    AllGather,
    Gather,
    Broadcast,
}

impl Operation {
    pub fn name(self) -> &'static str {
        match self {
            Self::Barrier => "a barrier",
            Self::AllReduceSum => "an all-reduce (sum)",
            Self::AllReduceMin => "an all-reduce (minimum)",
            Self::AllGather => "an all-gather",
            Self::Gather => "a gather",
            Self::Broadcast => "a broadcast",
        }
    }
}

/// One collective call.
pub(super) struct Slot {
    parts: Vec<RwLock<Part>>,
    arrived: AtomicUsize,
    left: AtomicUsize,
}

struct Part {
    operation: Operation,
    bytes: Vec<u8>,
}

impl Collectives {
    pub fn new(size: usize) -> Self {
        let free = (0..SLOTS).map(|_| Arc::new(Slot::new(size))).collect();
        let active = VecDeque::with_capacity(SLOTS);
        Self { size, slots: Mutex::new(Slots { oldest: 0, active, free }) }
    }

    /// The slot of a rank's call number `generation`.
    pub fn enter(&self, generation: u64) -> Arc<Slot> {
        let mut slots = lock(&self.slots);
        let index = (generation - slots.oldest) as usize;
        while slots.active.len() <= index {
            let slot = slots.free.pop_front().unwrap_or_else(|| Arc::new(Slot::new(self.size)));
            slots.active.push_back(slot);
        }
        Arc::clone(&slots.active[index])
    }

    /// The rank has read what it needs; the last one frees the slot.
    pub fn leave(&self, slot: &Slot) {
        if slot.left.fetch_add(1, Ordering::AcqRel) + 1 < self.size {
            return;
        }
        let mut slots = lock(&self.slots);
        while slots
            .active
            .front()
            .is_some_and(|slot| slot.left.load(Ordering::Acquire) == self.size)
        {
            let Some(slot) = slots.active.pop_front() else { return };
            slot.arrived.store(0, Ordering::Relaxed);
            slot.left.store(0, Ordering::Relaxed);
            slots.free.push_back(slot);
            slots.oldest += 1;
        }
    }
}

impl Slot {
    fn new(size: usize) -> Self {
        let part = || Part { operation: Operation::Barrier, bytes: Vec::with_capacity(PART_BYTES) };
        Self {
            parts: (0..size).map(|_| RwLock::new(part())).collect(),
            arrived: AtomicUsize::new(0),
            left: AtomicUsize::new(0),
        }
    }

    /// Lays down the part of `rank`.
    pub fn lay_down(&self, rank: usize, operation: Operation, bytes: &[u8]) {
        let mut part = self.parts[rank].write().unwrap_or_else(PoisonError::into_inner);
        part.operation = operation;
        part.bytes.clear();
        part.bytes.extend_from_slice(bytes);
    }

    /// Counts a rank whose part lies here.
    pub fn arrive(&self) {
        self.arrived.fetch_add(1, Ordering::Release);
    }

    /// Whether all parts lie here.
    pub fn is_complete(&self) -> bool {
        self.arrived.load(Ordering::Acquire) == self.parts.len()
    }

    /// Reads the part of `rank`: which operation it belongs to, and its bytes.
    pub fn read<R>(&self, rank: usize, with: impl FnOnce(Operation, &[u8]) -> R) -> R {
        let part = self.parts[rank].read().unwrap_or_else(PoisonError::into_inner);
        with(part.operation, &part.bytes)
    }
}
