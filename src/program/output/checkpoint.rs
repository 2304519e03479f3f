//! Checkpoints: the state of a run between two steps, from which `cloth-sim resume` goes on.
//!
//! ```text
//! "CLTHSIM\n"  version of the format, u32, little-endian
//! block 1      the header: run and step
//! block 2      the state, as the engine saves it
//! block 3      the record of the steps since the last frame, JSON; empty at a frame
//! ```
//!
//! A block is its length in bytes (u64), the XXH3 hash of its bytes (u64), and its bytes. Lengths
//! and hashes are little-endian. Every byte of a file is checked.
//!
//! A file is written under a temporary name and synced before it gets its own name. Then the folder
//! is synced. So a file with the name of a checkpoint is whole, even after a loss of power.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use cloth_core::error::{Error, Result};
use cloth_core::input;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::program::output::names;

/// The first bytes of a checkpoint.
const MAGIC: &[u8; 8] = b"CLTHSIM\n";

/// The version of the format.
const FORMAT: u32 = 4;

/// The run of a checkpoint, and the step after which it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The version of the program.
    pub version: String,
    /// What computes the run: `cloth` or `bodies`.
    pub engine: String,
    /// The hash of the scene and its meshes.
    pub scene_hash: u64,
    /// Whole steps since the start.
    pub step: u64,
    /// Steps from one frame to the next.
    pub steps_per_frame: u64,
}

impl Header {
    /// The last frame that was complete.
    pub fn frame(&self) -> u64 {
        self.step / self.steps_per_frame.max(1)
    }

    /// The reason why a run with the header `now` cannot go on from this checkpoint. `None` if it
    /// can.
    pub fn differs(&self, now: &Self) -> Option<String> {
        let is_changed = self.scene_hash != now.scene_hash;
        let changed =
            is_changed.then(|| "the scene or a mesh has changed since it was made".to_owned());
        self.is_other_kind(now).or(changed)
    }

    /// The reason why a run with the header `now`, of any scene, cannot begin with this
    /// checkpoint. `None` if it can.
    pub fn is_other_kind(&self, now: &Self) -> Option<String> {
        if self.version != now.version {
            return Some(format!(
                "it was made by version {}, and this is version {}",
                self.version, now.version
            ));
        }
        if self.engine != now.engine {
            return Some(format!("it is of a run of {}", self.engine));
        }
        (self.steps_per_frame != now.steps_per_frame)
            .then(|| format!("it is of a run with steps_per_frame: {}", self.steps_per_frame))
    }
}

/// A checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Run and step.
    pub header: Header,
    /// The state, as the engine saves it.
    pub state: Vec<u8>,
    /// The record of the steps since the last frame, as JSON; empty at a frame.
    pub steps: Vec<u8>,
}

impl Checkpoint {
    /// Writes the checkpoint into `folder`.
    ///
    /// # Errors
    /// When it cannot be written. Then the folder has not changed.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let path = folder.join(names::checkpoint(self.header.step));
        let temporary = names::temporary(&path);
        let _ = fs::remove_file(&temporary);
        let written = File::create_new(&temporary).and_then(|mut file| {
            self.write_to(&mut file)?;
            file.sync_all()
        });
        written
            .and_then(|()| fs::rename(&temporary, &path))
            .and_then(|()| File::open(folder)?.sync_all())
            .inspect_err(|_| {
                let _ = fs::remove_file(&temporary);
            })
    }

    fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        let header = postcard::to_allocvec(&self.header).map_err(io::Error::other)?;
        out.write_all(MAGIC)?;
        out.write_all(&FORMAT.to_le_bytes())?;
        for block in [&header, &self.state, &self.steps] {
            out.write_all(&(block.len() as u64).to_le_bytes())?;
            out.write_all(&xxh3_64(block).to_le_bytes())?;
            out.write_all(block)?;
        }
        Ok(())
    }

    /// Reads the checkpoint at `path`.
    ///
    /// # Errors
    /// A file that is not a whole checkpoint, or has another format.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = input::read(path, u64::MAX).map_err(|cause| refused(path, cause))?;
        Self::parse(&bytes).map_err(|cause| refused(path, cause))
    }

    fn parse(bytes: &[u8]) -> std::result::Result<Self, String> {
        let rest = bytes.strip_prefix(MAGIC).ok_or("it does not begin as a checkpoint does")?;
        let (format, mut rest) = rest.split_first_chunk().ok_or("it is cut off")?;
        let format = u32::from_le_bytes(*format);
        if format != FORMAT {
            return Err(format!("its format is {format}, and this version knows {FORMAT}"));
        }
        let [header, state, steps] =
            [block(&mut rest)?, block(&mut rest)?, block(&mut rest)?].map(<[u8]>::to_vec);
        if !rest.is_empty() {
            return Err("it is longer than a checkpoint".to_owned());
        }
        let header = postcard::from_bytes(&header).map_err(|_| "its header is damaged")?;
        Ok(Self { header, state, steps })
    }
}

/// Takes a block from `bytes`.
fn block<'b>(bytes: &mut &'b [u8]) -> std::result::Result<&'b [u8], String> {
    let mut number = || {
        let (number, rest) = bytes.split_first_chunk().ok_or("it is cut off")?;
        *bytes = rest;
        Ok::<_, String>(u64::from_le_bytes(*number))
    };
    let (length, hash) = (number()?, number()?);
    let length = usize::try_from(length).map_err(|_| "it is damaged")?;
    let (block, rest) = bytes.split_at_checked(length).ok_or("it is cut off or damaged")?;
    *bytes = rest;
    if xxh3_64(block) == hash { Ok(block) } else { Err("it is damaged".to_owned()) }
}

