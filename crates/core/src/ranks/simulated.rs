//! A simulated network, for tests of protocols between ranks: messages take random times and
//! overtake each other, unless they have the same sender and the same receiver.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::mix;

/// Random numbers from a seed.
pub struct Random(pub u64);

impl Random {
    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0) % bound
    }
}

/// Events of ranks to come, in order of time.
pub struct EventQueue<E> {
    /// The time of the last event.
    pub now: u64,
    queue: BinaryHeap<Reverse<(u64, usize)>>,
    /// By number: the rank and its event.
    events: Vec<Option<(usize, E)>>,
    /// When the last message from one rank to another arrives.
    last: Vec<u64>,
    ranks: usize,
}

impl<E> EventQueue<E> {
    /// No events of `ranks` ranks.
    pub fn new(ranks: usize) -> Self {
        let last = vec![0; ranks * ranks];
        Self { now: 0, queue: BinaryHeap::new(), events: Vec::new(), last, ranks }
    }

    /// Plans `event` of `rank`.
    pub fn at(&mut self, time: u64, rank: usize, event: E) {
        self.queue.push(Reverse((time, self.events.len())));
        self.events.push(Some((rank, event)));
    }

    /// Sends a message, whose arrival is `event` of rank `to`. It takes `delay`, or longer behind
    /// an earlier one.
    pub fn send(&mut self, from: usize, to: usize, delay: u64, event: E) {
        let last = &mut self.last[from * self.ranks + to];
        *last = (*last + 1).max(self.now + delay);
        let time = *last;
        self.at(time, to, event);
    }

    /// The next event and its rank. Its time is now.
    pub fn take(&mut self) -> Option<(usize, E)> {
        let Reverse((time, number)) = self.queue.pop()?;
        self.now = time;
        self.events[number].take()
    }

    /// Events that were ever planned.
    pub fn planned(&self) -> usize {
        self.events.len()
    }
}
