//! Time in integer ticks.

/// Ticks of a whole step. It can be halved ten times.
pub const TICKS_PER_STEP: u64 = 1 << 10;

/// Turns ticks into seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    ticks_per_second: f64,
}

impl Clock {
    /// A clock for whole steps of `1 / (frames_per_second * steps_per_frame)` seconds.
    pub fn new(frames_per_second: f64, steps_per_frame: u32) -> Self {
        let steps_per_second = frames_per_second * f64::from(steps_per_frame);
        Self { ticks_per_second: steps_per_second * TICKS_PER_STEP as f64 }
    }

    /// The time after `ticks`, s.
    pub fn seconds(&self, ticks: u64) -> f64 {
        ticks as f64 / self.ticks_per_second
    }
}
