//! Ranks as MPI processes (cargo feature `mpi`).
//!
//! [`run_mpi`] runs the SPMD code as this process's rank; a launcher (`mpirun`) starts
//! the processes. Only the thread that initialised MPI communicates (thread level
//! Funneled). Every operation is non-blocking and awaited by
//! [`wait`](cloth_core::threads::wait::wait): a blocking call spins on a core that the awaited rank
//! may need. Reductions are sums of integers, so their results do not depend on the order of ranks.
//!
//! Nearly all `unsafe` code of the crate is in this folder. The requests of rsmpi borrow
//! their buffers and panic when they are dropped in unwinding. Here a `PendingRequest` owns
//! request and buffer, and memory that MPI may still write to is never freed.
#![allow(unsafe_code)]

mod collective;
mod pending;
mod point_to_point;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ffi::c_int;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::time::{Duration, Instant};

use mpi::environment::Universe;
use mpi::traits::AsRaw;
use mpi::{Threading, ffi, initialize_with_threading};

use self::collective::{Scratch, SumBuffers};
use self::pending::{PendingRequest, address, address_mut, check, int};
use self::point_to_point::{Arriving, Transfers};
use cloth_core::error::{Error, Result, printable};
use cloth_core::ranks::failure;
use cloth_core::ranks::launch::cores_of_this_machine;
use cloth_core::ranks::world::{Exchange, Message, PendingId, Tag, World, check_parts, defect};
use cloth_core::threads::wait::Patience;

/// Initialises MPI, runs `rank_main` as this process's rank and finalises. Before: this process
/// has no other thread.
///
/// An error or a panic of `rank_main` ends the whole job: it is printed with the
/// rank's number and the job is aborted; this function does not return then.
///
/// # Errors
/// If MPI cannot be initialised.
pub fn run_mpi<T>(rank_main: impl FnOnce(&dyn World) -> Result<T>) -> Result<T> {
    let world = MpiWorld::initialize()?;
    match failure::caught(world.rank, || rank_main(&world)) {
        Ok(value) => Ok(value),
        Err(error) => world.end_job_in_turn(&error),
    }
}

/// Open MPI yields the core at each test of a request if it has more ranks than cores or slots. A
/// core that another program wants is then gone for a time slice, at each test. Our own waits
/// sleep instead. A value that the user has set stands.
fn keep_open_mpi_from_yielding() {
    const SETTING: &str = "OMPI_MCA_mpi_yield_when_idle";
    if std::env::var_os(SETTING).is_none() {
        // SAFETY: no other thread reads or writes the environment now, see `run_mpi`.
        unsafe { std::env::set_var(SETTING, "0") };
    }
}

