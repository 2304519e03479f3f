//! Exchange of ghost values.

use std::ops::Range;

use super::{Exchange, Neighbour, World};
use crate::error::Result;
use crate::math::Vec3;

/// What goes to and comes from one rank, as local indices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HaloNeighbour {
    /// The other rank.
    pub rank: usize,
    /// Own values that are its ghosts, rising.
    pub send: Vec<u32>,
    /// Where its values stand here.
    pub receive: Range<u32>,
}

/// The ghost exchange of a vector.
pub struct Halo {
    neighbours: Vec<HaloNeighbour>,
    exchange: Exchange,
}

impl Halo {
    /// Between this rank and `neighbours`.
    pub fn new(neighbours: Vec<HaloNeighbour>) -> Self {
        let bytes = |count: usize| vec![0; count * size_of::<Vec3>()];
        let exchange = Exchange {
            neighbours: (neighbours.iter())
                .map(|n| Neighbour {
                    rank: n.rank,
                    outgoing: bytes(n.send.len()),
                    incoming: bytes(n.receive.len()),
                })
                .collect(),
        };
        Self { neighbours, exchange }
    }

    /// Starts to send own values.
    ///
    /// # Errors
    /// Those of the transport.
    pub fn begin(&mut self, world: &dyn World, values: &[Vec3]) -> Result<()> {
        for (neighbour, buffers) in self.neighbours.iter().zip(&mut self.exchange.neighbours) {
            let out = buffers.outgoing.chunks_exact_mut(size_of::<Vec3>());
            for (&index, out) in neighbour.send.iter().zip(out) {
                out.copy_from_slice(bytemuck::bytes_of(&values[index as usize]));
            }
        }
        world.begin_exchange(&mut self.exchange)
    }

    /// Waits for the ghosts and stores them in `values`.
    ///
    /// # Errors
    /// Those of the transport.
    pub fn finish(&mut self, world: &dyn World, values: &mut [Vec3]) -> Result<()> {
        world.finish_exchange(&mut self.exchange)?;
        for (neighbour, buffers) in self.neighbours.iter().zip(&self.exchange.neighbours) {
            let at = neighbour.receive.start as usize..neighbour.receive.end as usize;
            bytemuck::cast_slice_mut(&mut values[at]).copy_from_slice(&buffers.incoming);
        }
        Ok(())
    }
}
