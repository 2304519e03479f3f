//! Formats with one file for each frame.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use cloth_sim::engine::Frame;
use cloth_sim::input;

use crate::program::output::formats::Sink;
use crate::program::output::{names, write_whole};

/// Writes each frame into its own file with `encode`.
pub struct EachFrame<E> {
    /// The folder of the run.
    pub folder: PathBuf,
    /// The ending of the files, without a dot.
    pub ending: &'static str,
    /// Writes one frame.
    pub encode: E,
}

impl<E: FnMut(&Frame, &mut dyn Write) -> io::Result<()> + Send> Sink for EachFrame<E> {
    fn frame(&mut self, number: u64, frame: &Frame) -> io::Result<()> {
        write_whole(&self.path(number), |out| (self.encode)(frame, out))
    }

    fn take_back(&mut self, number: u64) {
        // If this fails too, the file stays. The run has failed already and reports the cause.
        let _ = std::fs::remove_file(self.path(number));
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<E> EachFrame<E> {
    fn path(&self, number: u64) -> PathBuf {
        self.folder.join(names::frame(number, self.ending))
    }
}

/// The bytes of the file of frame `number`.
///
/// # Errors
/// When the file is missing or cannot be read. The message says which.
pub fn read(folder: &Path, number: u64, ending: &str) -> Result<Vec<u8>, String> {
    let path = folder.join(names::frame(number, ending));
    input::read(&path, input::DATA_LIMIT).map_err(|cause| {
        if path.exists() { format!("cannot be read: {cause}") } else { "missing".to_owned() }
    })
}

/// The number of the last frame in `folder`. None without frames.
///
/// # Errors
/// When the folder cannot be read.
pub fn last(folder: &Path, ending: &str) -> io::Result<Option<u64>> {
    let files = names::all_frames(ending);
    let number =
        |entry: std::fs::DirEntry| names::number_in(&entry.file_name().to_string_lossy(), &files);
    Ok(std::fs::read_dir(folder)?.flatten().filter_map(number).max())
}
