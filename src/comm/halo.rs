//! Ghost points: values of other ranks that a rank's rows need.
//!
//! A distributed vector is stored as its own values followed by its ghosts,
//! those of one neighbour side by side. [`Halo::begin`] and [`Halo::finish`]
//! bring the ghosts up to date; between the two a rank computes what needs no
//! ghost (thomaszewski-blochinger-2007 §4.1, Algorithm 1).

use std::ops::Range;

use bytemuck::Pod;

use super::{Exchange, Neighbour, World};
use crate::error::Result;
use crate::math::Vec3;

/// What one rank shares with another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HaloNeighbour {
    /// The other rank.
    pub rank: usize,
    /// Local indices of own values that are its ghosts, in the order in which it
    /// stores them.
    pub send: Vec<u32>,
    /// Local indices of the ghosts that are its own values.
    pub receive: Range<u32>,
}

/// The fixed pattern in which ghosts are exchanged, with its buffers: nothing is
/// allocated after the first two exchanges of a type.
#[derive(Debug, Clone, Default)]
pub struct Halo {
    neighbours: Vec<HaloNeighbour>,
    exchange: Exchange,
}

impl Halo {
    /// The exchange with `neighbours`, each named once. What a rank sends
    /// to another is as long as what the other receives from it.
    pub fn new(neighbours: Vec<HaloNeighbour>) -> Self {
        let buffers = |neighbour: &HaloNeighbour| Neighbour {
            rank: neighbour.rank,
            outgoing: Vec::with_capacity(neighbour.send.len() * size_of::<Vec3>()),
            incoming: Vec::with_capacity(neighbour.receive.len() * size_of::<Vec3>()),
        };
        let exchange = Exchange { neighbours: neighbours.iter().map(buffers).collect() };
        Self { neighbours, exchange }
    }

    /// Starts to send own `values` to the ranks that have them as ghosts.
    ///
    /// Before: the own values are those of the new state; the ghosts may hold
    /// anything. After: unchanged; own values may be read and written (what is
    /// sent was copied), ghosts hold the old state still.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn begin<T: Pod>(&mut self, world: &dyn World, values: &[T]) -> Result<()> {
        for (pattern, buffers) in self.neighbours.iter().zip(&mut self.exchange.neighbours) {
            buffers.incoming.resize(pattern.receive.len() * size_of::<T>(), 0);
            buffers.outgoing.clear();
            for &index in &pattern.send {
                buffers.outgoing.extend_from_slice(bytemuck::bytes_of(&values[index as usize]));
            }
        }
        world.begin_exchange(&mut self.exchange)
    }

    /// Waits for the ghosts of the exchange that [`Halo::begin`] started.
    ///
    /// Before: as [`Halo::begin`] left them. After: every ghost in `values`
    /// holds its owner's value of the time of its `begin`; own values are untouched.
    ///
    /// # Errors
    /// If a rank fails, or the neighbours' patterns do not fit together.
    pub fn finish<T: Pod>(&mut self, world: &dyn World, values: &mut [T]) -> Result<()> {
        world.finish_exchange(&mut self.exchange)?;
        for (pattern, buffers) in self.neighbours.iter().zip(&self.exchange.neighbours) {
            let ghosts = &mut values[pattern.receive.start as usize..pattern.receive.end as usize];
            bytemuck::cast_slice_mut(ghosts).copy_from_slice(&buffers.incoming);
        }
        Ok(())
    }

    /// The neighbours.
    pub fn neighbours(&self) -> &[HaloNeighbour] {
        &self.neighbours
    }

    /// Bytes that this rank sends in one exchange of a vector of [`Vec3`].
    pub fn bytes_per_exchange(&self) -> usize {
        let values: usize = self.neighbours.iter().map(|neighbour| neighbour.send.len()).sum();
        values * size_of::<Vec3>()
    }

    /// Messages that this rank sends in one exchange.
    pub fn messages_per_exchange(&self) -> usize {
        self.neighbours.iter().filter(|neighbour| !neighbour.send.is_empty()).count()
    }
}
