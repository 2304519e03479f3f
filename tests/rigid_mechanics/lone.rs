//! The transport of a single rank. It sends to no other rank, and sums are its own values.

use cloth_sim::error::Result;
use cloth_sim::ranks::{Exchange, Message, Patience, PendingId, Tag, World};

/// The only rank.
pub struct Lone;

impl World for Lone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn neighbours(&self) -> usize {
        1
    }

    fn patience(&self) -> Patience {
        Patience::UNPARKED
    }

    fn send(&self, to: usize, tag: Tag, _: Vec<u8>) -> Result<()> {
        panic!("a message {tag:?} to rank {to} of one")
    }

    fn poll(&self, _: Option<usize>, _: Tag) -> Result<Option<Message>> {
        Ok(None)
    }

    fn begin_exchange(&self, exchange: &mut Exchange) -> Result<()> {
        assert!(exchange.neighbours.is_empty(), "neighbours of a single rank");
        Ok(())
    }

    fn finish_exchange(&self, _: &mut Exchange) -> Result<()> {
        Ok(())
    }

    fn all_gather_v(&self, mine: &[u8], _: &[usize], all: &mut [u8]) -> Result<()> {
        all.copy_from_slice(mine);
        Ok(())
    }

    fn gather_v(&self, _: usize, mine: &[u8], _: &[usize], all: &mut [u8]) -> Result<()> {
        all.copy_from_slice(mine);
        Ok(())
    }

    fn broadcast(&self, _: usize, _: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn all_reduce_sum(&self, _: &mut [i64]) -> Result<()> {
        Ok(())
    }

    fn begin_barrier(&self) -> Result<PendingId> {
        panic!("a step has no barrier")
    }

    fn begin_all_reduce_sum(&self, _: Vec<i64>) -> Result<PendingId> {
        panic!("a step has no pending sum")
    }

    fn test(&self, _: PendingId) -> Result<Option<Vec<i64>>> {
        panic!("nothing is pending")
    }

    fn abort(&self, message: &str) {
        panic!("{message}")
    }
}
