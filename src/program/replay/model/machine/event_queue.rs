//! Events to come on the modelled machine: a queue has the next one on top.

use std::cmp::Ordering;

use crate::program::replay::model::machine::MachineEvent;

/// An event at a rank.
pub(super) struct Scheduled {
    /// When, ps.
    pub time: u64,
    /// Of two events at the same time, the one with the smaller number comes first.
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
