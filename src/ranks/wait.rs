//! Waiting is one helper.
//!
//! Every wait of the program, whichever the transport, is a test repeated by
//! [`wait`]: blocking MPI calls spin, and with more ranks than cores a spinning
//! rank holds the core that the awaited one needs.

use crate::error::Result;

/// Tests before the first yield. Decided by all-reduces and ghost exchanges of 2, 4
/// and 7 in-process ranks on 2 busy cores: 1 to 64 measure alike (an all-reduce of 4
/// ranks 18 to 36 us), 256 takes twice as long, 4,000 takes 0.6 ms and more.
const SPINS: u32 = 16;

/// Repeats `test` until it has a result. `test` is a call of [`super::World`]
/// or ends in one, so it fails once the world is poisoned, and the wait with it.
///
/// # Errors
/// Those of `test`.
pub fn wait<T>(mut test: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    for _ in 0..SPINS {
        if let Some(result) = test()? {
            return Ok(result);
        }
        std::hint::spin_loop();
    }
    loop {
        if let Some(result) = test()? {
            return Ok(result);
        }
        std::thread::yield_now();
    }
}
