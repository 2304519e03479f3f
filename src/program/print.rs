//! Standard output and standard error: all that the program prints goes through here, except the
//! progress of a run.

use std::fmt::Display;
use std::io::{ErrorKind, Write, stderr, stdout};

use clap::Args;
use cloth_core::error::{Error, Result, printable, printable_lines};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

/// How a subcommand prints its result.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct ResultFormat {
    /// Print the result as JSON, for other programs.
    #[arg(long)]
    pub json: bool,
}

impl ResultFormat {
    /// Prints `value` as JSON if that is asked, else what `words` prints for people.
    ///
    /// # Errors
    /// The errors of [`line`].
    pub fn print(self, value: &impl Serialize, words: impl FnOnce() -> Result<()>) -> Result<()> {
        if self.json { json(value) } else { words() }
    }
}

/// Prints a line on standard output. If its reader has stopped early, like `head`, nothing is
/// printed.
///
/// # Errors
/// When the line cannot be written for another reason, such as a full disk.
pub fn line(text: impl Display) -> Result<()> {
    match writeln!(stdout(), "{}", printable_lines(&text.to_string())) {
        Err(cause) if cause.kind() != ErrorKind::BrokenPipe => {
            Err(Error::file("standard output", cause, "free some space or send it elsewhere"))
        }
        _ => Ok(()),
    }
}

/// Prints `value` as JSON on standard output, as [`line`] does.
///
/// # Errors
/// The errors of [`line`].
fn json(value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|cause| Error::internal("JSON", cause.to_string()))?;
    line(text)
}

/// Prints a message on standard error: an error, a warning, or progress. A failure is ignored.
pub fn message(text: impl Display) {
    let _ = writeln!(stderr(), "{}", printable(&text.to_string()));
}

/// Counts to `most`, if that is known, by a bar with this `template`. The bar appears on terminals
/// only, after the first count, and not if `is_hidden`.
pub fn counter(is_hidden: bool, most: Option<u64>, template: &str) -> ProgressBar {
    let bar = match (is_hidden, most) {
        (true, _) => ProgressBar::hidden(),
        (false, Some(most)) => ProgressBar::new(most),
        (false, None) => ProgressBar::new_spinner(),
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}
