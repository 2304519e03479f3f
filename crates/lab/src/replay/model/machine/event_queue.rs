//! Events of the modelled machine, in an order that puts the next one on top of a heap.

use std::cmp::Ordering;

use crate::replay::model::machine::MachineEvent;

/// An event at a rank.
pub(super) struct Scheduled {
    /// The time, ps.
    pub time: u64,
    /// The order of events at the same time: the smaller number comes first.
    pub number: u64,
    pub rank: usize,
    pub event: MachineEvent,
}

impl Ord for Scheduled {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.time, other.number).cmp(&(self.time, self.number))
    }
}

impl PartialOrd for Scheduled {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scheduled {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Scheduled {}
