//! The profile as tables. `profile.csv` has a row for each frame and processor, `phases.csv` a row
//! for each frame.

use std::path::{Path, PathBuf};

use cloth_core::error::{Error, Result};

use crate::program::output::{names, write_whole};
use crate::program::profile::{FrameProfile, ProcessorProfile, Profile};

impl Profile {
    /// Writes `profile.csv` and `phases.csv` into `folder` and returns their paths. Numbers are
    /// exact. A value that is not known is empty.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn write_tables(&self, folder: &Path) -> Result<[PathBuf; 2]> {
        let processors = write(&folder.join(names::PROFILE), &self.of_processors())?;
        Ok([processors, write(&folder.join(names::PHASES), &self.of_phases())?])
    }

    /// Seconds of each phase, averaged over the ranks.
    fn of_phases(&self) -> String {
        let names = self.phases.iter().map(|phase| format!("{}_s", phase.name));
        let of_frame = self.look.of_frame;
        let columns = of_frame.iter().map(|&name| name.to_owned()).chain(names);
        let row_of = |frame: &FrameProfile| {
            let first = of_frame.iter().map(|column| self.largest(frame, column));
            row(frame.frame, first.chain(frame.seconds.iter().copied()).map(|it| it.to_string()))
        };
        row("frame", columns) + &self.frames.iter().map(row_of).collect::<String>()
    }

    fn of_processors(&self) -> String {
        let by_thread = self.look.by_thread;
        let place = ["rank", "thread"].into_iter().take(1 + usize::from(by_thread));
        let columns = place.map(str::to_owned).chain(self.columns.iter().cloned());
        let row_of = |frame: u64, processor: &ProcessorProfile| {
            let ProcessorProfile { rank, thread, values } = processor;
            let place = [rank, thread].into_iter().take(1 + usize::from(by_thread));
            let known = |it: &f64| if it.is_nan() { String::new() } else { it.to_string() };
            row(frame, place.map(usize::to_string).chain(values.iter().map(known)))
        };
        let rows = self.frames.iter().flat_map(|frame| {
            frame.processors.iter().map(move |processor| row_of(frame.frame, processor))
        });
        row("frame", columns) + &rows.collect::<String>()
    }
}

/// A row of a table.
pub(super) fn row(frame: impl ToString, values: impl Iterator<Item = String>) -> String {
    let values = std::iter::once(frame.to_string()).chain(values);
    values.collect::<Vec<_>>().join(",") + "\n"
}

/// Writes a table and returns its path.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write(path: &Path, text: &str) -> Result<PathBuf> {
    let remedy = "free some space or choose another folder (--out)";
    write_whole(path, |out| out.write_all(text.as_bytes()))
        .map_err(|cause| Error::file(path, cause, remedy))?;
    Ok(path.to_owned())
}
