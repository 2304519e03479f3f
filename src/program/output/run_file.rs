//! `run.json` while a run goes on.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use cloth_sim::error::{Error, Result};

use crate::program::output::not_written;
use crate::program::output::run_json::{END, FILE, FrameRecord, RunRecord};

/// `run.json` while a run goes on: every frame adds a line, so that the thousandth costs as
/// much as the first.
pub struct RunFile {
    path: PathBuf,
    file: File,
    /// Where the list of frames ends.
    end: u64,
    is_empty: bool,
}

impl RunFile {
    /// Begins the file in `folder` with a `record` without frames.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn create(folder: &Path, record: &RunRecord) -> Result<Self> {
        record.write(folder)?;
        let path = folder.join(FILE);
        let open = || {
            let file = File::options().write(true).open(&path)?;
            let end = file.metadata()?.len() - END.len() as u64;
            Ok((file, end))
        };
        let (file, end) = open().map_err(|cause| not_written(&path, cause))?;
        Ok(Self { path, file, end, is_empty: true })
    }

    /// Adds a frame.
    ///
    /// # Errors
    /// When it cannot be written; the file then holds those before it.
    pub fn add(&mut self, frame: &FrameRecord) -> Result<()> {
        let separator: &[u8] = if self.is_empty { b"\n" } else { b",\n" };
        let frame = serde_json::to_vec(frame)
            .map_err(|cause| Error::file(&self.path, cause, "report this as a bug"))?;
        let line = [separator, &frame, END].concat();
        if let Err(cause) = self.write_end(&line) {
            // There was room for that.
            let _ = self.write_end(END);
            return Err(not_written(&self.path, cause));
        }
        self.end += (line.len() - END.len()) as u64;
        self.is_empty = false;
        Ok(())
    }

    /// Writes what follows the frames so far.
    fn write_end(&mut self, text: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(text)?;
        self.file.set_len(self.end + text.len() as u64)
    }
}

/// Makes the file of a run that goes on say `failed`, in place: a full disk has room for
/// that where it has none for a new record. Frames that were not written any more may stay
/// listed.
///
/// # Errors
/// When the file is not there or cannot be written.
pub fn mark_failed(folder: &Path) -> io::Result<()> {
    // A space makes both of one length.
    let (running, failed) = (br#""status":"running""#, br#""status":"failed" "#);
    let mut file = File::options().read(true).write(true).open(folder.join(FILE))?;
    let mut head = Vec::new();
    (&file).take(256).read_to_end(&mut head)?;
    match head.windows(running.len()).position(|part| part == running) {
        Some(at) => {
            file.seek(SeekFrom::Start(at as u64))?;
            file.write_all(failed)
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::output::run_json::tests::record;
    use crate::program::output::run_json::{Status, StepRecord};
    use cloth_sim::step::StepReport;

    fn frame(frame: u64) -> FrameRecord {
        let step = |step| StepRecord {
            step,
            rank: 0,
            test_part_s: 0.5,
            report: StepReport::default(),
            processors: Vec::new(),
        };
        let steps = (2 * frame + 1..2 * frame + 3).map(step).collect();
        FrameRecord { frame, state_hash: format!("{frame:016x}"), steps, thefts: Vec::new() }
    }

    /// Numbers of the frames that `folder` tells of, and of their steps.
    fn told(folder: &Path) -> (Vec<u64>, Vec<u64>) {
        let record = RunRecord::read(folder).unwrap();
        let steps = record.steps().map(|step| step.step).collect();
        (record.frames.iter().map(|frame| frame.frame).collect(), steps)
    }

    #[test]
    fn each_frame_adds_its_line_and_the_record_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let mut file = RunFile::create(folder, &record()).unwrap();
        assert_eq!(told(folder), (vec![], vec![]));
        for number in 0..3 {
            file.add(&frame(number)).unwrap();
            assert_eq!(told(folder), ((0..=number).collect(), (1..2 * number + 3).collect()));
        }
        let written = std::fs::read(folder.join(FILE)).unwrap();
        let whole = RunRecord { frames: (0..3).map(frame).collect(), ..record() };
        whole.write(folder).unwrap();
        let at_once = std::fs::read(folder.join(FILE)).unwrap();
        let without_ends = written.into_iter().filter(|&byte| byte != b'\n');
        assert_eq!(without_ends.collect::<Vec<_>>(), at_once);
    }

    #[test]
    fn half_a_line_is_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let mut file = RunFile::create(folder, &record()).unwrap();
        file.add(&frame(0)).unwrap();
        let before = std::fs::read(folder.join(FILE)).unwrap();
        file.write_end(b",\n{\"frame\":1,\"sta").unwrap();
        file.write_end(END).unwrap();
        assert_eq!(std::fs::read(folder.join(FILE)).unwrap(), before);
        file.add(&frame(1)).unwrap();
        assert_eq!(told(folder).0, [0, 1]);
    }

    #[test]
    fn a_run_that_is_killed_while_it_adds_a_frame_loses_that_one() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let mut file = RunFile::create(folder, &record()).unwrap();
        let mut lengths = Vec::new();
        for number in 0..3 {
            file.add(&frame(number)).unwrap();
            lengths.push(std::fs::metadata(folder.join(FILE)).unwrap().len() as usize);
        }
        let written = std::fs::read(folder.join(FILE)).unwrap();
        for length in [lengths[1] + 4, lengths[1] + 90, lengths[2] - 1] {
            std::fs::write(folder.join(FILE), &written[..length]).unwrap();
            assert_eq!(told(folder).0, [0, 1], "{length} bytes");
        }
        std::fs::write(folder.join(FILE), &written[..lengths[0] - 2]).unwrap();
        assert!(told(folder).0.is_empty());
    }

    #[test]
    fn a_run_without_room_for_its_record_is_marked_as_failed() {
        let folder = tempfile::tempdir().unwrap();
        assert!(mark_failed(folder.path()).is_err());
        RunFile::create(folder.path(), &record()).unwrap().add(&frame(0)).unwrap();
        let size = || std::fs::metadata(folder.path().join(FILE)).unwrap().len();
        let before = size();
        mark_failed(folder.path()).unwrap();
        assert_eq!(RunRecord::read(folder.path()).unwrap().status, Status::Failed);
        assert_eq!(told(folder.path()).0, [0]);
        assert_eq!(size(), before);
    }
}
