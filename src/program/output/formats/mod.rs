//! Formats of frames. A new format is a file in this folder and an entry of [`ALL`].
//!
//! A format opens a [`Sink`], which writes the frames of a run, and a [`Source`], which reads them.
//! It has one file for each frame ([`each_frame`]) or one file for the whole run ([`pc2`]).
//!
//! A reader finds only complete frames, even if the process is killed:
//!
//! - A file of one frame gets its name when it is complete.
//! - The head of a file of a whole run has the number of its frames. This number is raised after a
//!   frame is written. The next frame overwrites any bytes behind the last frame.
//!
//! Only after this does the frame get its line in `steps.jsonl`.

pub mod each_frame;
pub mod nine_digits;
pub mod obj;
pub mod pc2;
pub mod set;
#[cfg(test)]
mod tests;
pub mod usd;
pub mod vtp;

pub use self::each_frame::{EachFrame, Index};
pub use self::set::{FormatTime, Formats, Sinks};

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_core::mesh::ObjDocument;
use cloth_core::mesh::obj_read::Lines;
use cloth_rigid::solid::Solids;
use cloth_scene::spec::Digits;

use crate::engine::Frame;
use crate::program::output::{Materials, RunFiles, names};

/// All formats.
pub const ALL: [&dyn Format; 4] = [&obj::Obj, &vtp::Vtp, &pc2::Pc2, &usd::Usd];

/// A format of frames.
pub trait Format: Sync {
    /// Its name in a scene's `output.formats`. It is also the ending of the files with frames.
    fn name(&self) -> &'static str;

    /// Checks that the format can hold the frames of a run. Most formats hold any.
    ///
    /// # Errors
    /// When there are too many bodies, or objects of a kind that the format cannot hold.
    fn check(&self, _objects: &FrameObjects) -> Result<()> {
        Ok(())
    }

    /// The name of the file that holds frame `number`.
    fn file(&self, number: u64) -> String {
        names::frame(number, self.name())
    }

    /// The name of frame `number` in messages.
    fn frame_name(&self, number: u64) -> String {
        self.file(number)
    }

    /// Tells the user how to see the frames.
    fn to_see(&self) -> &'static str;

    /// Adds the names of all files of a run with these `objects` to `files`.
    fn add_files(&self, files: &mut RunFiles, _objects: &FrameObjects) {
        files.each_frame.push(names::all_frames(self.name()));
    }

    /// Whether `check` can read the frames of a run. `has_bodies` is true for a run of rigid bodies
    /// alone.
    fn is_readable(&self, has_bodies: bool) -> bool;

    /// Whether a frame holds fields of vertices.
    fn holds_fields(&self) -> bool {
        false
    }

    /// The number of the last frame in `folder`. None without frames.
    ///
    /// # Errors
    /// When the folder or a file that it needs cannot be read.
    fn last_frame(&self, folder: &Path) -> io::Result<Option<u64>> {
        each_frame::last(folder, &names::all_frames(self.name()))
    }

    /// Opens `folder` for writing. If the range `kept` is empty, the frames of a run begin.
    /// Otherwise they continue after the frames `kept`.
    ///
    /// # Errors
    /// When a file cannot be written. When a file with frames to keep is damaged.
    fn sink(
        &self,
        folder: &Path,
        objects: &FrameObjects,
        kept: &Range<u64>,
    ) -> Result<Box<dyn Sink>>;

    /// Opens the frames of `run` for reading.
    ///
    /// # Errors
    /// When no frame can be read. When the format lacks values that a check of the run needs.
    fn source(&self, run: &WrittenRun) -> Result<Box<dyn Source>>;
}

/// Writes the frames of a run, one after the other.
pub trait Sink: Send {
    /// Writes frame `number`. After: the frame is complete, and readers find it.
    ///
    /// # Errors
    /// When the frame cannot be written. The frames before it stay complete.
    fn frame(&mut self, number: u64, frame: &Frame) -> io::Result<()>;

    /// Removes the last frame, `number`, because its record could not be written.
    fn take_back(&mut self, number: u64);

