//! The processor time of a thread.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// Processor time of the calling thread; zero if the system does not say.
pub fn thread_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}
