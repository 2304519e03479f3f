//! The size of the next attempt.

use serde::{Deserialize, Serialize};

use crate::time::clock::TICKS_PER_STEP;

/// The size of the next attempt. Part of the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepControl {
    /// Size of the next attempt, ticks.
    pub ticks: u64,
    /// Steps of a halved size that must succeed before a larger one is tried.
    wait: u32,
    /// Steps of this size that succeeded.
    succeeded: u32,
    /// Whether the last attempt made the size grow.
    has_grown: bool,
    /// Upper bound of the size that fast obstacles allow, ticks; at most a whole step. Other causes
    /// may halve below it.
    allowed: u64,
}

/// Why an attempt is made smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The last attempt failed.
    Failure,
    /// The energy rose without work.
    Rise,
    /// There was no room.
    Pinch,
    /// An obstacle approaches cloth too fast.
    Speed,
    /// The estimated error of positions is too large.
    Error,
}

/// How often a failed step is halved before the run fails.
const MOST_HALVINGS: u32 = 6;

/// Further halvings for rises of energy. A shot of 60 m/s into a net of two held edges gained 4.9 %
/// at 10 ms without them, and gains 0.2 % with them.
const MORE_FOR_RISES: u32 = 2;

/// Most steps of a halved size before a larger one is tried.
const LONGEST_WAIT: u32 = 16;

impl StepControl {
    /// A whole step.
    pub fn new() -> Self {
        let (ticks, allowed) = (TICKS_PER_STEP, TICKS_PER_STEP);
        Self { ticks, wait: 1, succeeded: 0, has_grown: false, allowed }
    }

    /// Whether these values can occur if the largest step has `largest` ticks.
    pub(super) fn is_possible(&self, largest: u64) -> bool {
        let sizes = [(self.ticks, largest), (self.allowed, TICKS_PER_STEP)];
        sizes.iter().all(|(it, most)| it.is_power_of_two() && it <= most)
            && self.wait <= LONGEST_WAIT
            && self.succeeded <= LONGEST_WAIT
    }

    /// Whether half the present step is allowed. After a failure it is halved at most
    /// [`MOST_HALVINGS`] times, for rises of energy two times more, for want of accuracy until
    /// it is a whole step, for other causes until it is one tick.
    pub(crate) fn can_halve(&self, cause: Cause) -> bool {
        let smallest = match cause {
            Cause::Failure => self.allowed >> MOST_HALVINGS,
            Cause::Rise => self.allowed >> (MOST_HALVINGS + MORE_FOR_RISES),
            Cause::Pinch | Cause::Speed => 1,
            Cause::Error => TICKS_PER_STEP,
        };
        self.ticks / 2 >= smallest.max(1)
    }

    /// Whether half the present step is tried for a rise of energy below its limit. Such rises
    /// halve a step at most twice. If they halved it three times, cloth that crumples under load
    /// would take seven times as long, because contacts change with the step.
    pub(crate) fn can_halve_for_a_rise(&self) -> bool {
        self.ticks > self.allowed / 4
    }

    /// Makes the next attempt smaller after trouble. If a size fails at once after it has grown,
    /// the next growth waits longer. False if the size is the smallest already.
    pub(crate) fn shrink(&mut self, cause: Cause) -> bool {
        let can = self.can_halve(cause);
        if can {
            self.wait = if self.has_grown { (2 * self.wait).min(LONGEST_WAIT) } else { self.wait };
            (self.ticks, self.succeeded, self.has_grown) = (self.ticks / 2, 0, false);
        }
        if cause == Cause::Speed {
            self.allowed = self.ticks.min(TICKS_PER_STEP);
        }
        can
    }

    /// Makes the next attempt, at `now` (ticks), as large as the whole step that ends at `end`
    /// allows.
    pub fn enlarge(&mut self, now: u64, end: u64) {
        self.ticks = largest_step(now, end);
        self.allowed = self.allowed.max(self.ticks.min(TICKS_PER_STEP));
    }

    /// Divides the next step, so that it does not know the last one (docs/methods.md, section 4).
    pub fn forget(&mut self) {
        (self.ticks, self.succeeded) = (self.ticks.min(TICKS_PER_STEP / 2), 0);
    }

