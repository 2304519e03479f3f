//! A world that measures how long its rank waits for the others.

use std::cell::Cell;
use std::time::Instant;

use crate::Result;
use crate::ranks::world::{Exchange, Message, PendingId, Tag, World, WorldHandle};
use crate::threads::wait::Patience;

/// A world that measures the time of the calls that end when other ranks have answered.
pub struct TimedWorld<'w> {
    world: WorldHandle<'w>,
    waited_s: Cell<f64>,
}

impl<'w> TimedWorld<'w> {
    /// A world that measures the time of `world`.
    pub fn new(world: WorldHandle<'w>) -> Self {
        Self { world, waited_s: Cell::new(0.0) }
    }

    /// Time of these calls since the last call of this function, s. It is 0 with one rank.
    pub fn take_waited_s(&self) -> f64 {
        self.waited_s.take()
    }

    fn timed<T>(&self, call: impl FnOnce(&dyn World) -> Result<T>) -> Result<T> {
        let start = Instant::now();
        let result = call(&*self.world);
        if self.world.size() > 1 {
            self.waited_s.set(self.waited_s.get() + start.elapsed().as_secs_f64());
        }
        result
    }
}

impl World for TimedWorld<'_> {
    fn rank(&self) -> usize {
        self.world.rank()
    }

    fn size(&self) -> usize {
        self.world.size()
    }

    fn neighbours(&self) -> usize {
        self.world.neighbours()
    }

    fn patience(&self) -> Patience {
        self.world.patience()
    }

    fn send(&self, to: usize, tag: Tag, bytes: Vec<u8>) -> Result<()> {
        self.world.send(to, tag, bytes)
    }

    fn poll(&self, from: Option<usize>, tag: Tag) -> Result<Option<Message>> {
        self.world.poll(from, tag)
    }

    fn begin_exchange(&self, exchange: &mut Exchange) -> Result<()> {
        self.world.begin_exchange(exchange)
    }

    fn finish_exchange(&self, exchange: &mut Exchange) -> Result<()> {
        self.timed(|world| world.finish_exchange(exchange))
    }

    fn all_gather_v(&self, mine: &[u8], counts: &[usize], all: &mut [u8]) -> Result<()> {
        self.timed(|world| world.all_gather_v(mine, counts, all))
    }

    fn gather_v(&self, root: usize, mine: &[u8], counts: &[usize], all: &mut [u8]) -> Result<()> {
        self.timed(|world| world.gather_v(root, mine, counts, all))
    }

    fn broadcast(&self, root: usize, bytes: &mut Vec<u8>) -> Result<()> {
        self.timed(|world| world.broadcast(root, bytes))
    }

    fn all_reduce_sum(&self, values: &mut [i64]) -> Result<()> {
        self.timed(|world| world.all_reduce_sum(values))
    }

    fn begin_barrier(&self) -> Result<PendingId> {
        self.world.begin_barrier()
    }

    fn begin_all_reduce_sum(&self, values: Vec<i64>) -> Result<PendingId> {
        self.world.begin_all_reduce_sum(values)
    }

    fn test(&self, pending: PendingId) -> Result<Option<Vec<i64>>> {
        self.world.test(pending)
    }

    fn abort(&self, message: &str) {
        self.world.abort(message);
    }
}
