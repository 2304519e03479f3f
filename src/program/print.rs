//! Standard output. Its reader may stop early, like `head`.

use std::fmt::Display;
use std::io::{ErrorKind, Write, stdout};

use cloth_sim::error::{Error, Result};

/// Prints a line. Does nothing if nobody reads any more.
///
/// # Errors
/// When the line cannot be written for another reason, such as a full disk.
pub fn line(text: impl Display) -> Result<()> {
    match writeln!(stdout(), "{text}") {
        Err(cause) if cause.kind() != ErrorKind::BrokenPipe => {
            Err(Error::file("standard output", cause, "free some space or send it elsewhere"))
        }
        _ => Ok(()),
    }
}
