//! The transport: the calls by which a rank communicates with the others.

use std::ops::Deref;

use crate::threads::wait::{self, Patience};
use crate::{Error, Result};

/// The subject of a point-to-point message. Messages of one source and one tag
/// arrive in the order in which they were sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u16)]
pub enum Tag {
    /// Ghost values of a vector.
    Ghosts = 1,
    /// Contacts sent to the owners of their vertices.
    Contacts = 2,
    /// Requests, tasks and rejections of work stealing.
    Steal = 3,
    /// Messages of the conformance suite.
    Test = 4,
    /// Changes and values of rigid bodies.
    Bodies = 5,
    /// Rigid bodies sent to the owners of a new division.
    NewDivision = 6,
}

/// A received message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The rank that sent it.
    pub from: usize,
    /// The content.
    pub bytes: Vec<u8>,
}

/// One neighbour of a fixed exchange pattern, with the buffers of both directions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    /// The other rank.
    pub rank: usize,
    /// Bytes for the neighbour, filled by the caller before [`World::begin_exchange`].
    /// If there are none, no message is sent.
    pub outgoing: Vec<u8>,
    /// Bytes from the neighbour, complete after [`World::finish_exchange`]. The length
    /// is that of the neighbour's `outgoing`.
    pub incoming: Vec<u8>,
}

/// A fixed pattern of neighbours. The buffers are reused: after the first exchanges
/// nothing is allocated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exchange {
    /// The neighbours.
    pub neighbours: Vec<Neighbour>,
}

/// Identifies a collective operation that was started and is not complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingId(pub u64);

/// One rank's view of all ranks. Every rank calls the collectives in the same
/// order. Each call fails with [`crate::error::Error::Rank`] once the world is
/// poisoned: a rank has failed or called [`World::abort`]. Calls that do not fit
/// those of the other ranks fail with [`crate::error::Error::Internal`].
pub trait World {
    /// This rank, `0..size()`.
    fn rank(&self) -> usize;

    /// Number of ranks.
    fn size(&self) -> usize;

    /// Number of ranks on this rank's machine, itself included.
    fn neighbours(&self) -> usize;

    /// How this rank waits for another in [`wait()`].
    fn patience(&self) -> Patience;

    /// Sends `bytes` to rank `to` without waiting; the transport owns them until
    /// they are delivered. Before: the receiver may be doing anything.
    ///
    /// # Errors
    /// Those of every call of this trait.
    fn send(&self, to: usize, tag: Tag, bytes: Vec<u8>) -> Result<()>;

    /// The oldest arrived message with `tag` from rank `from` (from any rank if
    /// `None`), or `None` if there is none yet. Never waits.
    ///
    /// # Errors
    /// Those of every call of this trait.
    fn poll(&self, from: Option<usize>, tag: Tag) -> Result<Option<Message>>;

    /// Starts to send every `outgoing` buffer to its neighbour. Before: all
    /// `outgoing` are filled, and `incoming` have their lengths. One exchange is
    /// under way per `Exchange`; several are begun in the same order on all
    /// ranks, and finished in the order in which they were begun.
    ///
    /// # Errors
    /// Those of every call of this trait.
    fn begin_exchange(&self, exchange: &mut Exchange) -> Result<()>;

    /// Waits for the exchange. After: every `incoming` holds what the neighbour
    /// had in its `outgoing`, and both buffers may be used again.
    ///
    /// # Errors
    /// Those of every call of this trait.
    fn finish_exchange(&self, exchange: &mut Exchange) -> Result<()>;

    /// Concatenates every rank's `mine` by rising rank into `all`, on every rank.
    /// `counts[r]` is the length of rank r's part in bytes, equal on all ranks.
    ///
    /// # Errors
    /// Those of every call of this trait.
    fn all_gather_v(&self, mine: &[u8], counts: &[usize], all: &mut [u8]) -> Result<()>;

    /// Like [`World::all_gather_v`], on rank `root` alone; elsewhere `all` is empty.
    ///
    /// # Errors
    /// Those of every call of this trait.
    fn gather_v(&self, root: usize, mine: &[u8], counts: &[usize], all: &mut [u8]) -> Result<()>;

    /// Copies `bytes` of rank `root` to all ranks; their lengths may differ before.
    ///
    /// # Errors
    /// Those of every call of this trait.
    fn broadcast(&self, root: usize, bytes: &mut Vec<u8>) -> Result<()>;

    /// Adds `values` over the ranks, element by element (wrapping), on every rank.
    /// Integers: the result does not depend on the order of ranks.
    ///
    /// # Errors
    /// Those of every call of this trait.
    fn all_reduce_sum(&self, values: &mut [i64]) -> Result<()>;

    /// Enters a barrier without waiting for the others.
    ///
    /// # Errors
    /// Those of every call of this trait.
    fn begin_barrier(&self) -> Result<PendingId>;

    /// Starts a sum like [`World::all_reduce_sum`] without waiting for it.
    ///
    /// # Errors
    /// Those of every call of this trait.
    fn begin_all_reduce_sum(&self, values: Vec<i64>) -> Result<PendingId>;

    /// The result of a pending operation once it is complete (empty for a
    /// barrier), else `None`. After a result the id is no longer valid.
    ///
    /// # Errors
    /// Those of every call of this trait.
    fn test(&self, pending: PendingId) -> Result<Option<Vec<i64>>>;

    /// Ends the whole job because of `message`: poisons the world (in process)
    /// or aborts it (MPI, which does not return).
    fn abort(&self, message: &str);
}

/// A world that its user borrows, or owns.
pub enum WorldHandle<'w> {
    /// It outlives its user.
    Borrowed(&'w dyn World),
    /// It goes with its user.
    Owned(Box<dyn World + 'w>),
}

impl<'w> From<&'w dyn World> for WorldHandle<'w> {
    fn from(world: &'w dyn World) -> Self {
        Self::Borrowed(world)
    }
}

impl<'w> From<Box<dyn World + 'w>> for WorldHandle<'w> {
    fn from(world: Box<dyn World + 'w>) -> Self {
        Self::Owned(world)
    }
}

impl<'w> Deref for WorldHandle<'w> {
    type Target = dyn World + 'w;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Borrowed(world) => *world,
            Self::Owned(world) => &**world,
        }
    }
}

/// Repeats `test`, such as a [`World::poll`], until it has a result.
///
/// # Errors
/// Those of `test`.
pub fn wait<T>(world: &dyn World, test: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    wait::wait(world.patience(), test)
}

/// Fails unless the arguments of a gather fit together. `all` is the length of the
/// result; `receives` says whether this rank gets it.
pub fn check_parts(
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
    let mine = mine.len();
    let cause = format!("gather mismatch: {mine} bytes given, room for {all}, counts {counts:?}");
    Err(defect(world, cause))
}

/// A call that does not fit the calls of the other ranks, found on this rank.
pub fn defect(world: &dyn World, cause: impl std::fmt::Display) -> Error {
    Error::internal(format!("transport of rank {}", world.rank()), cause)
}
