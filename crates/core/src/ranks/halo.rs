//! Ghost points: values of other ranks that a rank's rows need.
//!
//! A distributed vector is stored as its own values followed by its ghosts. The ghosts of one
//! neighbour are contiguous. [`Halo::begin`] and [`Halo::finish`] bring the ghosts up to date.
//! Between the two a rank computes the rows that need no ghost (Thomaszewski & Blochinger 2007,
//! section 4.1, Algorithm 1).

use std::ops::Range;

use bytemuck::Pod;

use crate::ranks::world::{Exchange, Neighbour, World};
use crate::{Result, Vec3};

/// The values that one rank exchanges with another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HaloNeighbour {
    /// The other rank.
    pub rank: usize,
    /// Local indices of own values that are ghosts of the other rank, in its order.
    pub send: Vec<u32>,
    /// Local indices of the ghosts that the other rank owns.
    pub receive: Range<u32>,
    /// Like `send`, for step ghosts.
    pub step_send: Vec<u32>,
    /// Like `receive`, for step ghosts.
    pub step_receive: Range<u32>,
}

impl HaloNeighbour {
    /// Without step ghosts.
    pub fn new(rank: usize, send: Vec<u32>, receive: Range<u32>) -> Self {
        Self { rank, send, receive, step_send: Vec::new(), step_receive: 0..0 }
    }

    fn sent(&self) -> usize {
        self.send.len() + self.step_send.len()
    }

    fn received(&self) -> usize {
        self.receive.len() + self.step_receive.len()
    }
}

/// The pattern in which ghosts are exchanged, with its buffers. One message to each
/// neighbour carries all its ghosts. After the first two exchanges of a type nothing is
/// allocated unless there are more step ghosts than ever before.
#[derive(Debug, Clone, Default)]
pub struct Halo {
    neighbours: Vec<HaloNeighbour>,
    exchange: Exchange,
}

impl Halo {
    /// The exchange with `neighbours`, each listed once. A rank's `send` and the
    /// neighbour's `receive` have the same length.
    pub fn new(neighbours: Vec<HaloNeighbour>) -> Self {
        let buffers = |neighbour: &HaloNeighbour| Neighbour {
            rank: neighbour.rank,
            outgoing: Vec::with_capacity(neighbour.sent() * size_of::<Vec3>()),
            incoming: Vec::with_capacity(neighbour.received() * size_of::<Vec3>()),
        };
        let exchange = Exchange { neighbours: neighbours.iter().map(buffers).collect() };
        Self { neighbours, exchange }
    }

    /// Starts to send own `values` to the ranks that have them as ghosts.
    ///
    /// Before: the own values are those of the new state; the ghosts may hold
    /// anything. After: `values` is unchanged, and ghosts are still old. Own values may be
    /// read and written, because the values to send were copied.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn begin<T: Pod>(&mut self, world: &dyn World, values: &[T]) -> Result<()> {
        for (pattern, buffers) in self.neighbours.iter().zip(&mut self.exchange.neighbours) {
            buffers.incoming.resize(pattern.received() * size_of::<T>(), 0);
            buffers.outgoing.clear();
            for &index in pattern.send.iter().chain(&pattern.step_send) {
                buffers.outgoing.extend_from_slice(bytemuck::bytes_of(&values[index as usize]));
            }
        }
        world.begin_exchange(&mut self.exchange)
    }

    /// Waits for the ghosts of the exchange that [`Halo::begin`] started.
    ///
    /// Before: the ghosts are as [`Halo::begin`] left them. After: every ghost in `values`
    /// is its owner's value at the time of `begin`; own values are untouched.
    ///
    /// # Errors
    /// If a rank fails, or the neighbours' patterns do not fit together.
    pub fn finish<T: Pod>(&mut self, world: &dyn World, values: &mut [T]) -> Result<()> {
        world.finish_exchange(&mut self.exchange)?;
        for (pattern, buffers) in self.neighbours.iter().zip(&self.exchange.neighbours) {
            let (ghosts, of_step) =
                buffers.incoming.split_at(pattern.receive.len() * size_of::<T>());
            for (range, bytes) in [(&pattern.receive, ghosts), (&pattern.step_receive, of_step)] {
                let ghosts = &mut values[range.start as usize..range.end as usize];
                bytemuck::cast_slice_mut(ghosts).copy_from_slice(bytes);
            }
        }
        Ok(())
    }

    /// The neighbours.
    pub fn neighbours(&self) -> &[HaloNeighbour] {
        &self.neighbours
    }

    /// The neighbours, so that a caller can replace their step ghosts. Before: no exchange is
    /// under way. Both ranks of a pair make matching changes.
    pub fn neighbours_mut(&mut self) -> &mut [HaloNeighbour] {
        &mut self.neighbours
    }

    /// Bytes that this rank sends in one exchange of a vector of `T`.
    pub fn bytes_per_exchange<T: Pod>(&self) -> usize {
        let values: usize = self.neighbours.iter().map(HaloNeighbour::sent).sum();
        values * size_of::<T>()
    }

    /// Messages that this rank sends in one exchange.
    pub fn messages_per_exchange(&self) -> usize {
        self.neighbours.iter().filter(|neighbour| neighbour.sent() > 0).count()
    }
}
