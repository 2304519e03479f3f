//! The closing summary of a run: what every kind of run says.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use cloth_core::error::shell_word;

use crate::program::output::RunHead;
use crate::program::output::formats::{Format, Formats};
use crate::program::words::{plural, significant};

/// The facts that the summary of every kind of run has.
pub struct RunFacts<'a> {
    /// The run.
    pub head: &'a RunHead,
    /// Number of the last frame.
    pub frames: usize,
    /// The frames that the run already had when it was resumed. Empty for a new run.
    pub kept_frames: Range<u64>,
    /// The formats of the frames.
    pub formats: &'a Formats,
    /// The folder of the frames.
    pub folder: &'a Path,
    /// Wall time of the set-up, s.
    pub set_up_s: f64,
    /// Wall time of the run, set-up included, s.
    pub wall_s: f64,
}

impl RunFacts<'_> {
    /// Writes the number of frames, and the time that they took.
    ///
    /// # Errors
    /// Those of `f`.
    pub fn write_times(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { head, frames, ref kept_frames, set_up_s, wall_s, .. } = *self;
        let first = head.first_frame() as usize;
        let computed = (frames + 1)
            .saturating_sub(kept_frames.end.max(1) as usize)
            .min(frames.saturating_sub(first));
        let a_frame = (wall_s - set_up_s) / computed.max(1) as f64;
        let last = match kept_frames.is_empty() {
            true => String::new(),
            false => format!(", the last {computed}"),
        };
        writeln!(
            f,
            "{}: {}{last} in {wall_s:.1} s ({set_up_s:.1} s set-up, {} s a frame; {} x {})",
            head.scene,
            plural(frames.saturating_sub(first), "frame"),
            significant(a_frame),
            plural(head.ranks, "rank"),
            plural(head.threads, "thread"),
        )
    }

    /// Writes where the frames are, and how to check and see them.
    ///
    /// # Errors
    /// Those of `f`.
    pub fn write_files(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let folder = self.folder.display();
        let last = self.formats.first().frame_name(self.frames as u64);
        writeln!(f, "  frames    {folder}, up to {last}")?;
        let mut to_see = Vec::from_iter(self.formats.all().map(Format::to_see).map(str::to_owned));
        if self.formats.readable(self.head.bodies.is_some()).is_some() {
            let folder = shell_word(folder);
            writeln!(f, "  to check  cloth-sim check {folder}")?;
            to_see.insert(0, format!("cloth-sim view {folder}"));
        }
        write!(f, "  to see    {}", to_see.join("\n            or "))
    }
}
