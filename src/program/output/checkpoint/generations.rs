//! The checkpoints of a run: writes them, removes the oldest, and finds one to go on from.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use cloth_core::error::{Error, Result};

use crate::program::output::checkpoint::{Checkpoint, Header};
use crate::program::output::names;

/// The least number of checkpoints that are kept. If the newest one is damaged, the one before is
/// used.
pub const LEAST_KEPT: usize = 2;

/// Writes the checkpoints of a run, and removes the oldest ones.
pub struct Generations {
    folder: PathBuf,
    kept: usize,
}

impl Generations {
    /// The checkpoints in `folder`. The last `kept` of them are kept.
    pub fn new(folder: &Path, kept: usize) -> Self {
        Self { folder: folder.to_owned(), kept }
    }

    /// Writes `checkpoint`, then removes the oldest ones.
    ///
    /// # Errors
    /// When it cannot be written. Then the earlier ones are still there.
    pub fn add(&self, checkpoint: &Checkpoint) -> Result<()> {
        let path = self.folder.join(names::checkpoint(checkpoint.header.step));
        checkpoint.write(&self.folder).and_then(|()| self.remove_old()).map_err(|cause| {
            let remedy = "make room, or turn checkpoints off with --checkpoint-every 0";
            Error::file(&path, cause, remedy)
        })
    }

    fn remove_old(&self) -> io::Result<()> {
        let old = all(&self.folder)?.into_iter().rev().skip(self.kept);
        old.map(|(_, path)| path).try_for_each(fs::remove_file)
    }
}

/// All checkpoints in `folder` with their steps, by rising step.
fn all(folder: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(step) = names::number_in(name, names::CHECKPOINTS) {
            all.push((step, path));
        }
    }
    all.sort_unstable();
    Ok(all)
}

/// The checkpoint at frame `frame` of the run in `folder`. A new run with the header `now` begins
/// with it.
///
/// # Errors
/// When there is none, or it cannot be used.
pub fn at_frame(folder: &Path, frame: u64, now: &Header) -> Result<Checkpoint> {
    let path = folder.join(names::checkpoint(frame * now.steps_per_frame));
    if !path.exists() {
        let all = all(folder).map_err(|cause| Error::file(folder, cause, "check this folder"))?;
        let is_frame = |step: &u64| step.is_multiple_of(now.steps_per_frame);
        let frames = all.iter().map(|(step, _)| *step).filter(is_frame);
        let frames = Vec::from_iter(frames.map(|it| (it / now.steps_per_frame).to_string()));
        let cause = match frames.is_empty() {
            true => format!("there is no checkpoint of frame {frame}"),
            false => format!(
                "there is no checkpoint of frame {frame}, but of these frames: {}",
                frames.join(", ")
            ),
        };
        let remedy =
            "choose one of them, or repeat the run with --checkpoint-every and --keep-checkpoints";
        return Err(Error::file(folder, cause, remedy));
    }
    let checkpoint = Checkpoint::read(&path)?;
    match checkpoint.header.is_other_kind(now) {
        None => Ok(checkpoint),
        Some(cause) => Err(Error::file(&path, cause, "keep the steps of the run")),
    }
}

/// The newest checkpoint in `folder` from which the run with the header `now` can go on. `None` if
/// there are no checkpoints. Also returns a line for each newer checkpoint that cannot be used.
///
/// # Errors
/// When there are checkpoints, and none can be used.
pub fn newest(folder: &Path, now: &Header) -> Result<(Option<Checkpoint>, Vec<String>)> {
    let all = all(folder).map_err(|cause| Error::file(folder, cause, "check this folder"))?;
    let mut refused = Vec::new();
    for (step, path) in all.iter().rev() {
        let remedy = "repeat the run";
        let usable = Checkpoint::read(path).and_then(|checkpoint| {
            let is_other = checkpoint.header.step != *step;
            let differs = is_other.then(|| "it was renamed".to_owned());
            match differs.or_else(|| checkpoint.header.differs(now)) {
                None => Ok(checkpoint),
                Some(cause) => Err(Error::file(path, cause, remedy)),
            }
        });
        match usable {
            Ok(checkpoint) => return Ok((Some(checkpoint), refused)),
            Err(error) => refused.push(error.to_string()),
        }
    }
    if refused.is_empty() {
        return Ok((None, refused));
    }
    let cause = format!("no checkpoint can be used: {}", refused.join("; "));
    Err(Error::file(folder, cause, "repeat the run with --overwrite"))
}
