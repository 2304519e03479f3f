//! `steps.jsonl`: a line of JSON for each frame, with its hash and the steps that lead to it.
//!
//! Lines are only added. So the thousandth frame costs as much as the first one, and a run that
//! is killed loses at most the line that it was writing.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use cloth_sim::error::{Error, Result};
use cloth_sim::input;
use cloth_sim::observe::{ProcessorUse, Theft};
use cloth_sim::step::StepReport;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::program::output::{json, names, not_written, report_json};

/// One frame: the hash of its f64 state, and the steps that lead to it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct FrameRecord {
    /// Frame number. 0 is the start.
    pub frame: u64,
    /// Hash of positions, velocities, contacts and time (see [`cloth_sim::step::state::State`]).
    pub state_hash: String,
    /// Every step of every rank since the previous frame.
    pub steps: Vec<StepRecord>,
    /// Which processors took tasks from which in these steps.
    pub thefts: Vec<TheftRecord>,
    /// Bodies that were behind their motion in these steps; absent if there were none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<WaitingRecord>,
    /// Obstacles that cloth passed in these steps; absent if there were none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<PassedRecord>,
    /// The largest and the smallest strain of an edge at the frame; absent without edges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strain: Option<[StrainRecord; 2]>,
}

impl FrameRecord {
    /// The record of the frame `rest`, whose first steps are in this record.
    pub fn followed_by(self, mut rest: Self) -> Self {
        rest.steps.splice(..0, self.steps);
        for TheftRecord { rank, theft } in self.thefts {
            let same = |it: &&mut TheftRecord| {
                (it.rank, it.theft.thief, it.theft.victim) == (rank, theft.thief, theft.victim)
            };
            match rest.thefts.iter_mut().find(same) {
                Some(known) => known.theft.tasks += theft.tasks,
                None => rest.thefts.push(TheftRecord { rank, theft }),
            }
        }
        rest.waiting = joined(self.waiting, rest.waiting, WaitingRecord::followed_by);
        rest.passed = joined(self.passed, rest.passed, PassedRecord::followed_by);
        rest
    }
}

/// The records of `first`, each joined with what `rest` has of the same by `followed_by`, then the
/// others of `rest`.
fn joined<R>(first: Vec<R>, mut rest: Vec<R>, followed_by: fn(R, &mut Vec<R>) -> R) -> Vec<R> {
    let mut all = Vec::from_iter(first.into_iter().map(|record| followed_by(record, &mut rest)));
    all.append(&mut rest);
    all
}

impl WaitingRecord {
    /// This record, which is of the first steps, with that of the same body in `rest`.
    fn followed_by(self, rest: &mut Vec<Self>) -> Self {
        match rest.iter().position(|it| it.body == self.body) {
            None => Self { behind_m: 0.0, ..self },
            Some(at) => {
                let Self { body, steps, largest_behind_m, behind_m } = rest.remove(at);
                let largest_behind_m = largest_behind_m.max(self.largest_behind_m);
                Self { body, steps: steps + self.steps, largest_behind_m, behind_m }
            }
        }
    }
}

impl PassedRecord {
    /// This record, which is of the first steps, with that of the same obstacle in `rest`.
    fn followed_by(self, rest: &mut Vec<Self>) -> Self {
        match rest.iter().position(|it| it.obstacle == self.obstacle) {
            None => Self { vertices: Vec::new(), ..self },
            Some(at) => {
                let Self { obstacle, steps, largest, vertices } = rest.remove(at);
                let (steps, largest) = (steps + self.steps, largest.max(self.largest));
                Self { obstacle, steps, largest, vertices }
            }
        }
    }
}

/// The strain of an edge at a frame.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StrainRecord {
    /// Length over rest length, minus 1.
    pub strain: f64,
    /// The middle of the edge, m.
    pub at_m: [f64; 3],
}

/// A prescribed body that was behind its motion since the previous frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WaitingRecord {
    /// Its name: that of an obstacle, or which pins of which cloth.
    pub body: String,
    /// Whole steps after which it was behind.
    pub steps: u64,
    /// The furthest that one of its vertices was from its prescribed place after a step, m.
    pub largest_behind_m: f64,
    /// The same at the frame, m; 0 if the body is no longer behind.
    pub behind_m: f64,
}

/// An obstacle that cloth passed since the previous frame, because prescribed surfaces overlapped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PassedRecord {
    /// Its name.
    pub obstacle: String,
    /// Whole steps after which vertices passed it.
    pub steps: u64,
    /// The largest number of vertices that passed it after a step.
    pub largest: u64,
    /// The vertices that pass it at the frame, rising, numbered over all cloths.
    pub vertices: Vec<u32>,
}

/// One rank's measurements of one step.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StepRecord {
    /// Step number, from 1.
    pub step: u64,
    /// The rank that measured.
    pub rank: usize,
    /// The test part of the step, s: the sum of its searches, each until its slowest rank was done.
    /// The same for all ranks.
    pub test_part_s: f64,
    /// Its phases and counters.
    #[serde(flatten, with = "report_json")]
    pub report: StepReport,
    /// How each of its threads spent the test parts.
    pub processors: Vec<ProcessorUse>,
}

/// Tasks that processors of a rank took from others between two frames.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct TheftRecord {
    /// The rank of the thief.
    pub rank: usize,
    /// Thief, victim, and number of tasks.
    #[serde(flatten)]
    pub theft: Theft,
}

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
pub struct Frames<R = FrameRecord> {
    path: PathBuf,
    reader: BufReader<File>,
    line: Vec<u8>,
    number: usize,
    record: PhantomData<R>,
}

/// Reads the frames of the run of cloth in `folder`, finished or not.
///
/// # Errors
/// When the file cannot be read; for a single frame, when its line is damaged.
pub fn read(folder: &Path) -> Result<Frames> {
    read_as(folder)
}

/// Reads the frames of any run in `folder`, as records `R`.
///
/// # Errors
/// As for [`read`].
pub fn read_as<R>(folder: &Path) -> Result<Frames<R>> {
    let path = folder.join(names::STEPS);
    let file = input::open(&path, u64::MAX).map_err(|cause| Error::file(&path, cause, REMEDY))?;
    let reader = BufReader::new(file);
    Ok(Frames { path, reader, line: Vec::new(), number: 0, record: PhantomData })
}

/// Reads the frames of any run in `folder`, none if it has no such file.
///
/// # Errors
/// As for [`read`].
pub fn read_if_any<R: DeserializeOwned>(folder: &Path) -> Result<impl Iterator<Item = Result<R>>> {
    let frames = folder.join(names::STEPS).exists().then(|| read_as(folder)).transpose()?;
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

    fn frame(frame: u64) -> FrameRecord {
        let step = |step| StepRecord {
            step,
            rank: 0,
            test_part_s: 0.5,
            report: StepReport::default(),
            processors: Vec::new(),
        };
        let steps = (2 * frame + 1..2 * frame + 3).map(step).collect();
        let state_hash = format!("{frame:016x}");
        FrameRecord { frame, state_hash, steps, ..FrameRecord::default() }
    }

    /// Numbers of the frames in the file, and of their steps.
    fn recorded(folder: &Path) -> (Vec<u64>, Vec<u64>) {
        let frames = Vec::from_iter(read(folder).unwrap().map(Result::unwrap));
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
        let results = Vec::from_iter(read(folder.path()).unwrap().take(2));
        let message = results[1].as_ref().unwrap_err().to_string();
        assert!(message.contains("steps.jsonl") && message.contains("line 2"), "{message}");
    }
}
