//! Checks of the bodies of all ranks. All ranks call them.

use xxhash_rust::xxh3::Xxh3;

use crate::record::state_words;
use crate::sync::Synchroniser;
use crate::{Body, Population};
use cloth_core::{Error, Result, World, mix};

/// Counts and hashes of the bodies of all ranks. All except `copies` do not depend on the number of
/// ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Census {
    /// Number of bodies.
    pub bodies: u64,
    /// Wrapping sum of a hash of each id. It changes if one body is lost and another one doubled.
    pub ids: u64,
    /// Wrapping sum of a hash of the id and the state of each body.
    pub states: u64,
    /// Number of shadow copies. It depends on the number of ranks.
    pub copies: u64,
}

/// A hash of the bits of a body's id and state.
pub fn state_hash(body: &Body) -> u64 {
    let mut hasher = Xxh3::with_seed(body.id);
    hasher.update(bytemuck::bytes_of(&state_words(&body.state)));
    hasher.digest()
}

/// Counts all bodies. One all-reduce of four numbers.
///
/// # Errors
/// If a rank fails.
pub fn census(world: &dyn World, population: &Population) -> Result<Census> {
    let own = population.own();
    let sum = |of: &dyn Fn(&Body) -> u64| {
        own.iter().map(|body| of(&body)).fold(0, u64::wrapping_add) as i64
    };
    let ids = sum(&|body| mix(body.id ^ 0x9e37_79b9_7f4a_7c15));
    let mut sums = [own.len() as i64, ids, sum(&state_hash), population.copies().len() as i64];
    world.all_reduce_sum(&mut sums)?;
    let [bodies, ids, states, copies] = sums.map(|sum| sum as u64);
    Ok(Census { bodies, ids, states, copies })
}

impl Synchroniser {
    /// Compares each shadow copy with its owner's body, by hashes of all bits, and checks that
    /// owners and holders know each other. One communication. All ranks call it.
    ///
    /// # Errors
    /// If a copy differs, is missing or is unknown to its owner, or if a rank fails.
    pub fn check_copies(&mut self, world: &dyn World, population: &Population) -> Result<()> {
        let rank = u64::from(self.region().rank());
        let copies = population.own_count()..population.len();
        let hashes: Vec<_> = copies
            .map(|place| (place as u32, [rank, state_hash(&population.bodies().at(place))]))
            .collect();
        let mut received = Vec::new();
        self.send_to_owners(world, population, &hashes, &mut received)?;
        received.sort_unstable();
        let mut received = received.into_iter().peekable();
        for (place, body) in population.own().iter().enumerate() {
            let mut holders = population.links()[place].ranks.iter();
            while let Some((_, [holder, hash])) =
                received.next_if(|&(other, _)| other as usize == place)
            {
                if holders.next().map(|&rank| u64::from(rank)) != Some(holder) {
                    return Err(differs(rank, &body, "is held by others than its owner knows"));
                }
                if hash != state_hash(&body) {
                    let cause = format!("has another state on rank {holder}");
                    return Err(differs(rank, &body, &cause));
                }
            }
            if holders.next().is_some() {
                return Err(differs(rank, &body, "is held by fewer than its owner knows"));
            }
        }
        // Any hash left over is about a body that this rank does not own.
        match received.next() {
            None => Ok(()),
            Some((place, [holder, _])) => {
                let cause = format!("is taken for one of this rank by rank {holder}");
                Err(differs(rank, &population.bodies().at(place as usize), &cause))
            }
        }
    }
}

fn differs(rank: u64, body: &Body, cause: &str) -> Error {
    Error::internal(format!("shadow copies of rank {rank}"), format!("body {} {cause}", body.id))
}
