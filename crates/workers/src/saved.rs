//! Saves, restores and hashes the state: that of all bodies, the number of workers, the homes, and
//! sets that follow those of the step before.

use bytemuck::cast_slice;
use xxhash_rust::xxh3::xxh3_64;

use crate::settings::{MOST_WORKERS, WorkerCount};
use crate::simulation::WorkerSimulation;
use cloth_core::{Error, Result, mix};

const MARK: [u8; 8] = *b"workers\x01";

/// The mark of a state with sets.
const MARK_OF_SETS: [u8; 8] = *b"workers\x02";

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
        if self.rank() != 0 {
            return Ok(Vec::new());
        }
        let count = (self.count as u64).to_le_bytes();
        let length = (self.homes.len() as u64).to_le_bytes();
        let bodies = self.whole.save()?;
        let (mark, sets) = match &self.published {
            None => (MARK, Vec::new()),
            Some(published) => {
                let words = published.words();
                let length = (words.len() as u64).to_le_bytes();
                (MARK_OF_SETS, [&length, cast_slice(&words)].concat())
            }
        };
        Ok([&mark[..], &count, &length, &self.homes, &sets, &bodies].concat())
    }

    /// Replaces the state by a saved state of the same model. All ranks call it between steps, each
    /// with all bytes that [`WorkerSimulation::save`] returned on rank 0. Every further step has the
    /// same bits as after the save.
    ///
    /// A state of another number of workers, or of a [`RigidSimulation`](cloth_rigid::RigidSimulation), replaces the bodies, and
    /// their homes stay. If the number may change, it replaces the homes too. If it has no sets,
    /// those that follow a step begin anew.
    ///
    /// # Errors
    /// If the bytes are damaged, or the model does not take their bodies; then nothing changes.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<()> {
        let Parts { count, homes, sets, bodies } =
            parts(bytes).ok_or_else(|| unsound("its head is damaged"))?;
        let is_sound =
            count <= u64::from(MOST_WORKERS) && homes.iter().all(|&home| u64::from(home) < count);
        if count > 0 && (homes.len() != self.homes.len() || !is_sound) {
            return Err(unsound("its homes are those of other bodies"));
        }
        let is_same = match self.settings.count {
            WorkerCount::Fixed(own) => count == u64::from(own),
            WorkerCount::ByWork(_) => count > 0,
        };
        let homes = if is_same { homes.to_vec() } else { self.homes.clone() };
        let published = match (&self.published, sets.filter(|_| is_same)) {
            (Some(now), Some(words)) => {
                let sets = now.of_words(&words, &homes, count);
                Some(sets.ok_or_else(|| unsound("its sets are damaged"))?)
            }
            (now, _) => now.as_ref().map(|now| now.anew(&homes)),
        };
        let before = self.whole.save()?;
        self.whole.restore(bodies)?;
        let restored = self.whole.population().bodies();
        let has_home = |place| (restored.id(place) as usize) < self.homes.len();
        if !(0..restored.len()).all(has_home) {
            self.whole.restore(&before)?;
            return Err(unsound("it has bodies without homes"));
        }
        (self.homes, self.published) = (homes, published);
        // Sets and weights are those of a step before.
        self.ids.clear();
        if is_same { self.resize(count as usize) } else { Ok(()) }
    }

    /// A hash of the state. It does not depend on the number of ranks. If two hashes are equal, all
    /// further steps are equal, unless a worker has the engine `Rapier`. One worker that stays
    /// alone has the hash of the domain run.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn hash(&self) -> Result<u64> {
        let bodies = self.whole.hash()?;
        if self.settings.count == WorkerCount::Fixed(1) {
            return Ok(bodies);
        }
        let mut homes = mix(bodies ^ xxh3_64(&self.homes));
        if self.settings.count.target().is_some() {
            homes = mix(homes ^ self.count as u64);
        }
        let sets = self.published.as_ref().map(|sets| xxh3_64(cast_slice(&sets.words())));
        Ok(sets.map_or(homes, |sets| mix(homes ^ sets)))
    }
}

/// The bodies of a saved state with or without workers, for
/// [`RigidSimulation::restore`](cloth_rigid::RigidSimulation::restore).
pub fn bodies_of(saved: &[u8]) -> &[u8] {
    parts(saved).map_or(saved, |parts| parts.bodies)
}

/// A saved state. That of the bodies alone has no workers.
struct Parts<'a> {
    count: u64,
    homes: &'a [u8],
    sets: Option<Vec<u64>>,
    bodies: &'a [u8],
}

/// The parts of saved bytes. None if the head is damaged.
fn parts(bytes: &[u8]) -> Option<Parts<'_>> {
    let (mark, rest) = bytes.split_at_checked(MARK.len()).unwrap_or_default();
    if ![MARK, MARK_OF_SETS].iter().any(|it| it == mark) {
        return Some(Parts { count: 0, homes: &[], sets: None, bodies: bytes });
    }
    let (count, rest) = rest.split_first_chunk()?;
    let count = Some(u64::from_le_bytes(*count)).filter(|&count| count > 0)?;
    let (homes, rest) = listed(rest, 1)?;
    if mark == MARK {
        return Some(Parts { count, homes, sets: None, bodies: rest });
    }
    let (words, bodies) = listed(rest, size_of::<u64>())?;
    let sets = words.as_chunks().0.iter().map(|&word| u64::from_ne_bytes(word)).collect();
    Some(Parts { count, homes, sets: Some(sets), bodies })
}

/// A list of items of `size` bytes after their number, and the rest.
fn listed(bytes: &[u8], size: usize) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    rest.split_at_checked(length.checked_mul(size)?)
}

/// The error for bytes that are no saved state of this simulation.
fn unsound(cause: &str) -> Error {
    let remedy = "restore all bytes that `save` gave on rank 0, in a simulation of the same model";
    Error::input("saved state of workers", cause, remedy)
}
