//! The size of the next attempt.

use crate::step::clock::TICKS_PER_STEP;
use crate::step::settings::StepSettings;

/// The size of the next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StepControl {
    /// Size of the next attempt, ticks.
    pub ticks: u64,
}

impl StepControl {
    /// A whole step.
    pub fn new() -> Self {
        Self { ticks: TICKS_PER_STEP }
    }

    /// Whether half the present step is allowed. A pinched step may become as small as one tick,
    /// any other one is halved at most `solver.max_halvings` times.
    pub fn can_halve(&self, settings: &StepSettings, pinched: bool) -> bool {
        let smallest = TICKS_PER_STEP >> settings.solver.max_halvings;
        self.ticks / 2 >= if pinched { 1 } else { smallest.max(1) }
    }

    /// After trouble: makes the next attempt smaller. False if it is the smallest already.
    pub fn shrink(&mut self, settings: &StepSettings, pinched: bool) -> bool {
        let can = self.can_halve(settings, pinched);
        if can {
            self.ticks /= 2;
        }
        can
    }

    /// Makes the next attempt, at `now` (ticks), the largest in a whole step that ends at `end`.
    pub fn enlarge(&mut self, now: u64, end: u64) {
        self.ticks = largest_step(now, end);
    }

    /// After an attempt that ended at `now` (ticks), in a whole step that ends at `end`: doubles a
    /// halved step again where it fits.
    pub fn grow(&mut self, now: u64, end: u64) {
        let doubled = 2 * self.ticks;
        let aligned = now.is_multiple_of(doubled);
        if now == end {
            self.ticks = TICKS_PER_STEP.min(if aligned { doubled } else { self.ticks });
        } else if aligned && now + doubled <= end {
            self.ticks = doubled;
        }
    }
}

/// The largest aligned step from `now` on that ends at `end` or before.
fn largest_step(now: u64, end: u64) -> u64 {
    let mut step = TICKS_PER_STEP;
    while !now.is_multiple_of(step) || now + step > end {
        step /= 2;
    }
    step
}
