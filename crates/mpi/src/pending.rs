//! Non-blocking operations of MPI, with the memory that they use.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;

use mpi::ffi;

use cloth_core::error::{Error, Result};

/// A started operation and the memory that belongs to MPI until it is complete.
/// If it is dropped before that, the memory is leaked. `B` must keep its content on
/// the heap, because a `PendingRequest` may be moved.
pub(super) struct PendingRequest<B: Default> {
    pub request: ffi::MPI_Request,
    pub buffer: B,
}

impl<B: Default> PendingRequest<B> {
    /// No operation.
    pub fn idle(buffer: B) -> Self {
        // SAFETY: a constant of the MPI library.
        Self { request: unsafe { ffi::RSMPI_REQUEST_NULL }, buffer }
    }

    pub fn is_active(&self) -> bool {
        // SAFETY: a constant of the MPI library.
        self.request != unsafe { ffi::RSMPI_REQUEST_NULL }
    }

    /// The buffer. Before: no operation uses it.
    pub fn buffer(&mut self) -> &mut B {
        assert!(!self.is_active(), "a buffer in use by MPI");
        &mut self.buffer
    }

    /// Whether the operation is complete; for a receive, with its status.
    ///
    /// # Errors
    /// If MPI reports one.
    pub fn test(&mut self) -> Result<Option<ffi::MPI_Status>> {
        let (mut done, mut status) = (0, MaybeUninit::zeroed());
        // SAFETY: the request is valid or null, and the buffer outlives it.
        let code = unsafe { ffi::MPI_Test(&mut self.request, &mut done, status.as_mut_ptr()) };
        check(code, "MPI_Test")?;
        // SAFETY: plain integers, zeroed before.
        Ok((done != 0).then(|| unsafe { status.assume_init() }))
    }
}

impl<B: Default> Drop for PendingRequest<B> {
    fn drop(&mut self) {
        if self.is_active() {
            std::mem::forget(std::mem::take(&mut self.buffer));
        }
    }
}

impl PendingRequest<Vec<u8>> {
    /// Starts to send the buffer.
    ///
    /// # Errors
    /// If the buffer is longer than 2 GiB, or MPI reports an error.
    pub fn send(&mut self, comm: ffi::MPI_Comm, to: usize, tag: c_int) -> Result<()> {
        let length = int(self.buffer().len())?;
        let from = address(&self.buffer);
        // SAFETY: the buffer has `length` bytes, and is neither written nor freed
        // until the request is complete.
        let code = unsafe {
            let request = &mut self.request;
            ffi::MPI_Isend(from, length, ffi::RSMPI_UINT8_T, int(to)?, tag, comm, request)
        };
        check(code, "MPI_Isend")
    }

    /// Starts to receive a message that fills the buffer.
    ///
    /// # Errors
    /// Those of [`Self::send`].
    pub fn receive(&mut self, comm: ffi::MPI_Comm, from: usize, tag: c_int) -> Result<()> {
        let length = int(self.buffer().len())?;
        let into = address_mut(&mut self.buffer);
        // SAFETY: the buffer has `length` bytes, and is neither touched nor freed
        // until the request is complete.
        let code = unsafe {
            let request = &mut self.request;
            ffi::MPI_Irecv(into, length, ffi::RSMPI_UINT8_T, int(from)?, tag, comm, request)
        };
        check(code, "MPI_Irecv")
    }
}

/// Turns the return code of the MPI call `call` into a result.
pub(super) fn check(code: c_int, call: &str) -> Result<()> {
    if code == ffi::MPI_SUCCESS as c_int {
        return Ok(());
    }
    let mut text = vec![0_u8; ffi::MPI_MAX_ERROR_STRING as usize + 1];
    let mut length = 0;
    // SAFETY: the buffer has the length that the standard requires.
    unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr().cast(), &mut length) };
    text.truncate(length.max(0) as usize);
    Err(own_error(format!("{call}: {}", String::from_utf8_lossy(&text))))
}

/// A length or rank in the integer type of MPI.
pub(super) fn int(value: usize) -> Result<c_int> {
    let too_large = |_| own_error(format!("{value} is too large for an MPI call (2 GiB at most)"));
    c_int::try_from(value).map_err(too_large)
}

/// An error of this process's rank.
fn own_error(message: String) -> Error {
    let mut rank = 0;
    // SAFETY: called between the initialisation and the end of MPI.
    unsafe { ffi::MPI_Comm_rank(ffi::RSMPI_COMM_WORLD, &mut rank) };
    Error::Rank { rank: rank.max(0) as usize, message }
}

/// The address that MPI reads from. For an empty slice it is that of a static: the
/// slice's own may be 1, which is `MPI_IN_PLACE` in Open MPI.
pub(super) fn address<T>(values: &[T]) -> *const c_void {
    static NOTHING: u64 = 0;
    if values.is_empty() { (&raw const NOTHING).cast() } else { values.as_ptr().cast() }
}

/// The address that MPI writes to; like [`address`].
pub(super) fn address_mut<T>(values: &mut [T]) -> *mut c_void {
    // An empty slice is not written to.
    if values.is_empty() { address(values).cast_mut() } else { values.as_mut_ptr().cast() }
}
