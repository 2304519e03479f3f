//! One checkpoint as a file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

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
