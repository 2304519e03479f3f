//! What every run folder gets at its begin and at its end, on rank 0.

use std::path::Path;

use cloth_sim::error::{Error, Result};

use crate::program::output::folder::RunFolder;
use crate::program::output::run_json::{RunHead, Status};
use crate::program::output::{names, write_whole};
use crate::program::print;
use crate::program::run::job::Job;
use crate::program::words::whole_frames;

/// A note about a dead process that had locked the folder.
pub fn taken_over(folder: &RunFolder) -> Option<String> {
    let owner = folder.taken_over.as_ref()?;
    Some(format!(
        "note: process {} has ended without removing its {}; this run takes the folder over",
        owner.process,
        names::LOCK
    ))
}

/// Warnings about the scene, and about too many ranks and threads for `patches` patches.
pub fn warnings(job: &Job, patches: usize) -> impl Iterator<Item = String> {
    let start = job.warnings.iter().map(|it| format!("warning: {it}"));
    start.chain(job.placement.warning(patches))
}

/// Writes to `run.json` how the run ended, once the frames are on disk or have failed (`written`).
///
/// # Errors
/// The failure of a frame, or of this file.
pub fn end_with(
    status: Status,
    written: Result<()>,
    head: &mut RunHead,
    folder: &Path,
) -> Result<()> {
    let ended = written.and_then(|()| {
        head.status = status;
        head.end(folder)
    });
    ended.inspect_err(|error| note_failure(head, folder, error))
}

/// Writes the failure to `run.json`. If that fails too, the user still reads `error`.
pub fn note_failure(head: &mut RunHead, folder: &Path, error: &Error) {
    head.status = Status::Failed;
    head.error = Some(error.to_string());
    let _ = head.end(folder);
}

/// Says that a signal ended the run.
pub fn say_interrupted(last_frame: Option<u64>, folder: &Path) {
    let whole = whole_frames(last_frame);
    print::message(format_args!("interrupted, {whole}: {}", folder.display()));
}

/// Writes a text of the run folder.
///
/// # Errors
/// When it cannot be written.
pub fn write_file(path: &Path, text: &str) -> Result<()> {
    write_whole(path, |out| out.write_all(text.as_bytes()))
        .map_err(|cause| Error::file(path, cause, "free some space or choose another --out"))
}