fn refused(path: &Path, cause: impl std::fmt::Display) -> Error {
    Error::file(path, format!("this checkpoint cannot be used: {cause}"), "repeat the run")
}

/// The least number of checkpoints that are kept. If the newest one is damaged, the one before is
/// used.
pub const LEAST_KEPT: usize = 2;

/// Writes the checkpoints of a run, and removes the oldest ones.
pub struct Generations {
    folder: PathBuf,
    kept: usize,
}

impl Generations {
    /// The checkpoints in `folder`. The last `kept` of them are kept.
    pub fn new(folder: &Path, kept: usize) -> Self {
        Self { folder: folder.to_owned(), kept }
    }

    /// Writes `checkpoint`, then removes the oldest ones.
    ///
    /// # Errors
    /// When it cannot be written. Then the earlier ones are still there.
    pub fn add(&self, checkpoint: &Checkpoint) -> Result<()> {
        let path = self.folder.join(names::checkpoint(checkpoint.header.step));
        checkpoint.write(&self.folder).and_then(|()| self.remove_old()).map_err(|cause| {
            let remedy = "make room, or turn checkpoints off with --checkpoint-every 0";
            Error::file(&path, cause, remedy)
        })
    }

    fn remove_old(&self) -> io::Result<()> {
        let old = all(&self.folder)?.into_iter().rev().skip(self.kept);
        old.map(|(_, path)| path).try_for_each(fs::remove_file)
    }
}

/// All checkpoints in `folder` with their steps, by rising step.
fn all(folder: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(step) = names::number_in(name, names::CHECKPOINTS) {
            all.push((step, path));
        }
    }
    all.sort_unstable();
    Ok(all)
}

/// The checkpoint at frame `frame` of the run in `folder`. A new run with the header `now` begins
/// with it.
///
/// # Errors
/// When there is none, or it cannot be used.
pub fn at_frame(folder: &Path, frame: u64, now: &Header) -> Result<Checkpoint> {
    let path = folder.join(names::checkpoint(frame * now.steps_per_frame));
    if !path.exists() {
        let all = all(folder).map_err(|cause| Error::file(folder, cause, "check this folder"))?;
        let is_frame = |step: &u64| step.is_multiple_of(now.steps_per_frame);
        let frames = all.iter().map(|(step, _)| *step).filter(is_frame);
        let frames = Vec::from_iter(frames.map(|it| (it / now.steps_per_frame).to_string()));
        let cause = match frames.is_empty() {
            true => format!("there is no checkpoint of frame {frame}"),
            false => format!(
                "there is no checkpoint of frame {frame}, but of these frames: {}",
                frames.join(", ")
            ),
        };
        let remedy =
            "choose one of them, or repeat the run with --checkpoint-every and --keep-checkpoints";
        return Err(Error::file(folder, cause, remedy));
    }
    let checkpoint = Checkpoint::read(&path)?;
    match checkpoint.header.is_other_kind(now) {
        None => Ok(checkpoint),
        Some(cause) => Err(Error::file(&path, cause, "keep the steps of the run")),
    }
}

/// The newest checkpoint in `folder` from which the run with the header `now` can go on. `None` if
/// there are no checkpoints. Also returns a line for each newer checkpoint that cannot be used.
///
/// # Errors
/// When there are checkpoints, and none can be used.
pub fn newest(folder: &Path, now: &Header) -> Result<(Option<Checkpoint>, Vec<String>)> {
    let all = all(folder).map_err(|cause| Error::file(folder, cause, "check this folder"))?;
    let mut refused = Vec::new();
    for (step, path) in all.iter().rev() {
        let remedy = "repeat the run";
        let usable = Checkpoint::read(path).and_then(|checkpoint| {
            let is_other = checkpoint.header.step != *step;
            let differs = is_other.then(|| "it was renamed".to_owned());
            match differs.or_else(|| checkpoint.header.differs(now)) {
                None => Ok(checkpoint),
                Some(cause) => Err(Error::file(path, cause, remedy)),
            }
        });
        match usable {
            Ok(checkpoint) => return Ok((Some(checkpoint), refused)),
            Err(error) => refused.push(error.to_string()),
        }
    }
    if refused.is_empty() {
        return Ok((None, refused));
    }
    let cause = format!("no checkpoint can be used: {}", refused.join("; "));
    Err(Error::file(folder, cause, "repeat the run with --overwrite"))
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn checkpoint(step: u64) -> Checkpoint {
        let (version, engine) = ("0.1.0".to_owned(), "cloth".to_owned());
        let header = Header { version, engine, scene_hash: 7, step, steps_per_frame: 10 };
        Checkpoint { header, state: vec![1, 2, 3, 4, 5], steps: b"{}".to_vec() }
    }

    #[test]
    fn a_checkpoint_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let written = checkpoint(34);
        written.write(folder.path()).unwrap();
        let read = Checkpoint::read(&folder.path().join("checkpoint_0034.bin")).unwrap();
        assert_eq!(read, written);
        assert_eq!(read.header.frame(), 3);
    }

    #[test]
    fn a_file_with_one_wrong_bit_or_a_wrong_length_is_refused() {
        let mut bytes = Vec::new();
        checkpoint(34).write_to(&mut bytes).unwrap();
        for (place, bit) in (0..bytes.len()).flat_map(|place| (0..8).map(move |bit| (place, bit))) {
            let mut flipped = bytes.clone();
            flipped[place] ^= 1 << bit;
            assert!(Checkpoint::parse(&flipped).is_err(), "bit {bit} of byte {place}");
        }
        for length in 0..bytes.len() {
            assert!(Checkpoint::parse(&bytes[..length]).is_err(), "{length} bytes");
        }
        assert!(Checkpoint::parse(&[&*bytes, &[0]].concat()).is_err());
    }
}
