//! The time of a step.

use crate::step::clock::Clock;
use crate::step::state::State;

/// One step in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    /// Size, ticks.
    pub ticks: u64,
    /// Size, s.
    pub h: f64,
    /// Time at its start, s.
    pub t0_s: f64,
    /// Time at its end, s.
    pub t1_s: f64,
}

impl Span {
    /// The next `ticks` after `state`.
    pub fn new(clock: &Clock, state: &State, ticks: u64) -> Self {
        Self {
            ticks,
            h: clock.seconds(ticks),
            t0_s: clock.seconds(state.ticks),
            t1_s: clock.seconds(state.ticks + ticks),
        }
    }
}
