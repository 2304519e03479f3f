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
    /// If a rank fails, or a worker has the engine `Rapier`: what it remembers cannot be saved.
    pub fn save(&self) -> Result<Vec<u8>> {
        if self.settings.has_rapier() {
            let cause = "what the engine `Rapier` remembers from step to step cannot be saved";
            return Err(Error::input("parallel.engines", cause, "write `engines: [Own]`"));
        }
        if self.world.rank() != 0 {
            return Ok(Vec::new());
        }
        let count = u64::from(self.settings.count).to_le_bytes();
        let length = (self.homes.len() as u64).to_le_bytes();
        let bodies = self.whole.save()?;
        Ok([&MARK[..], &count, &length, &self.homes, &bodies].concat())
    }

    /// Replaces the state by a saved state of the same model. All ranks call it between steps, each
    /// with all bytes that [`WorkerSimulation::save`] returned on rank 0. Every further step has the
    /// same bits as after the save.
    ///
    /// A state of another number of workers, or of a [`RigidSimulation`](crate::rigid::RigidSimulation), replaces the bodies, and
    /// their homes stay.
    ///
    /// # Errors
    /// If the bytes are damaged, or the model does not take their bodies; then nothing changes.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<()> {
        let (homes, bodies) = match bytes.strip_prefix(&MARK) {
            None => (None, bytes),
            Some(rest) => {
                let (count, homes, bodies) =
                    parts(rest).ok_or_else(|| unsound("its head is damaged"))?;
                let is_sound = homes.iter().all(|&home| u64::from(home) < count);
                if homes.len() != self.homes.len() || !is_sound {
                    return Err(unsound("its homes are those of other bodies"));
                }
                (Some(homes).filter(|_| count == u64::from(self.settings.count)), bodies)
            }
        };
        let before = self.whole.save()?;
        self.whole.restore(bodies)?;
        let restored = self.whole.population().bodies();
        let has_home = |place| (restored.id(place) as usize) < self.homes.len();
        if !(0..restored.len()).all(has_home) {
            self.whole.restore(&before)?;
            return Err(unsound("it has bodies without homes"));
        }
        homes.iter().for_each(|homes| self.homes.copy_from_slice(homes));
        // Sets and weights are those of a step before.
        self.ids.clear();
        Ok(())
    }

    /// A hash of the state. It does not depend on the number of ranks. If two hashes are equal, all
    /// further steps are equal, unless a worker has the engine `Rapier`. One worker has the hash of
    /// the domain run.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn hash(&self) -> Result<u64> {
        let bodies = self.whole.hash()?;
        Ok(if self.settings.count == 1 { bodies } else { mix(bodies ^ xxh3_64(&self.homes)) })
    }
}

/// The number of workers, the homes, and the bytes of the bodies.
fn parts(bytes: &[u8]) -> Option<(u64, &[u8], &[u8])> {
    let (count, rest) = bytes.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (homes, bodies) = rest.split_at_checked(length)?;
    Some((u64::from_le_bytes(*count), homes, bodies))
}

/// The error for bytes that are no saved state of this simulation.
fn unsound(cause: &str) -> Error {
    let remedy = "restore all bytes that `save` gave on rank 0, in a simulation of the same model";
    Error::input("saved state of workers", cause, remedy)
}
