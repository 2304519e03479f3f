//! `steps.jsonl`: a line of JSON for each frame, with its hash and the steps that lead to it.
//!
//! Lines are only added. So the thousandth frame costs as much as the first one, and a run that
//! is killed loses at most the line that it was writing.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use cloth_core::error::{Error, Result};
use cloth_core::input;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::program::output::{json, names, not_written};

/// The file while a run goes on.
pub struct StepsFile {
    path: PathBuf,
    file: File,
    /// Length of the whole lines, bytes.
    length: u64,
}

impl StepsFile {
    /// Begins an empty file in `folder`.
    ///
    /// # Errors
    /// When the folder cannot be written, or holds such a file.
    pub fn create(folder: &Path) -> Result<Self> {
        let path = folder.join(names::STEPS);
        let file = File::create_new(&path).map_err(|cause| not_written(&path, cause))?;
        Ok(Self { path, file, length: 0 })
    }

    /// Goes on with the file in `folder` after its first `frames` lines. The others are removed.
    ///
    /// # Errors
    /// When it cannot be read or written, or has fewer lines.
    pub fn go_on(folder: &Path, frames: u64) -> Result<Self> {
        let path = folder.join(names::STEPS);
        let length = length_of(&path, frames)?;
        let file = File::options().append(true).open(&path);
        let cut = file.and_then(|file| file.set_len(length).map(|()| file));
        let file = cut.map_err(|cause| not_written(&path, cause))?;
        Ok(Self { path, file, length })
    }

    /// Adds the record of a frame.
    ///
    /// # Errors
    /// When it cannot be written. The file then holds the frames before it.
    pub fn add(&mut self, frame: &impl Serialize) -> Result<()> {
        let mut line = json(&self.path, frame)?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(|cause| {
            // If this fails too, readers skip the half line.
            let _ = self.file.set_len(self.length);
            not_written(&self.path, cause)
        })?;
        self.length += line.len() as u64;
        Ok(())
    }
}

/// The length of the first `frames` lines of the file at `path`, bytes.
fn length_of(path: &Path, frames: u64) -> Result<u64> {
    let failed = |cause: std::io::Error| Error::file(path, cause, REMEDY);
    let mut reader = BufReader::new(input::open(path, u64::MAX).map_err(failed)?);
    let (mut line, mut length) = (Vec::new(), 0);
    for _ in 0..frames {
        line.clear();
        length += reader.read_until(b'\n', &mut line).map_err(failed)? as u64;
        if !line.ends_with(b"\n") {
            let cause = format!("{frames} frames were complete, but it has fewer lines");
            return Err(Error::file(path, cause, REMEDY));
        }
    }
    Ok(length)
}

/// The records of the frames of a run, read one by one.
pub struct Frames<R> {
    path: PathBuf,
    reader: BufReader<File>,
    line: Vec<u8>,
    number: usize,
    record: PhantomData<R>,
}

/// Reads the frames of the run in `folder`, finished or not, as records `R`.
///
/// # Errors
/// When the file cannot be read; for a single frame, when its line is damaged.
pub fn read<R>(folder: &Path) -> Result<Frames<R>> {
    let path = folder.join(names::STEPS);
    let file = input::open(&path, u64::MAX).map_err(|cause| Error::file(&path, cause, REMEDY))?;
    let reader = BufReader::new(file);
    Ok(Frames { path, reader, line: Vec::new(), number: 0, record: PhantomData })
}

/// Reads the frames of the run in `folder`, none if it has no such file.
///
/// # Errors
/// The errors of [`read`].
pub fn read_if_any<R: DeserializeOwned>(folder: &Path) -> Result<impl Iterator<Item = Result<R>>> {
    let frames = folder.join(names::STEPS).exists().then(|| read(folder)).transpose()?;
    Ok(frames.into_iter().flatten())
}

