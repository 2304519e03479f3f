//! Catches the error or panic of a failing rank, with the rank's number.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

use crate::{Error, Result};

thread_local! {
    /// `Some` while [`caught`] runs on this thread: where its code panicked.
    static PANIC_PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `rank_main`; a panic becomes an [`Error::Rank`] with its message.
pub fn caught<T>(rank: usize, rank_main: impl FnOnce() -> Result<T>) -> Result<T> {
    PANIC_PLACE.set(Some(String::new()));
    let outcome = panic::catch_unwind(AssertUnwindSafe(rank_main));
    let place = PANIC_PLACE.take().unwrap_or_default();
    outcome.unwrap_or_else(|payload| {
        let message = format!("panicked{place}: {}", panic_message(payload.as_ref()));
        Err(Error::Rank { rank, message })
    })
}

/// The text of `error` for the other ranks, which name the failed rank themselves.
pub fn message_of(error: &Error) -> String {
    match error {
        Error::Rank { message, .. } => message.clone(),
        other => other.to_string(),
    }
}

/// Makes a panic of a rank appear only once: in the error that the run returns, with the place
/// of the panic. The standard library no longer reports it too. Panics of other threads are
/// reported as before. For the `main` of a program; the library itself leaves the panic hook
/// alone.
pub fn report_panics_once() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let is_rank = PANIC_PLACE.with_borrow_mut(|place| {
            if let (Some(place), Some(location)) = (place.as_mut(), info.location()) {
                *place = format!(" at {location}");
            }
            place.is_some()
        });
        if !is_rank {
            report(info);
        }
    }));
}

fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
