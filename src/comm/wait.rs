//! Waiting is one helper.
//!
//! Every wait of the program, whichever the transport, is a test repeated by
//! [`wait`]: blocking MPI calls spin, and with more ranks than cores a spinning
//! rank holds the core that the awaited one needs.

use crate::error::Result;

/// Tests before the first yield, about a microsecond. Decided by all-reduces of
/// 2 and 4 in-process ranks on 2 cores: 16 to 256 measure alike, 2,000 and more
/// cost tens of microseconds as soon as there are more ranks than cores.
const SPINS: u32 = 64;

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
