//! Messages and neighbour exchanges between processes.

use std::ffi::c_int;
use std::mem::MaybeUninit;

use mpi::ffi;

use crate::MpiWorld;
use crate::pending::{PendingRequest, address_mut, check, int};
use cloth_core::error::Result;
use cloth_core::ranks::{Exchange, Tag};
use cloth_core::threads::wait::wait;

/// The tag of neighbour exchanges; no [`Tag`] has this number.
const EXCHANGE: c_int = 0;

/// A message that was matched. Its content may still be arriving.
pub(super) struct Arriving {
    pub from: usize,
    pub tag: Tag,
    pub content: PendingRequest<Vec<u8>>,
}

/// The messages of one exchange.
#[derive(Default)]
pub(super) struct Transfers {
    receives: Vec<PendingRequest<Vec<u8>>>,
    sends: Vec<PendingRequest<Vec<u8>>>,
}

impl MpiWorld {
    /// Frees the buffers of sends that are complete.
    pub(super) fn reap_sends(&self) -> Result<()> {
        let mut sends = self.sends.borrow_mut();
        while let Some(oldest) = sends.front_mut() {
            if oldest.test()?.is_none() {
                break;
            }
            sends.pop_front();
        }
        Ok(())
    }

    /// Waits until all sends of this rank are complete.
    pub(super) fn finish_sends(&self) -> Result<()> {
        wait(self.patience, || {
            self.reap_sends()?;
            Ok(self.sends.borrow().is_empty().then_some(()))
        })
    }

    /// Starts all messages of an exchange, receives first.
    pub(super) fn post_exchange(
        &self,
        exchange: &Exchange,
        transfers: &mut Transfers,
    ) -> Result<()> {
        let Transfers { receives, sends } = transfers;
        let count = exchange.neighbours.len();
        receives.resize_with(count, || PendingRequest::idle(Vec::new()));
        sends.resize_with(count, || PendingRequest::idle(Vec::new()));
        for (neighbour, receive) in exchange.neighbours.iter().zip(receives) {
            receive.buffer().resize(neighbour.incoming.len(), 0);
            if !neighbour.incoming.is_empty() {
                receive.receive(self.comm, neighbour.rank, EXCHANGE)?;
            }
        }
        for (neighbour, send) in exchange.neighbours.iter().zip(sends) {
            send.buffer().clear();
            send.buffer().extend_from_slice(&neighbour.outgoing);
            if !neighbour.outgoing.is_empty() {
                send.send(self.comm, neighbour.rank, EXCHANGE)?;
            }
        }
        Ok(())
    }

    /// Waits for all messages of an exchange and copies the content to `incoming`.
    pub(super) fn complete_exchange(
        &self,
        exchange: &mut Exchange,
        transfers: &mut Transfers,
    ) -> Result<()> {
        for (neighbour, receive) in exchange.neighbours.iter_mut().zip(&mut transfers.receives) {
            if receive.is_active() {
                let (status, mut length) = (wait(self.patience, || receive.test())?, 0);
                // SAFETY: the status of a receive that is complete.
                let code = unsafe { ffi::MPI_Get_count(&status, ffi::RSMPI_UINT8_T, &mut length) };
                check(code, "MPI_Get_count")?;
                let (from, awaited) = (neighbour.rank, neighbour.incoming.len());
                if length as usize != awaited {
                    return Err(self.defect(format!(
                        "exchange mismatch: {length} bytes came from rank {from} instead of {awaited}"
                    )));
                }
                neighbour.incoming.copy_from_slice(receive.buffer());
            }
        }
        for send in &mut transfers.sends {
            wait(self.patience, || send.test())?;
        }
        Ok(())
    }

    /// Matches the next message, if there is one. Its content may still be arriving.
    pub(super) fn probe(&self, from: Option<usize>, tag: Tag) -> Result<Option<Arriving>> {
        let (mut found, mut message, mut status) =
            (0, MaybeUninit::zeroed(), MaybeUninit::<ffi::MPI_Status>::zeroed());
        // SAFETY: out-parameters of their types; the message handle is read only if
        // one was found, and received exactly once.
        unsafe {
            let source = from.map_or(Ok(ffi::RSMPI_ANY_SOURCE), int)?;
            let (at, of) = (message.as_mut_ptr(), status.as_mut_ptr());
            let code = ffi::MPI_Improbe(source, tag as c_int, self.comm, &mut found, at, of);
            check(code, "MPI_Improbe")?;
            if found == 0 {
                return Ok(None);
            }
            let (status, mut length) = (status.assume_init(), 0);
            let kind = ffi::RSMPI_UINT8_T;
            check(ffi::MPI_Get_count(&status, kind, &mut length), "MPI_Get_count")?;
            let mut content = PendingRequest::idle(vec![0; length as usize]);
            let into = address_mut(content.buffer());
            let request = &mut content.request;
            check(ffi::MPI_Imrecv(into, length, kind, at, request), "MPI_Imrecv")?;
            Ok(Some(Arriving { from: status.MPI_SOURCE as usize, tag, content }))
        }
    }
}
