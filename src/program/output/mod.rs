//! What a run leaves on disk: frames, `run.json` and `timeline.json`.

pub mod frames;
mod nine_digits;
mod obj_write;
pub mod run_file;
pub mod run_json;
pub mod time_line;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use cloth_sim::error::{Error, Result};
use serde::Serialize;

/// The profile's table of processors, and that of phases.
pub const TABLES: [&str; 2] = ["profile.csv", "phases.csv"];

/// Ends the name of a file that is being written.
const TEMPORARY: &str = ".tmp";

/// Writes under a temporary name and renames; removes what a failure leaves.
fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(TEMPORARY);
    let temporary = PathBuf::from(temporary);
    let whole = File::create(&temporary).and_then(|mut file| {
        write(&mut file)?;
        file.flush()
    });
    whole.and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
        let _ = fs::remove_file(&temporary);
    })
}

/// Writes `value` as JSON, whole.
fn write_json(path: &Path, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_vec(value)
        .map_err(|cause| Error::file(path, cause, "report this as a bug"))?;
    write_whole(path, |out| out.write_all(&text)).map_err(|cause| not_written(path, cause))
}

fn not_written(path: &Path, cause: io::Error) -> Error {
    Error::file(path, cause, "free some space or choose another --out")
}
