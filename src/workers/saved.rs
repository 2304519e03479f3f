//! Saves, restores and hashes the state: that of all bodies, and the homes.

use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, Result};
use crate::math::mix;
use crate::workers::simulation::WorkerSimulation;

const MARK: [u8; 8] = *b"workers\x01";

impl WorkerSimulation<'_> {
    /// The state as bytes on rank 0; other ranks get no bytes. The bytes do not depend on the
    /// number of ranks. All ranks call it between steps.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn save(&self) -> Result<Vec<u8>> {
        if self.world.rank() != 0 {
            return Ok(Vec::new());
        }
        let count = (self.homes.len() as u64).to_le_bytes();
        let bodies = self.whole.save()?;
        Ok([&MARK[..], &count, &self.homes, &bodies].concat())
    }

    /// Replaces the state by a saved state of the same model with the same number of workers. All
    /// ranks call it between steps, each with all bytes that [`WorkerSimulation::save`] returned on
    /// rank 0. Every further step has the same bits as after the save.
    ///
    /// # Errors
    /// If the bytes are damaged, or the model does not take their bodies; then nothing changes.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<()> {
        let (homes, bodies) = homes_of(bytes).ok_or_else(|| unsound("its head is damaged"))?;
        let is_worker = |&home: &u8| u32::from(home) < self.settings.count;
        if homes.len() != self.homes.len() || !homes.iter().all(is_worker) {
            return Err(unsound("its homes are those of other bodies or workers"));
        }
        self.whole.restore(bodies)?;
        self.homes.copy_from_slice(homes);
        // Sets and weights are those of a step before.
        self.ids.clear();
        Ok(())
    }

    /// A hash of the state. It does not depend on the number of ranks. If two hashes are equal, all
    /// further steps are equal. One worker has the hash of the domain run.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn hash(&self) -> Result<u64> {
        let bodies = self.whole.hash()?;
        Ok(if self.settings.count == 1 { bodies } else { mix(bodies ^ xxh3_64(&self.homes)) })
    }
}

/// The homes, and the bytes of the bodies.
fn homes_of(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = bytes.strip_prefix(&MARK)?;
    let (count, rest) = rest.split_first_chunk()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*count)).ok()?)
}

/// The error for bytes that are no saved state of this simulation.
fn unsound(cause: &str) -> Error {
    let remedy = "restore all bytes that `save` gave on rank 0, in a simulation of the same model";
    Error::input("saved state of workers", cause, remedy)
}
