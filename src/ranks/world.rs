//! The transport: what one rank can say to the others.

use crate::error::{Error, Result};

/// What a point-to-point message is about. Messages of one source and one tag
/// arrive in the order in which they were sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u16)]
pub enum Tag {
    /// Ghost values of a vector.
    Ghosts = 1,
    /// Contacts sent to the owners of their vertices.
    Contacts = 2,
    /// Requests, tasks and rejections of the collision phase.
    Steal = 3,
    /// The conformance suite's own messages.
    Test = 4,
}

/// A message as it was received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The rank that sent it.
    pub from: usize,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// One neighbour of a fixed exchange pattern, with the buffers of both ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    /// The other rank.
    pub rank: usize,
    /// What goes to it; filled by the caller before [`World::begin_exchange`].
    /// If it is empty, no message is sent.
    pub outgoing: Vec<u8>,
    /// What comes from it; whole after [`World::finish_exchange`]. Its length
    /// is fixed and equals the neighbour's `outgoing`.
    pub incoming: Vec<u8>,
}

/// A fixed pattern of neighbours whose buffers are reused:
/// an exchange allocates nothing once the transport has warmed up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exchange {
    /// The neighbours.
    pub neighbours: Vec<Neighbour>,
}

/// Names a collective operation that was started and not yet completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingId(pub u64);

/// One rank's view of all ranks. Every rank calls the collectives in the same
/// order. Each call fails with [`crate::error::Error::Rank`] as soon as the
/// world is poisoned, that is, once some rank has called [`World::abort`].
pub trait World {
    /// This rank, `0..size()`.
    fn rank(&self) -> usize;

    /// Number of ranks.
    fn size(&self) -> usize;

    /// Sends `bytes` to rank `to` without waiting; the transport owns them until
    /// they are delivered. Before: nothing is assumed of the receiver.
    ///
    /// # Errors
    /// As for every call of this trait.
    fn send(&self, to: usize, tag: Tag, bytes: Vec<u8>) -> Result<()>;

    /// The oldest arrived message with `tag` from rank `from` (from any rank if
    /// `None`), or `None` if there is none yet. Never waits.
    ///
    /// # Errors
    /// As for every call of this trait.
    fn poll(&self, from: Option<usize>, tag: Tag) -> Result<Option<Message>>;

    /// Starts to send every `outgoing` buffer to its neighbour. Before: all
    /// `outgoing` are filled, and `incoming` have their lengths. One exchange is
    /// under way per `Exchange`; several are begun in the same order on all
    /// ranks, and finished in the order in which they were begun.
    ///
    /// # Errors
    /// As for every call of this trait.
    fn begin_exchange(&self, exchange: &mut Exchange) -> Result<()>;

    /// Waits for the exchange. After: every `incoming` holds what the neighbour
    /// had in its `outgoing`, and both buffers may be used again.
    ///
    /// # Errors
    /// As for every call of this trait.
    fn finish_exchange(&self, exchange: &mut Exchange) -> Result<()>;

    /// Concatenates every rank's `mine` by rising rank into `all`, on every rank.
    /// `counts[r]` is the length of rank r's part in bytes, equal on all ranks.
    ///
    /// # Errors
    /// As for every call of this trait.
    fn all_gather_v(&self, mine: &[u8], counts: &[usize], all: &mut [u8]) -> Result<()>;

    /// As [`World::all_gather_v`], on rank `root` alone (elsewhere `all` is empty).
    ///
    /// # Errors
    /// As for every call of this trait.
    fn gather_v(&self, root: usize, mine: &[u8], counts: &[usize], all: &mut [u8]) -> Result<()>;

    /// Copies `bytes` of rank `root` to all ranks; their lengths may differ before.
    ///
    /// # Errors
    /// As for every call of this trait.
    fn broadcast(&self, root: usize, bytes: &mut Vec<u8>) -> Result<()>;

    /// Adds `values` over the ranks, element by element (wrapping), on every rank.
    /// Integers: the result does not depend on the order of ranks.
    ///
    /// # Errors
    /// As for every call of this trait.
    fn all_reduce_sum(&self, values: &mut [i64]) -> Result<()>;

    /// The smallest of each element over the ranks; a -0 counts, and comes back,
    /// as +0, so that the result does not depend on the order of ranks.
    ///
    /// # Errors
    /// If a value is NaN, and as for every call of this trait.
    fn all_reduce_min(&self, values: &mut [f64]) -> Result<()>;

    /// Enters a barrier without waiting for the others.
    ///
    /// # Errors
    /// As for every call of this trait.
    fn begin_barrier(&self) -> Result<PendingId>;

    /// Starts a sum over the ranks, as [`World::all_reduce_sum`], without waiting.
    ///
    /// # Errors
    /// As for every call of this trait.
    fn begin_all_reduce_sum(&self, values: Vec<i64>) -> Result<PendingId>;

    /// The result of a pending operation once it is complete (empty for a
    /// barrier), else `None`. After a result the id is spent.
    ///
    /// # Errors
    /// As for every call of this trait.
    fn test(&self, pending: PendingId) -> Result<Option<Vec<i64>>>;

    /// Ends the whole job because of `message`: poisons the world (in process)
    /// or aborts it (MPI, which does not return).
    fn abort(&self, message: &str);
}

/// Whether the arguments of a gather fit together; `receives` says that `all`
/// is filled on this rank.
pub(super) fn check_parts(
    world: &dyn World,
    mine: &[u8],
    counts: &[usize],
    all: usize,
    receives: bool,
) -> Result<()> {
    let awaited = if receives { counts.iter().sum() } else { 0 };
    if counts.get(world.rank()) == Some(&mine.len())
        && counts.len() == world.size()
        && all == awaited
    {
        return Ok(());
    }
    let message = format!(
        "gather mismatch: {} bytes given and room for {all}, the counts being {counts:?}",
        mine.len()
    );
    Err(Error::Rank { rank: world.rank(), message })
}

/// Makes `values` fit for a minimum in any order: no NaN, no -0.
pub(super) fn plain_minima(world: &dyn World, values: &mut [f64]) -> Result<()> {
    if values.iter().any(|value| value.is_nan()) {
        let message = "minimum over NaN".into();
        return Err(Error::Rank { rank: world.rank(), message });
    }
    values.iter_mut().for_each(|value| *value += 0.0);
    Ok(())
}
