//! Recordings: `--record-tasks` writes them, `cloth-lab replay` reads them.
//!
//! A file begins with a line that names the format. Then come pieces: a [`Header`], and a
//! [`RecordedStep`] for each step. A piece starts with its length and its hash (64 bits each,
//! little-endian). Its content follows in the Postcard format. The hash shows whether a file was
//! cut off or damaged.

mod of_run;
mod step;

pub use self::of_run::RecordingArguments;
pub use self::step::{Kind, RecordedTrees, StepRecorder};

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use cloth_collision::stealing::{ProcessorUse, StealingSettings};
use cloth_core::error::{Error, Result};
use cloth_core::partition::PatchGraph;
use cloth_step::Phase;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::program::output::is_of_another;

/// The beginning of the first line of a file.
pub const NAME: &str = "cloth-sim test trees\n";
/// The version of the format, behind it.
pub const VERSION: &str = "4\n";

/// The data that all steps of a recording share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The scene's name.
    pub scene: String,
    /// Number of ranks.
    pub ranks: usize,
    /// Threads of each rank.
    pub threads: usize,
    /// Number of steps of a frame.
    pub steps_per_frame: u64,
    /// Number of steps in the recording, if the run completes.
    pub steps: u64,
    /// How tests were shared among processors.
    pub collision: StealingSettings,
    /// The graph of patches, from which METIS decides which rank owns which patch.
    pub patches: PatchGraph,
    /// Number of vertices of all cloths.
    pub vertices: u64,
    /// Names of the phases of a step.
    pub phases: Vec<String>,
}

impl Header {
    /// Names of all phases of a step.
    pub fn phase_names() -> Vec<String> {
        Phase::ALL.iter().map(|phase| phase.name().to_owned()).collect()
    }
}

/// One search: its trees and its measured times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedSearch {
    /// The test trees of all ranks.
    pub trees: RecordedTrees,
    /// How each processor spent the search, by rank and thread.
    pub uses: Vec<ProcessorUse>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedStep {
    /// Its number, from 1.
    pub step: u64,
    /// Its searches, in order.
    pub searches: Vec<RecordedSearch>,
    /// Seconds of each phase, by rank.
    pub seconds: Vec<Vec<f64>>,
    /// Number of solved linear systems, which is the number of attempts.
    pub solves: u64,
    /// Number of rounds of impulses.
    pub impulse_rounds: u64,
    /// Number of collisions in all rounds.
    pub collisions: u64,
    /// Number of passes of the fail-safe.
    pub fail_safe_passes: u64,
}

/// A recording that is being written.
pub struct TreeWriter {
    path: PathBuf,
    file: BufWriter<File>,
}

impl TreeWriter {
    /// Checks that `path` can be written. Does not change it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn check(path: &Path) -> Result<()> {
        check_writable(path).map_err(|cause| not_written(path, cause))
    }

    /// Whether the file `path` is an earlier recording or empty. It must exist.
    pub fn may_replace(path: &Path) -> bool {
        let is_empty = path.metadata().is_ok_and(|file| file.len() == 0);
        path.is_file() && (is_empty || !is_of_another(path, NAME, NAME.len()))
    }

    /// Begins the file `path`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(path: &Path, header: &Header) -> Result<Self> {
        let file = File::create(path).map_err(|cause| not_written(path, cause))?;
        let mut writer = Self { path: path.to_owned(), file: BufWriter::new(file) };
        writer.bytes([NAME, VERSION].concat().as_bytes())?;
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

fn not_written(path: &Path, cause: std::io::Error) -> Error {
    Error::file(path, cause, "free some space or choose another file (--record-tasks)")
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
