//! Time in integer ticks.

use crate::time::scheme::{Integrator, Scheme};
use crate::time::sizes::StepsPerFrame;

/// Ticks of a whole step, which can be halved ten times. Steps that a run chooses are larger by
/// powers of two.
pub const TICKS_PER_STEP: u64 = 1 << 10;

/// The smallest step that is tried before a body that is on time must wait, ticks. With a larger
/// one, bodies wait that would find room in smaller steps. A smaller one costs solves. The scenes
/// `pinch.ron` and `press.ron` decided it (docs/methods.md, section 8).
pub(crate) const SMALLEST_TICKS: u64 = TICKS_PER_STEP / 16;

/// Turns ticks into seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    ticks_per_second: f64,
    /// Ticks of the largest step.
    largest: u64,
}

impl Clock {
    /// A clock for whole steps as small as `steps_per_frame` allows.
    pub fn new(frames_per_second: f64, steps_per_frame: StepsPerFrame) -> Self {
        let (most, least) = (steps_per_frame.at_most(), steps_per_frame.at_least());
        let steps_per_second = frames_per_second * f64::from(most);
        let largest = TICKS_PER_STEP * u64::from(most / least.max(1));
        Self { ticks_per_second: steps_per_second * TICKS_PER_STEP as f64, largest }
    }

    /// Ticks of the largest step.
    pub fn largest(&self) -> u64 {
        self.largest
    }

    /// The time after `ticks`, s.
    pub fn seconds(&self, ticks: u64) -> f64 {
        ticks as f64 / self.ticks_per_second
    }
}

/// One step in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Span {
    /// Size, ticks.
    pub ticks: u64,
    /// Size, s.
    pub duration_s: f64,
    /// Size of the whole step that it is or that it is a part of, s.
    pub whole_s: f64,
    /// The time scheme for this size.
    pub scheme: Scheme,
    /// Time at its start, s.
    pub t0_s: f64,
    /// Time at its end, s.
    pub t1_s: f64,
}

impl Span {
    /// The step that begins at `start` and lasts for `ticks`, both in ticks. Parts of a step are
    /// Euler's: a step is divided because its solution had trouble.
    pub fn new(clock: &Clock, integrator: Integrator, start: u64, ticks: u64) -> Self {
        let integrator = if ticks < TICKS_PER_STEP { Integrator::Euler } else { integrator };
        Self {
            ticks,
            duration_s: clock.seconds(ticks),
            whole_s: clock.seconds(ticks.max(TICKS_PER_STEP)),
            scheme: Scheme::new(integrator, clock.seconds(ticks)),
            t0_s: clock.seconds(start),
            t1_s: clock.seconds(start + ticks),
        }
    }
}
