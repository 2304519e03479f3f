//! The profile as tables, and in a few lines for people. `profile.csv` has a row for each frame and
//! processor, `phases.csv` a row for each frame.

use std::path::{Path, PathBuf};

use cloth_core::error::{Error, Result};

use crate::program::output::{names, write_whole};
use crate::program::profile::{FrameProfile, ProcessorProfile, Profile};
use crate::program::words::{plural_grouped, significant};

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

impl Profile {
    /// The phases of all steps, the longest first, and how busy processors were.
    pub fn lines(&self) -> Vec<String> {
        let steps = self.frames.iter().map(|frame| frame.steps).sum::<u64>();
        let seconds = |phase: usize| self.frames.iter().map(|it| it.seconds[phase]).sum::<f64>();
        let mut phases = Vec::from_iter((0..self.phases.len()).map(|it| (seconds(it), it)));
        phases.sort_by(|a, b| b.0.total_cmp(&a.0));
        let all = phases.iter().map(|(seconds, _)| seconds).sum::<f64>();
        let line = |name: &str, seconds: f64| {
            let (ms, share) = (1e3 * seconds / steps as f64, 100.0 * seconds / all);
            format!("  {name:<24} {seconds:>10.3} s {ms:>10.3} ms a step {share:>6.1} %")
        };
        let count = plural_grouped(steps, "step");
        let mut lines = vec![format!("{}: {}; {count}", self.scene, self.describe())];
        lines.push(line("all phases", all));
        lines.extend(phases.iter().map(|&(seconds, it)| line(self.phases[it].name, seconds)));
        let shares = Vec::from_iter(self.processors.iter().filter_map(|it| self.share(it)));
        if !shares.is_empty() {
            let low = shares.iter().copied().fold(f64::INFINITY, f64::min);
            let high = shares.iter().copied().fold(0.0, f64::max);
            let mean = shares.iter().sum::<f64>() / shares.len() as f64;
            let [low, high, mean] = [low, high, mean].map(|it| significant(100.0 * it));
            let all = plural_grouped(shares.len() as u64, "processor");
            let share = self.look.share;
            lines.push(format!("  {share} of {all}: {low} to {high} %, mean {mean} %"));
        }
        lines
    }
}
