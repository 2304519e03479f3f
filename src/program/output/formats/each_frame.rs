//! Formats with one file for each frame, and perhaps an index: a file that names all of them.

use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use cloth_core::error::Result;
use cloth_core::input;

use crate::engine::Frame;
use crate::program::output::formats::Sink;
use crate::program::output::{names, not_written, write_whole};

/// Writes each frame into its own file with `encode`.
pub struct EachFrame<E> {
    /// The folder of the run.
    pub folder: PathBuf,
    /// The name of the files of all frames. `*` stands for the number.
    pub files: String,
    /// Writes the frame with a number.
    pub encode: E,
    /// The index, if the format has one.
    pub index: Option<Index>,
}

/// A file that names the files of all frames. It is written again after each frame.
pub struct Index {
    file: &'static str,
    frames: Range<u64>,
    text: Box<IndexText>,
}

/// Writes the text of an index for the frames with these numbers.
type IndexText = dyn Fn(&Range<u64>) -> String + Send;

impl Index {
    /// The index `file` of a run that has the frames `kept` so far, with its `text`.
    pub fn new(
        file: &'static str,
        kept: &Range<u64>,
        text: impl Fn(&Range<u64>) -> String + Send + 'static,
    ) -> Self {
        Self { file, frames: kept.clone(), text: Box::new(text) }
    }

    /// Writes the index of the frames so far, if there are any.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(self, folder: &Path) -> Result<Self> {
        let written = if self.frames.is_empty() { Ok(()) } else { self.write(folder) };
        written.map_err(|cause| not_written(&folder.join(self.file), cause))?;
        Ok(self)
    }

    fn add(&mut self, folder: &Path, number: u64) -> io::Result<()> {
        if self.frames.is_empty() {
            self.frames.start = number;
        }
        self.frames.end = number + 1;
        self.write(folder)
    }

    fn remove(&mut self, folder: &Path, number: u64) -> io::Result<()> {
        if !self.frames.contains(&number) {
            return Ok(());
        }
        self.frames.end = number;
        self.write(folder)
    }

    fn write(&self, folder: &Path) -> io::Result<()> {
        let text = (self.text)(&self.frames);
        write_whole(&folder.join(self.file), |out| out.write_all(text.as_bytes()))
    }
}

impl<E: FnMut(u64, &Frame, &mut dyn Write) -> io::Result<()> + Send> EachFrame<E> {
    fn write(&mut self, number: u64, frame: &Frame) -> io::Result<()> {
        write_whole(&self.path(number), |out| (self.encode)(number, frame, out))?;
        self.index.as_mut().map_or(Ok(()), |index| index.add(&self.folder, number))
    }
}

impl<E: FnMut(u64, &Frame, &mut dyn Write) -> io::Result<()> + Send> Sink for EachFrame<E> {
    fn frame(&mut self, number: u64, frame: &Frame) -> io::Result<()> {
        self.write(number, frame).inspect_err(|_| self.take_back(number))
    }

    fn take_back(&mut self, number: u64) {
        // If this fails too, the files stay. The run has failed already and reports the cause.
        let _ = self.index.as_mut().map(|index| index.remove(&self.folder, number));
        let _ = std::fs::remove_file(self.path(number));
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<E> EachFrame<E> {
    fn path(&self, number: u64) -> PathBuf {
        self.folder.join(names::numbered(&self.files, number))
    }
}

/// The bytes of the file of frame `number`.
///
/// # Errors
/// When the file is missing or cannot be read. The message says which.
pub fn read(folder: &Path, number: u64, ending: &str) -> std::result::Result<Vec<u8>, String> {
    let path = folder.join(names::frame(number, ending));
    input::read(&path, input::DATA_LIMIT).map_err(|cause| {
        if path.exists() { format!("cannot be read: {cause}") } else { "missing".to_owned() }
    })
}

/// The number of the last frame in `folder`, whose files have the name `files` with `*` for the
/// number. None without frames.
///
/// # Errors
/// When the folder cannot be read.
pub fn last(folder: &Path, files: &str) -> io::Result<Option<u64>> {
    let number =
        |entry: std::fs::DirEntry| names::number_in(&entry.file_name().to_string_lossy(), files);
    Ok(std::fs::read_dir(folder)?.flatten().filter_map(number).max())
}
