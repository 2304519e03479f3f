//! The one way to wait: look again and again for a moment, then sleep.
//!
//! Every wait of the library repeats a test through [`wait`], with either transport. A thread that
//! keeps its core while it waits takes it from the thread that it waits for, or from another
//! program. A thread that yields instead is late by whole time slices (some ms) as soon as another
//! program wants the core. So a waiting thread sleeps, and the thread that ends its wait wakes it.
//!
//! Measured on 2 cores, tablecloth, whole runs beside one busy program on each core against alone:
//!
//! | | yield | sleep |
//! |---|---|---|
//! | 2 ranks, threads of one process | 13.9 | 1.8 |
//! | 2 ranks, MPI processes | 26 | 1.5 |

use std::convert::Infallible;
use std::time::{Duration, Instant};

/// Tests before the first look at the clock.
const TESTS: u32 = 16;

/// How long a thread spins, and how it rests then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    spin: Duration,
    nap: Duration,
}

impl Patience {
    /// For a wait that another thread of this process ends: it changes what the test reads, then
    /// unparks the waiting thread. The nap is long, and only a net: a token of
    /// [`std::thread::Thread::unpark`] may be taken by a wait in a library. A longer spin than
    /// 20 us slows down what shares the core (4 ranks on 2 cores: 1.16 s without spin, 1.19 s with
    /// 10 us, 1.34 s with 50 us).
    pub const UNPARKED: Self =
        Self { spin: Duration::from_micros(10), nap: Duration::from_millis(1) };

    /// For a wait that another rank of this process ends, where each rank has a core. Its work
    /// takes some 10 us longer or shorter than ours, and to wake up takes some 50 us. On two ranks
    /// the tablecloth at 4 ms takes 10.6 to 13.3 s with 10 us, 9.7 to 11.4 s with this. Beside a busy
    /// program on each core it takes 7 % longer.
    pub const RANK: Self = Self { spin: Duration::from_micros(100), nap: Duration::from_millis(1) };

    /// For a wait that a message of another process ends. Nobody unparks the thread, and a nap
    /// takes some 60 us longer than asked for. So it spins longer than most messages take.
    pub const POLLING: Self =
        Self { spin: Duration::from_micros(100), nap: Duration::from_micros(20) };

    /// Like [`Self::POLLING`], where there are more ranks than cores.
    pub const CROWDED: Self = Self { spin: Duration::ZERO, nap: Duration::from_micros(20) };
}

/// Repeats `test` until it has a result.
///
/// # Errors
/// Those of `test`.
pub fn wait<T, E>(
    patience: Patience,
    mut test: impl FnMut() -> Result<Option<T>, E>,
) -> Result<T, E> {
    for _ in 0..TESTS {
        if let Some(result) = test()? {
            return Ok(result);
        }
        std::hint::spin_loop();
    }
    let start = Instant::now();
    loop {
        if let Some(result) = test()? {
            return Ok(result);
        }
        if start.elapsed() < patience.spin {
            std::hint::spin_loop();
        } else {
            std::thread::park_timeout(patience.nap);
        }
    }
}

/// Like [`wait`], for a test that cannot fail.
pub fn wait_for<T>(patience: Patience, mut test: impl FnMut() -> Option<T>) -> T {
    let Ok(result) = wait(patience, || Ok::<_, Infallible>(test()));
    result
}