    /// Called after an attempt that ended at `now` (ticks), in a whole step that ends at `end`.
    /// Doubles a halved size if enough attempts of this size succeeded and the doubled one fits.
    /// Doubles a whole step only if it `may_double`.
    pub fn grow(&mut self, now: u64, end: u64, may_double: bool) {
        (self.succeeded, self.has_grown) = (self.succeeded + 1, false);
        if self.ticks >= TICKS_PER_STEP && !may_double {
            (self.wait, self.succeeded) = (1, 0);
            return;
        }
        let doubled = 2 * self.ticks;
        let fits = now == end || now + doubled <= end;
        if self.succeeded >= self.wait && now.is_multiple_of(doubled) && fits {
            (self.ticks, self.succeeded, self.has_grown) = (doubled, 0, true);
            self.allowed = self.allowed.max(doubled.min(TICKS_PER_STEP));
        }
    }

    /// The end of the whole step, or of the larger one, that begins or goes on at `now`; ticks.
    pub fn end(&self, now: u64) -> u64 {
        (now + self.ticks).next_multiple_of(TICKS_PER_STEP)
    }
}

impl Default for StepControl {
    fn default() -> Self {
        Self::new()
    }
}

/// The largest aligned step from `now` on that ends at `end` or before.
fn largest_step(now: u64, end: u64) -> u64 {
    let mut step = (end - now).next_power_of_two();
    while !now.is_multiple_of(step) || now + step > end {
        step /= 2;
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs whole steps. Attempts longer than `most` ticks fail. Returns the number of attempts.
    fn attempts(control: &mut StepControl, steps: u64, most: u64) -> u64 {
        let (mut now, mut attempts) = (0, 0);
        while now < steps * TICKS_PER_STEP {
            let end = (now / TICKS_PER_STEP + 1) * TICKS_PER_STEP;
            attempts += 1;
            assert!(now + control.ticks <= end && now.is_multiple_of(control.ticks));
            if control.ticks > most {
                assert!(control.shrink(Cause::Failure));
            } else {
                now += control.ticks;
                control.grow(now, end, false);
            }
        }
        attempts
    }

    #[test]
    fn a_step_that_is_small_for_its_speed_may_fail_as_often_as_any_other() {
        let mut control = StepControl::new();
        let halvings = |mut control: StepControl| {
            (0..).take_while(|_| control.shrink(Cause::Failure)).count() as u32
        };
        assert_eq!(halvings(control), MOST_HALVINGS);
        for _ in 0..3 {
            assert!(control.shrink(Cause::Speed) && control.can_halve_for_a_rise());
        }
        assert_eq!(halvings(control), MOST_HALVINGS);
        // The obstacle is gone.
        let mut now = 0;
        while control.ticks < TICKS_PER_STEP {
            now += control.ticks;
            control.grow(now, now.next_multiple_of(TICKS_PER_STEP), false);
        }
        assert_eq!(halvings(control), MOST_HALVINGS);
    }

    #[test]
    fn a_chosen_size_doubles_where_it_fits_and_halves_to_a_whole_step() {
        let (mut control, mut now) = (StepControl::new(), 0);
        let mut sizes = Vec::new();
        while now < 16 * TICKS_PER_STEP {
            let end = control.end(now);
            sizes.push(control.ticks / TICKS_PER_STEP);
            now += control.ticks;
            control.grow(now, end, control.ticks < 4 * TICKS_PER_STEP);
        }
        assert_eq!(sizes, [1, 1, 2, 4, 4, 4]);
        assert!(control.shrink(Cause::Error) && control.shrink(Cause::Error));
        assert!(!control.shrink(Cause::Error) && control.ticks == TICKS_PER_STEP);
    }

    #[test]
    fn a_size_that_goes_on_failing_is_tried_ever_more_rarely() {
        let mut control = StepControl::new();
        let whole = attempts(&mut control, 100, TICKS_PER_STEP);
        let halves = attempts(&mut control, 100, TICKS_PER_STEP / 2);
        assert_eq!(whole, 100);
        assert!((200..220).contains(&halves), "{halves}");
        // It grows again when nothing fails any more.
        assert!(attempts(&mut control, 100, TICKS_PER_STEP) < 120);
        assert_eq!(control, StepControl::new());
    }
}