/// The MPI library of this program, such as "Open MPI v4.1.4".
pub fn library() -> String {
    let version = mpi::environment::library_version().unwrap_or_default();
    let first = version.split([',', '\n']).next().unwrap_or_default();
    first.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// This process's view of all processes of the job. Dropping it completes all sends
/// and finalises MPI. In a panic it aborts the job: the others would wait forever.
struct MpiWorld {
    comm: ffi::MPI_Comm,
    rank: usize,
    size: usize,
    neighbours: usize,
    patience: Patience,
    /// Sends under way, oldest first.
    sends: RefCell<VecDeque<PendingRequest<Vec<u8>>>>,
    /// Messages matched by a probe, with content that has not fully arrived.
    arriving: RefCell<VecDeque<Arriving>>,
    /// Exchanges under way, oldest first, and the buffers of finished ones.
    exchanges: RefCell<VecDeque<Transfers>>,
    spare: RefCell<Vec<Transfers>>,
    /// Collectives that were started and not yet completed.
    collectives: RefCell<Vec<(PendingId, PendingRequest<SumBuffers>)>>,
    next_id: Cell<u64>,
    scratch: RefCell<Scratch>,
    universe: ManuallyDrop<Universe>,
    /// Makes the type `!Send`: it stays on its thread.
    main_thread: PhantomData<*const ()>,
}

impl MpiWorld {
    /// Initialises MPI. From then on only the calling thread communicates.
    ///
    /// # Errors
    /// If MPI was initialised before in this process, or does not allow a process
    /// to have threads.
    fn initialize() -> Result<Self> {
        let trouble = |cause: &str, remedy: &str| Error::input("MPI", cause, remedy);
        keep_open_mpi_from_yielding();
        let (universe, level) = initialize_with_threading(Threading::Funneled)
            .ok_or_else(|| trouble("already initialised", "initialise it once in a process"))?;
        if level < Threading::Funneled {
            return Err(trouble(
                "supports no threads",
                "install an MPI library with thread support",
            ));
        }
        let own = universe.world();
        let (rank, size, neighbours) = {
            use mpi::traits::Communicator;
            let neighbours = own.split_shared(own.rank()).size() as usize;
            (own.rank() as usize, own.size() as usize, neighbours)
        };
        let crowded = neighbours > cores_of_this_machine();
        let patience = if crowded { Patience::CROWDED } else { Patience::POLLING };
        let mut comm = own.as_raw();
        // SAFETY: a live communicator; the handler is a constant of the library.
        unsafe {
            check(ffi::MPI_Comm_dup(own.as_raw(), &mut comm), "MPI_Comm_dup")?;
            let handler = ffi::RSMPI_ERRORS_RETURN;
            check(ffi::MPI_Comm_set_errhandler(comm, handler), "MPI_Comm_set_errhandler")?;
        }
        Ok(Self {
            comm,
            rank,
            size,
            neighbours,
            patience,
            sends: RefCell::default(),
            arriving: RefCell::default(),
            exchanges: RefCell::default(),
            spare: RefCell::default(),
            collectives: RefCell::default(),
            next_id: Cell::new(0),
            scratch: RefCell::default(),
            universe: ManuallyDrop::new(universe),
            main_thread: PhantomData,
        })
    }

    fn defect(&self, cause: impl Into<String>) -> Error {
        defect(self, cause.into())
    }

    /// Prints the one message of a failing job and ends it.
    fn end_job(&self, error: &Error) -> ! {
        self.abort(&failure::message_of(error));
        std::process::abort() // MPI_Abort does not return
    }

    /// Like [`Self::end_job`]. If all ranks meet an error at the same time, such as an unreadable
    /// file, rank 0 alone prints it. If only some do, lower ranks are first.
    fn end_job_in_turn(&self, error: &Error) -> ! {
        let turn = Duration::from_millis(100) * self.rank.min(10) as u32;
        let end_by_rank_0 = Duration::from_secs(60);
        let all_fail = self.all_ranks_fail(Duration::from_secs(1));
        std::thread::sleep(if all_fail && self.rank > 0 { end_by_rank_0 } else { turn });
        self.end_job(error)
    }

    /// Whether every rank calls this within `limit`. The ranks meet on the communicator of all
    /// processes, on which no healthy rank communicates.
    fn all_ranks_fail(&self, limit: Duration) -> bool {
        use mpi::traits::CommunicatorCollectives;
        let start = Instant::now();
        let mut barrier = self.universe.world().immediate_barrier();
        while start.elapsed() < limit {
            match barrier.test() {
                Ok(_) => return true,
                Err(unfinished) => barrier = unfinished,
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        std::mem::forget(barrier); // a request that is dropped panics
        false
    }
}

impl Drop for MpiWorld {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.abort("panicked");
        }
        self.finish_sends().ok();
        // SAFETY: the communicator was made by this world; the universe is dropped
        // once, after everything that uses it.
        unsafe {
            ffi::MPI_Comm_free(&mut self.comm);
            ManuallyDrop::drop(&mut self.universe);
        }
    }
}

impl World for MpiWorld {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn neighbours(&self) -> usize {
        self.neighbours
    }

    fn patience(&self) -> Patience {
        self.patience
    }

    fn send(&self, to: usize, tag: Tag, bytes: Vec<u8>) -> Result<()> {
        self.reap_sends()?;
        let mut pending = PendingRequest::idle(bytes);
        pending.send(self.comm, to, tag as c_int)?;
        self.sends.borrow_mut().push_back(pending);
        Ok(())
    }

    fn poll(&self, from: Option<usize>, tag: Tag) -> Result<Option<Message>> {
        self.reap_sends()?;
        let mut arriving = self.arriving.borrow_mut();
        let matches = |one: &Arriving| one.tag == tag && from.is_none_or(|rank| rank == one.from);
        let at = match arriving.iter().position(matches) {
            Some(at) => at,
            None => match self.probe(from, tag)? {
                Some(message) => {
                    arriving.push_back(message);
                    arriving.len() - 1
                }
                None => return Ok(None),
            },
        };
        if arriving[at].content.test()?.is_none() {
            return Ok(None);
        }
        let whole = arriving.remove(at);
        Ok(whole
            .map(|mut one| Message { from: one.from, bytes: std::mem::take(one.content.buffer()) }))
    }

    fn begin_exchange(&self, exchange: &mut Exchange) -> Result<()> {
        let mut transfers = self.spare.borrow_mut().pop().unwrap_or_default();
        self.post_exchange(exchange, &mut transfers)?;
        self.exchanges.borrow_mut().push_back(transfers);
        Ok(())
    }

    fn finish_exchange(&self, exchange: &mut Exchange) -> Result<()> {
        let oldest = self.exchanges.borrow_mut().pop_front();
        let mut transfers = oldest.ok_or_else(|| self.defect("no exchange was begun"))?;
        self.complete_exchange(exchange, &mut transfers)?;
        self.spare.borrow_mut().push(transfers);
        Ok(())
    }

    fn all_gather_v(&self, mine: &[u8], counts: &[usize], all: &mut [u8]) -> Result<()> {
        check_parts(self, mine, counts, all.len(), true)?;
        self.gather(None, mine, counts, all)
    }

    fn gather_v(&self, root: usize, mine: &[u8], counts: &[usize], all: &mut [u8]) -> Result<()> {
        check_parts(self, mine, counts, all.len(), self.rank == root)?;
        self.gather(Some(root), mine, counts, all)
    }

    fn broadcast(&self, root: usize, bytes: &mut Vec<u8>) -> Result<()> {
        let mut length = (bytes.len() as u64).to_ne_bytes();
        self.broadcast_slice(root, &mut length)?;
        bytes.resize(u64::from_ne_bytes(length) as usize, 0);
        self.broadcast_slice(root, bytes)
    }

    fn all_reduce_sum(&self, values: &mut [i64]) -> Result<()> {
        let mut scratch = self.scratch.borrow_mut();
        scratch.sums.clear();
        scratch.sums.extend_from_slice(values);
        let (from, into) = (address(&scratch.sums), address_mut(values));
        // Unsigned integers wrap by the standard of C; the bits are the same.
        // SAFETY: constants of the library, and two arrays of the same length.
        unsafe { self.all_reduce(from, into, values.len(), ffi::RSMPI_UINT64_T, ffi::RSMPI_SUM) }
    }

    fn begin_barrier(&self) -> Result<PendingId> {
        // SAFETY: a live communicator and the request's own place.
        let begin = |pending: &mut PendingRequest<SumBuffers>| unsafe {
            ffi::MPI_Ibarrier(self.comm, &mut pending.request)
        };
        self.start(SumBuffers::default(), "MPI_Ibarrier", begin)
    }

    fn begin_all_reduce_sum(&self, values: Vec<i64>) -> Result<PendingId> {
        let count = int(values.len())?;
        let sum = SumBuffers { total: vec![0; values.len()], mine: values };
        // SAFETY: two arrays of `count` integers on the heap, owned by `pending`.
        let begin = |pending: &mut PendingRequest<SumBuffers>| unsafe {
            let from = address(&pending.buffer.mine);
            let into = address_mut(&mut pending.buffer.total);
            let (kind, sum) = (ffi::RSMPI_UINT64_T, ffi::RSMPI_SUM);
            ffi::MPI_Iallreduce(from, into, count, kind, sum, self.comm, &mut pending.request)
        };
        self.start(sum, "MPI_Iallreduce", begin)
    }

    fn test(&self, pending: PendingId) -> Result<Option<Vec<i64>>> {
        let mut all = self.collectives.borrow_mut();
        let at = all.iter().position(|(id, _)| *id == pending);
        let at = at.ok_or_else(|| self.defect(format!("{pending:?} is not pending")))?;
        if all[at].1.test()?.is_none() {
            return Ok(None);
        }
        let (_, mut complete) = all.swap_remove(at);
        Ok(Some(std::mem::take(&mut complete.buffer().total)))
    }

    fn abort(&self, message: &str) {
        eprintln!("error: rank {} failed: {}", self.rank, printable(message));
        // SAFETY: ends the process.
        unsafe {
            ffi::MPI_Abort(ffi::RSMPI_COMM_WORLD, 1);
        }
    }
}
