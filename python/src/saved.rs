//! Saved states with a hash behind them, by which damage is found.

use cloth_sim::error::{Error, Result};
use xxhash_rust::xxh3::xxh3_64;

/// `state` with its hash.
pub fn sealed(mut state: Vec<u8>) -> Vec<u8> {
    let hash = xxh3_64(&state);
    state.extend(hash.to_le_bytes());
    state
}

/// The state in the bytes that [`sealed`] gave.
///
/// # Errors
/// When they are damaged.
pub fn unsealed(saved: &[u8]) -> Result<&[u8]> {
    match saved.split_last_chunk() {
        Some((state, hash)) if xxh3_64(state).to_le_bytes() == *hash => Ok(state),
        _ => {
            let remedy = "give what `Simulation.save` or `RunFolder.state` returned";
            Err(Error::input("the saved state", "the bytes are damaged", remedy))
        }
    }
}
