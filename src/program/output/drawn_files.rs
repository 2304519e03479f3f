//! Pictures and tables of a run are listed among its files.

use std::path::{Path, PathBuf};

use cloth_core::error::Result;

use crate::program::output::{Lock, RunHead, Status, names, write_json};

/// Lists `files`, pictures and tables in `folder`, as files of the run there. Does nothing without
/// a run, or before it has ended: until then its process writes `run.json`.
///
/// # Errors
/// When `run.json` cannot be written.
pub fn list_drawn(folder: &Path, files: &[PathBuf]) -> Result<()> {
    let ended = || RunHead::read(folder).ok().filter(|head| head.status != Status::Running);
    if ended().is_none() {
        return Ok(());
    }
    // Another process that locks the folder replaces the run.
    let Ok(_lock) = Lock::acquire(folder) else { return Ok(()) };
    let Some(mut head) = ended() else { return Ok(()) };
    let before = head.files.once.len();
    head.files.add(files.iter().filter_map(|file| file.file_name()?.to_str()));
    if head.files.once.len() == before {
        return Ok(());
    }
    write_json(&folder.join(names::RUN), &head)
}
