//! The subcommand `profile`: tells how busy each processor was.

use std::path::PathBuf;

use clap::Args;
use cloth_core::error::{Error, Result};
use serde_json::json;

use crate::program::output::run_files;
use crate::program::print::{self, ResultFormat};
use crate::program::profile;
use crate::program::profile::Summary;

/// Arguments of `profile`.
#[derive(Debug, Clone, Args)]
pub struct ProfileArguments {
    /// The run folder.
    pub run: PathBuf,

    /// The folder of another run, to compare with. It must have the same number of frames.
    #[arg(value_name = "RUN")]
    pub other: Option<PathBuf>,

    /// Folder for the tables [default: the folder of the run].
    #[arg(long, value_name = "DIR", conflicts_with = "other")]
    pub out: Option<PathBuf>,

    /// How the result is printed.
    #[command(flatten)]
    pub result: ResultFormat,
}

/// Writes the tables of one run, or compares two. Prints the files, the phases and what workers did.
/// Lists the files in the `run.json` beside them.
///
/// # Errors
/// A folder that is no run or has no step, two runs of different length, or a file that cannot be
/// written.
pub fn profile(arguments: &ProfileArguments) -> Result<()> {
    let ProfileArguments { run, other, out, result } = arguments;
    if let Some(out) = out {
        std::fs::create_dir_all(out)
            .map_err(|cause| Error::file(out, cause, "choose another folder (--out)"))?;
    }
    let out = out.as_ref().unwrap_or(run);
    let Summary { files, lines } = match other {
        None => profile::write(run, out)?,
        Some(other) => profile::compare([run, other])?,
    };
    run_files::list_drawn(out, &files)?;
    result.print(&json!({ "files": files }), || {
        files.iter().try_for_each(|file| print::line(file.display()))?;
        lines.iter().try_for_each(print::line)
    })?;
    Ok(())
}
