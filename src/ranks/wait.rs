//! The one way to wait.
//!
//! Every wait of the program repeats a test through [`wait`], with either transport.
//! Blocking MPI calls are not used: they spin, and with more ranks than cores a
//! spinning rank holds the core that the awaited rank needs.

use crate::error::Result;

/// Tests before the first yield. Chosen by measuring all-reduces and ghost exchanges of 2, 4
/// and 7 in-process ranks on 2 busy cores. Values from 1 to 64 take equally long (an all-reduce
/// of 4 ranks 18 to 36 us), 256 takes twice as long, and 4,000 takes 0.6 ms and more.
const SPINS: u32 = 16;

/// Repeats `test` until it has a result. `test` calls [`super::World`], so test and
/// wait fail once the world is poisoned.
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
