//! Collective operations between processes.

use std::cell::RefMut;
use std::ffi::{c_int, c_void};

use mpi::ffi;

use crate::MpiWorld;
use crate::pending::{PendingRequest, address, address_mut, check, int};
use cloth_core::error::Result;
use cloth_core::ranks::PendingId;
use cloth_core::threads::wait::wait;

/// The memory of a started sum; empty for a barrier.
#[derive(Default)]
pub(super) struct SumBuffers {
    pub mine: Vec<i64>,
    pub total: Vec<i64>,
}

/// Reused arguments of blocking collectives.
#[derive(Default)]
pub(super) struct Scratch {
    counts: Vec<c_int>,
    offsets: Vec<c_int>,
    pub sums: Vec<i64>,
}

impl MpiWorld {
    /// Waits for an operation on borrowed memory. It never returns before the
    /// operation is complete: until then the memory belongs to MPI.
    fn complete(&self, code: c_int, what: &str, request: ffi::MPI_Request) -> Result<()> {
        check(code, what)?;
        let mut operation = PendingRequest { request, buffer: () };
        match wait(self.patience, || operation.test()) {
            Ok(_) => Ok(()),
            Err(error) => self.end_job(&error),
        }
    }

    /// Fills the scratch with the counts and offsets of a gather.
    fn gather_arguments(&self, counts: &[usize]) -> Result<RefMut<'_, Scratch>> {
        let mut scratch = self.scratch.borrow_mut();
        let Scratch { counts: lengths, offsets, .. } = &mut *scratch;
        lengths.clear();
        offsets.clear();
        let mut offset = 0;
        for &count in counts {
            lengths.push(int(count)?);
            offsets.push(int(offset)?);
            offset += count;
        }
        int(offset)?;
        Ok(scratch)
    }

    /// Gathers the parts of all ranks, on `root` or on all ranks. Before: `mine` has this
    /// rank's count of bytes; `all` has the sum of `counts` where the result goes.
    pub(super) fn gather(
        &self,
        root: Option<usize>,
        mine: &[u8],
        counts: &[usize],
        all: &mut [u8],
    ) -> Result<()> {
        let scratch = self.gather_arguments(counts)?;
        let (lengths, offsets) = (scratch.counts.as_ptr(), scratch.offsets.as_ptr());
        let (from, into, length) = (address(mine), address_mut(all), int(mine.len())?);
        let (root, comm) = (root.map(int).transpose()?, self.comm);
        let mut request = PendingRequest::idle(()).request;
        // SAFETY: `all` holds the parts that counts and offsets say; all memory is
        // borrowed until `complete` returns.
        let (code, call) = unsafe {
            let kind = ffi::RSMPI_UINT8_T;
            let at = &mut request;
            match root {
                None => {
                    let code = ffi::MPI_Iallgatherv(
                        from, length, kind, into, lengths, offsets, kind, comm, at,
                    );
                    (code, "MPI_Iallgatherv")
                }
                Some(root) => {
                    let code = ffi::MPI_Igatherv(
                        from, length, kind, into, lengths, offsets, kind, root, comm, at,
                    );
                    (code, "MPI_Igatherv")
                }
            }
        };
        self.complete(code, call, request)
    }

    /// Starts a collective whose memory is `sum`.
    pub(super) fn start(
        &self,
        sum: SumBuffers,
        what: &str,
        begin: impl FnOnce(&mut PendingRequest<SumBuffers>) -> c_int,
    ) -> Result<PendingId> {
        let mut pending = PendingRequest::idle(sum);
        let code = begin(&mut pending);
        check(code, what)?;
        let id = PendingId(self.next_id.replace(self.next_id.get() + 1));
        self.collectives.borrow_mut().push((id, pending));
        Ok(id)
    }

    /// Copies `bytes` of rank `root` to all ranks; the lengths are equal.
    pub(super) fn broadcast_slice(&self, root: usize, bytes: &mut [u8]) -> Result<()> {
        let (at, length, root) = (address_mut(bytes), int(bytes.len())?, int(root)?);
        let mut request = PendingRequest::idle(()).request;
        // SAFETY: memory of that length, borrowed until `complete` returns.
        let code = unsafe {
            ffi::MPI_Ibcast(at, length, ffi::RSMPI_UINT8_T, root, self.comm, &mut request)
        };
        self.complete(code, "MPI_Ibcast", request)
    }

    /// Reduces the arrays of all ranks by `operation`, element by element.
    ///
    /// # Safety
    /// `from` and `into` are two arrays of `count` values of the type `kind` that
    /// nothing else uses during the call.
    pub(super) unsafe fn all_reduce(
        &self,
        from: *const c_void,
        into: *mut c_void,
        count: usize,
        kind: ffi::MPI_Datatype,
        operation: ffi::MPI_Op,
    ) -> Result<()> {
        let (count, mut request) = (int(count)?, PendingRequest::idle(()).request);
        // SAFETY: by this function's own condition, until `complete` returns.
        let code = unsafe {
            ffi::MPI_Iallreduce(from, into, count, kind, operation, self.comm, &mut request)
        };
        self.complete(code, "MPI_Iallreduce", request)
    }
}
