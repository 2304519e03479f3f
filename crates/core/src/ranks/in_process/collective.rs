//! Collective operations between the ranks of one process.
//!
//! Every collective works in the same way: each rank stores its part, and once all
//! parts are there, each rank reads those that it needs. All ranks call collectives
//! in one order, so calls with the same number, the *generation*, belong together.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::ranks::in_process::mailbox::lock;

/// Slots made at the start. Blocking collectives use two at a time: one rank may
/// be in the next while another has not left the last.
const SLOTS: usize = 4;
/// Bytes reserved for each part at the start, so that reductions never allocate.
const PART_BYTES: usize = 1024;

/// The collectives in progress.
pub(super) struct Collectives {
    size: usize,
    slots: Mutex<Slots>,
}

struct Slots {
    /// Generation of the first active slot.
    oldest: u64,
    active: VecDeque<Arc<Slot>>,
    /// Used in turn, so that all buffers reach their size within a few calls.
    free: VecDeque<Arc<Slot>>,
}

/// The operation that a rank calls; all ranks must call the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Barrier,
    AllReduceSum,
    AllGather,
    Gather,
    Broadcast,
}

impl Operation {
    /// The operation in error messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Barrier => "a barrier",
            Self::AllReduceSum => "an all-reduce (sum)",
            Self::AllGather => "an all-gather",
            Self::Gather => "a gather",
            Self::Broadcast => "a broadcast",
        }
    }
}

/// One collective call.
pub(super) struct Slot {
    parts: Vec<RwLock<RankPart>>,
    arrived: AtomicUsize,
    left: AtomicUsize,
}

struct RankPart {
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

    /// Notes that a rank has read the parts that it needs; the last rank frees the slot.
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
        let part =
            || RankPart { operation: Operation::Barrier, bytes: Vec::with_capacity(PART_BYTES) };
        Self {
            parts: (0..size).map(|_| RwLock::new(part())).collect(),
            arrived: AtomicUsize::new(0),
            left: AtomicUsize::new(0),
        }
    }

    /// Stores the part of `rank`.
    pub fn store(&self, rank: usize, operation: Operation, bytes: &[u8]) {
        let mut part = self.parts[rank].write().unwrap_or_else(PoisonError::into_inner);
        part.operation = operation;
        part.bytes.clear();
        part.bytes.extend_from_slice(bytes);
    }

    /// Counts a rank whose part is stored. Returns whether it is the last one.
    pub fn arrive(&self) -> bool {
        self.arrived.fetch_add(1, Ordering::Release) + 1 == self.parts.len()
    }

    /// Whether all parts are stored.
    pub fn is_complete(&self) -> bool {
        self.arrived.load(Ordering::Acquire) == self.parts.len()
    }

    /// Calls `with` on the part of `rank`: its operation and its bytes.
    pub fn read<R>(&self, rank: usize, with: impl FnOnce(Operation, &[u8]) -> R) -> R {
        let part = self.parts[rank].read().unwrap_or_else(PoisonError::into_inner);
        with(part.operation, &part.bytes)
    }
}
