//! All that outlives a step.

use bytemuck::{Pod, Zeroable};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::bodies::cloth::pins::Captured;
use crate::collision::Pair;
use crate::error::Result;
use crate::ids::VertexId;
use crate::math::Vec3;
use crate::ranks::World;

/// The state between two steps: what is hashed, written and continued from.
#[derive(Debug, Clone)]
pub struct State {
    /// Time in ticks (see [`crate::step::clock::Clock`]).
    pub ticks: u64,
    /// Ticks by which obstacles and handles have fallen behind, as they were held.
    pub lag_ticks: u64,
    /// Positions of all cloth vertices, m; the same on every rank.
    pub positions: Vec<Vec3>,
    /// Velocities of all cloth vertices, m/s; the same on every rank.
    pub velocities: Vec<Vec3>,
    /// Where pinned vertices took hold.
    pub captured: Captured,
    /// Contacts that touch this rank's vertices, by rising pair.
    pub contacts: Vec<ContactMemory>,
}

/// What a contact remembers from the last step.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ContactMemory {
    /// The elementary pair.
    pub pair: Pair,
    /// The lowest cloth vertex that it pushes: its rank counts it in the hash.
    pub owner: VertexId,
    /// Stretch of its friction spring: tangential slip since its anchor, m.
    pub stretch: [f64; 3],
    /// Normal force of the last solve, N.
    pub normal_force: f64,
}

impl State {
    /// What `pair` remembers, if it was in contact in the last step.
    pub fn memory(&self, pair: &Pair) -> Option<&ContactMemory> {
        let place = self.contacts.binary_search_by(|memory| memory.pair.cmp(pair)).ok()?;
        self.contacts.get(place)
    }

    /// Hash of the whole state over all ranks: time, positions and velocities in
    /// the mesh's own order, pins, and contacts, each counted by the rank that
    /// `owns` the lowest vertex that it pushes. Equal on any number of ranks.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn hash(&self, world: &dyn World, owns: impl Fn(VertexId) -> bool) -> Result<u64> {
        let contacts = self.contacts.iter().filter(|memory| owns(memory.owner));
        let sum = contacts
            .map(|memory| xxh3_64(bytemuck::bytes_of(memory)))
            .fold(0_u64, u64::wrapping_add);
        let mut sum = [sum as i64];
        world.all_reduce_sum(&mut sum)?;

        let mut hash = Xxh3::new();
        hash.update(&self.ticks.to_le_bytes());
        hash.update(&self.lag_ticks.to_le_bytes());
        hash.update(bytemuck::cast_slice(&self.positions));
        hash.update(bytemuck::cast_slice(&self.velocities));
        for group in &self.captured {
            hash.update(&(group.len() as u64).to_le_bytes());
            hash.update(bytemuck::cast_slice(group));
        }
        hash.update(bytemuck::cast_slice(&sum));
        Ok(hash.digest())
    }
}
