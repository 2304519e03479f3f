//! The subcommand `check`: verifies the frames of a finished run.

use cloth_sim::error::{Error, Result};

use crate::cli::CheckArguments;

/// Checks a run folder.
///
/// # Errors
/// A folder that is no run; a run with faults.
pub fn check(arguments: &CheckArguments) -> Result<()> {
    Err(Error::input(arguments.folder.display().to_string(), "not checked yet", "wait"))
}
