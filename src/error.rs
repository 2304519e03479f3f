//! The one error type: what is wrong, where, and what to do about it.

use std::path::PathBuf;

/// `Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that can end a run.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The user's input is at fault: a scene field, a line of a mesh, an argument.
    #[error("{place}: {cause}\n  help: {remedy}")]
    Input {
        /// File with line, scene field or argument.
        place: String,
        /// What is wrong there.
        cause: String,
        /// What the user can do.
        remedy: String,
    },
    /// A file could not be read or written.
    #[error("{}: {cause}\n  help: {remedy}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system reports.
        cause: String,
        /// What the user can do.
        remedy: String,
    },
    /// A step failed even at its smallest size.
    #[error("frame {frame}, step {step}: {cause} (worst vertex {vertex})\n  help: {remedy}")]
    Step {
        /// Frame being computed, from 1.
        frame: u64,
        /// Step since the start, from 1.
        step: u64,
        /// Vertex in the mesh's own numbering where it is worst.
        vertex: u32,
        /// What happened.
        cause: String,
        /// What the user can do.
        remedy: String,
    },
    /// A rank failed; every other rank ends with it.
    #[error("rank {rank} failed: {message}")]
    Rank {
        /// The rank that failed first.
        rank: usize,
        /// Its error or panic message.
        message: String,
    },
    /// A defect of this program: no input of the user can cause it.
    #[error(
        "{place}: {cause}\n  help: this is a defect of cloth-sim; please report it with the scene"
    )]
    Internal {
        /// The part of the program that found it.
        place: String,
        /// What must not happen, and did.
        cause: String,
    },
}

impl Error {
    /// Bad input at `place`.
    pub fn input(
        place: impl Into<String>,
        cause: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::Input { place: place.into(), cause: cause.into(), remedy: remedy.into() }
    }

    /// A file or folder that cannot be read or written.
    pub fn file(
        path: impl Into<PathBuf>,
        cause: impl std::fmt::Display,
        remedy: impl Into<String>,
    ) -> Self {
        Self::File { path: path.into(), cause: cause.to_string(), remedy: remedy.into() }
    }

    /// A defect of this program, found in `place`.
    pub fn internal(place: impl Into<String>, cause: impl std::fmt::Display) -> Self {
        Self::Internal { place: place.into(), cause: cause.to_string() }
    }
}
