//! Formats of frames. A new format is a file in this folder and an entry of [`ALL`].
//!
//! A format opens a [`Sink`], which writes the frames of a run, and a [`Source`], which reads them.
//! It has a file for each frame ([`each_frame`]) or one file for the whole run ([`pc2`]).
//!
//! Files are always whole, even if the process is killed:
//!
//! - A file of one frame gets its name when it is whole.
//! - A file of a whole run says at its head how many frames it holds. That number is raised when the
//!   frame is written. What lies behind the last frame is overwritten by the next one.
//!
//! Only then does the frame get its line in `steps.jsonl`.

pub mod each_frame;
pub mod obj;
pub mod pc2;
pub mod piece;
#[cfg(test)]
mod tests;
pub mod vtp;

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use cloth_sim::engine::Frame;
use cloth_sim::error::{Error, Result};
use cloth_sim::scene::did_you_mean;

use crate::program::output::formats::piece::Pieces;
use crate::program::output::frame_objects::FrameObjects;
use crate::program::output::names;
use crate::program::output::run_files::RunFiles;

/// All formats.
pub const ALL: [&dyn Format; 3] = [&obj::Obj, &vtp::Vtp, &pc2::Pc2];

/// A format of frames.
pub trait Format: Sync {
    /// Its name in a scene's `output.format`, and the ending of its files.
    fn name(&self) -> &'static str;

    /// Refuses a run whose frames it cannot hold.
    ///
    /// # Errors
    /// Too many bodies, or only objects that it cannot hold.
    fn check(&self, objects: &FrameObjects) -> Result<()>;

    /// The file with frame `number`.
    fn file(&self, number: u64) -> String {
        names::frame(number, self.name())
    }

    /// How messages name frame `number`.
    fn frame_name(&self, number: u64) -> String {
        self.file(number)
    }

    /// What a user does to see its frames.
    fn to_see(&self) -> &'static str;

    /// Adds all its files to those of a run.
    fn add_files(&self, files: &mut RunFiles) {
        files.each_frame.push(names::all_frames(self.name()));
    }

    /// The last frame in `folder`.
    ///
    /// # Errors
    /// When the folder cannot be read.
    fn last_frame(&self, folder: &Path) -> io::Result<Option<u64>> {
        each_frame::last(folder, self.name())
    }

    /// Begins the frames of a run in `folder`, or goes on after those that are `kept`.
    ///
    /// # Errors
    /// When a file cannot be written. When files that are kept are damaged.
    fn sink(
        &self,
        folder: &Path,
        objects: &FrameObjects,
        kept: &Range<u64>,
    ) -> Result<Box<dyn Sink>>;

    /// Opens the frames of `run` for reading.
    ///
    /// # Errors
    /// No frame that can be read. A format that does not hold what the run computes.
    fn source(&self, run: &WrittenRun) -> Result<Box<dyn Source>>;
}

/// Writes the frames of a run, one after the other.
pub trait Sink: Send {
    /// Writes frame `number`. After: the frame is whole on disk, and readers find it.
    ///
    /// # Errors
    /// When it cannot be written. The frames before it stay whole.
    fn frame(&mut self, number: u64, frame: &Frame) -> io::Result<()>;

    /// Removes frame `number`, the last one, because its record could not be written.
    fn take_back(&mut self, number: u64);

    /// Ends the files of the run. No frame follows.
    ///
    /// # Errors
    /// When they cannot be written.
    fn finish(&mut self) -> io::Result<()>;
}

/// Reads the frames of a run in any order.
pub trait Source: Sync {
    /// The surfaces of all frames. None in a run of rigid bodies.
    fn surfaces(&self) -> &Pieces;

    /// Frame `number`, or what is wrong with it.
    ///
    /// # Errors
    /// A frame that is missing or torn, or has other surfaces than [`Source::surfaces`].
    fn frame(&self, number: u64) -> std::result::Result<Frame, String>;
}

/// A run that is read.
#[derive(Debug, Clone)]
pub struct WrittenRun {
    /// Its folder.
    pub folder: PathBuf,
    /// Its frames.
    pub frames: Range<u64>,
    /// Time from frame to frame, s.
    pub frame_s: f64,
    /// Whether it is of rigid bodies.
    pub has_bodies: bool,
}

impl WrittenRun {
    /// The first frame for which `read` succeeds.
    ///
    /// # Errors
    /// That of the first frame, if all fail.
    fn first_whole<T>(&self, mut read: impl FnMut(u64) -> Result<T>) -> Result<T> {
        let mut first_error = None;
        for number in self.frames.clone() {
            match read(number) {
                Ok(whole) => return Ok(whole),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        let none =
            || Error::file(&self.folder, "the run has no frames", "give the folder of a run");
        Err(first_error.unwrap_or_else(none))
    }
}

/// The format of this name.
///
/// # Errors
/// When there is none. The message has the nearest name.
pub fn named(name: &str) -> Result<&'static dyn Format> {
    let format = ALL.into_iter().find(|format| format.name() == name);
    let unknown = || {
        let cause = format!("unknown format `{name}`");
        Error::input("output.format", cause, did_you_mean(name, &ALL.map(Format::name)))
    };
    format.ok_or_else(unknown)
}
