//! Writes recordings.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use cloth_core::error::{Error, Result};
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use crate::program::run::recording::{Header, NAME, RecordedStep, VERSION};

/// A recording that is being written.
pub struct Writer {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Writer {
    /// Checks that `path` can be written. Does not change it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn check(path: &Path) -> Result<()> {
        check_writable(path).map_err(|cause| not_written(path, cause))
    }

    /// Whether the file `path` is an earlier recording or empty. It must exist.
    pub fn may_replace(path: &Path) -> bool {
        if !path.is_file() {
            return false;
        }
        let mut head = Vec::new();
        let read =
            File::open(path).and_then(|file| file.take(NAME.len() as u64).read_to_end(&mut head));
        read.is_ok() && (head.is_empty() || head == NAME)
    }

    /// Begins the file `path`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(path: &Path, header: &Header) -> Result<Self> {
        let file = File::create(path).map_err(|cause| not_written(path, cause))?;
        let mut writer = Self { path: path.to_owned(), file: BufWriter::new(file) };
        writer.bytes(&[NAME, VERSION].concat())?;
        writer.piece(header)?;
        Ok(writer)
    }

    /// Adds a step.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn step(&mut self, step: &RecordedStep) -> Result<()> {
        self.piece(step)?;
        self.file.flush().map_err(|cause| not_written(&self.path, cause))
    }

    fn piece(&mut self, piece: &impl Serialize) -> Result<()> {
        let bytes = postcard::to_stdvec(piece)
            .map_err(|cause| Error::internal(self.path.display().to_string(), cause))?;
        self.bytes(&(bytes.len() as u64).to_le_bytes())?;
        self.bytes(&xxh3_64(&bytes).to_le_bytes())?;
        self.bytes(&bytes)
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|cause| not_written(&self.path, cause))
    }
}

/// Checks that a file can be written. Does not change it.
///
/// # Errors
/// When it cannot be written.
pub fn check_writable(path: &Path) -> std::io::Result<()> {
    // A link to a missing file exists too.
    let is_there = path.symlink_metadata().is_ok();
    File::options().append(true).create(true).open(path)?;
    if !is_there {
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

fn not_written(path: &Path, cause: std::io::Error) -> Error {
    Error::file(path, cause, "free some space or choose another file (--record-tasks)")
}
