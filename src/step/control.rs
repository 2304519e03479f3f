//! The size of the next attempt.

use crate::contact::settings::OnPinch;
use crate::step::clock::TICKS_PER_STEP;
use crate::step::settings::StepSettings;

/// The size of the next attempt, and whether prescribed bodies wait in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StepControl {
    /// Size of the next attempt, ticks.
    pub ticks: u64,
    /// Whether obstacles and handles wait for the rest of this step.
    pub held: bool,
}

impl StepControl {
    /// A whole step.
    pub fn new() -> Self {
        Self { ticks: TICKS_PER_STEP, held: false }
    }

    /// Whether half the present step is allowed. A pinched step may become as small as one tick,
    /// any other one is halved at most `solver.max_halvings` times.
    pub fn can_halve(&self, settings: &StepSettings, pinched: bool) -> bool {
        let smallest = TICKS_PER_STEP >> settings.solver.max_halvings;
        self.ticks / 2 >= if pinched { 1 } else { smallest.max(1) }
    }

    /// After trouble at `now` (ticks), in a whole step that ends at `end`: makes the next attempt
    /// smaller, or lets obstacles and handles wait. False if neither is possible.
    pub fn shrink(&mut self, settings: &StepSettings, pinched: bool, now: u64, end: u64) -> bool {
        if self.can_halve(settings, pinched) {
            self.ticks /= 2;
            return true;
        }
        let hold = settings.contact.on_pinch == OnPinch::Hold;
        if pinched && hold && !self.held {
            self.held = true;
            self.ticks = largest_step(now, end);
            return true;
        }
        false
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