    /// Finishes the files of the run. No frame may follow.
    ///
    /// # Errors
    /// When the files cannot be written.
    fn finish(&mut self) -> io::Result<()>;
}

/// Reads the frames of a run in any order.
pub trait Source: Send + Sync {
    /// The surfaces, which are the same in all frames. The list is empty in a run of rigid bodies.
    fn surfaces(&self) -> &Pieces;

    /// Reads frame `number`.
    ///
    /// # Errors
    /// When the frame is missing or torn, or has other surfaces than [`Source::surfaces`]. The
    /// message says which.
    fn frame(&self, number: u64) -> std::result::Result<Frame, String>;
}

/// A run whose frames are read.
#[derive(Debug, Clone)]
pub struct WrittenRun {
    /// Its folder.
    pub folder: PathBuf,
    /// The numbers of its frames.
    pub frames: Range<u64>,
    /// Time from frame to frame, s.
    pub frame_s: f64,
    /// True for a run of rigid bodies alone, false for a run with cloth.
    pub has_bodies: bool,
    /// The files that it lists.
    pub files: RunFiles,
}

impl WrittenRun {
    /// The result of `read` for the first frame for which it succeeds.
    ///
    /// # Errors
    /// When `read` fails for all frames: the error of the first frame. When there are no frames.
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

/// What all frames of a run share.
#[derive(Debug, Clone, Default)]
pub struct FrameObjects<'a> {
    /// Name and mesh of each surface, in the order of
    /// [`Frame::surfaces`](crate::engine::Frame).
    pub surfaces: Vec<(Cow<'a, str>, &'a ObjDocument)>,
    /// Names of the rigid bodies among cloth, in the order of their surfaces.
    pub posed: Vec<String>,
    /// Number of cloths. Their surfaces come first, then those of the bodies.
    pub cloths: usize,
    /// What stands still. It is in no frame.
    pub still: Vec<Object<'a>>,
    /// The materials of the meshes.
    pub materials: Option<&'a Materials>,
    /// The bodies, in a scene of rigid bodies.
    pub bodies: Option<FrameBodies<'a>>,
    /// How exactly formats of text write numbers.
    pub digits: Digits,
    /// Frames per second.
    pub frames_per_second: f64,
}

/// What all frames of a scene of rigid bodies share.
#[derive(Debug, Clone, Copy)]
pub struct FrameBodies<'a> {
    /// Number of bodies in the first frame.
    pub count: usize,
    /// The hulls and closed meshes among their shapes.
    pub solids: &'a Solids,
}

/// A mesh at a place.
#[derive(Debug, Clone)]
pub struct Object<'a> {
    /// Its name.
    pub name: String,
    /// Its faces.
    pub document: Cow<'a, ObjDocument>,
    /// Positions of its vertices, m.
    pub positions: Vec<Vec3>,
}

/// The surfaces of all frames of a run.
#[derive(Debug, Clone, Default)]
pub struct Pieces {
    /// The name of the file from which the surfaces were read.
    pub file: String,
    /// The surfaces, in the order of [`Frame::surfaces`](crate::engine::Frame).
    pub list: Vec<Piece>,
}

/// A surface.
#[derive(Debug, Clone)]
pub struct Piece {
    /// Its positions (m) and polygons. Vertices are numbered within the surface.
    pub document: ObjDocument,
    /// The lines of its vertices and polygons in the file, for messages.
    pub lines: Lines,
}

impl Pieces {
    /// Number of vertices of all surfaces.
    pub fn vertices(&self) -> usize {
        self.list.iter().map(|piece| piece.document.positions.len()).sum()
    }

    /// Splits `positions`, one value for each vertex of all surfaces, into one list for each
    /// surface. Before: there are at least [`Self::vertices`] values.
    pub fn split<T: Clone>(&self, mut positions: &[T]) -> Vec<Vec<T>> {
        let mut surfaces = Vec::with_capacity(self.list.len());
        for piece in &self.list {
            let (own, others) = positions.split_at(piece.document.positions.len());
            surfaces.push(own.to_vec());
            positions = others;
        }
        surfaces
    }
}