/// The number of whole lines in the file of `folder`: one for each frame. 0 if it cannot be read.
pub fn count(folder: &Path) -> u64 {
    let Ok(file) = input::open(&folder.join(names::STEPS), u64::MAX) else { return 0 };
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let lines = std::iter::from_fn(|| {
        let part = reader.fill_buf().ok().filter(|part| !part.is_empty())?;
        let (lines, length) = (part.iter().filter(|&&byte| byte == b'\n').count(), part.len());
        reader.consume(length);
        Some(lines as u64)
    });
    lines.sum()
}

const REMEDY: &str = "repeat the run";

/// The longest line, bytes. A step of a rank takes about one KiB.
const LONGEST: u64 = 256 << 20;

impl<R: DeserializeOwned> Iterator for Frames<R> {
    type Item = Result<R>;

    /// Skips a last line that is cut off, because the run may still write it or was killed.
    fn next(&mut self) -> Option<Self::Item> {
        self.line.clear();
        self.number += 1;
        let mut line = self.reader.by_ref().take(LONGEST);
        if let Err(cause) = line.read_until(b'\n', &mut self.line) {
            return Some(Err(Error::file(&self.path, cause, REMEDY)));
        }
        if self.line.len() as u64 == LONGEST {
            let cause = format!("line {} is no frame: it is too long", self.number);
            return Some(Err(Error::file(&self.path, cause, REMEDY)));
        }
        match serde_json::from_slice(&self.line) {
            Ok(frame) => Some(Ok(frame)),
            Err(_) if !self.line.ends_with(b"\n") => None,
            Err(cause) => {
                let cause = format!("line {} is no frame: {cause}", self.number);
                Some(Err(Error::file(&self.path, cause, REMEDY)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::output::cloth_record::Cloth;
    use crate::program::output::record::{FrameRecord, StepRecord};

    fn frame(frame: u64) -> FrameRecord<Cloth> {
        let step = |step| StepRecord { step, ..StepRecord::default() };
        let steps = (2 * frame + 1..2 * frame + 3).map(step).collect();
        let state_hash = format!("{frame:016x}");
        FrameRecord { frame, state_hash, steps, ..FrameRecord::default() }
    }

    /// Numbers of the frames in the file, and of their steps.
    fn recorded(folder: &Path) -> (Vec<u64>, Vec<u64>) {
        let frames =
            Vec::from_iter(read::<FrameRecord<Cloth>>(folder).unwrap().map(Result::unwrap));
        let steps = frames.iter().flat_map(|frame| &frame.steps).map(|step| step.step).collect();
        (frames.iter().map(|frame| frame.frame).collect(), steps)
    }

    #[test]
    fn each_frame_adds_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let mut file = StepsFile::create(folder).unwrap();
        assert_eq!(recorded(folder), (vec![], vec![]));
        for number in 0..3 {
            file.add(&frame(number)).unwrap();
            assert_eq!(recorded(folder), ((0..=number).collect(), (1..2 * number + 3).collect()));
        }
    }

    #[test]
    fn a_run_that_is_killed_at_any_byte_keeps_the_whole_lines() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let mut file = StepsFile::create(folder).unwrap();
        (0..3).for_each(|number| file.add(&frame(number)).unwrap());
        let path = folder.join(names::STEPS);
        let written = std::fs::read(&path).unwrap();
        let first = written.iter().position(|&byte| byte == b'\n').unwrap();
        for length in (0..=written.len()).rev() {
            std::fs::write(&path, &written[..length]).unwrap();
            // A line without its line break is whole too.
            let whole = (length + 1) / (first + 1);
            assert_eq!(recorded(folder).0.len(), whole.min(3), "{length} bytes");
        }
    }

    #[test]
    fn a_damaged_line_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = StepsFile::create(folder.path()).unwrap();
        (0..3).for_each(|number| file.add(&frame(number)).unwrap());
        let path = folder.path().join(names::STEPS);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("\"frame\":1", "\"frame\":oops")).unwrap();
        let results = Vec::from_iter(read::<FrameRecord<Cloth>>(folder.path()).unwrap().take(2));
        let message = results[1].as_ref().unwrap_err().to_string();
        assert!(message.contains("steps.jsonl") && message.contains("line 2"), "{message}");
    }
}
