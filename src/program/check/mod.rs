//! Verifies a finished run by its folder alone.
//!
//! Each frame is read back as it was written and judged by what any reader of
//! the files could find: is it there and whole, are its positions finite, does
//! an edge meet a face, how far are edges from their rest lengths.

mod folder;
mod frame;
mod pieces;
mod split;
mod table;

use std::path::Path;

use cloth_sim::error::Result;
use cloth_sim::verify::Threads;

pub use folder::Run;
pub use frame::{FrameCheck, Strain};

/// What came of a check; shown as a table and a list of faults.
#[derive(Debug, Clone)]
pub struct Report {
    /// The run.
    pub run: Run,
    /// Its frames, rising.
    pub frames: Vec<FrameCheck>,
    /// The largest strain that is no fault.
    pub max_strain: f64,
}

impl Report {
    /// Number of frames with a fault.
    pub fn faulty_frames(&self) -> usize {
        self.frames.iter().filter(|frame| self.is_faulty(frame)).count()
    }

    /// True if nothing is wrong with the run.
    pub fn is_clean(&self) -> bool {
        self.run.unfinished.is_none() && self.faulty_frames() == 0
    }

    fn is_faulty(&self, frame: &FrameCheck) -> bool {
        let strained = |strain: &Strain| strain.largest() > self.max_strain;
        frame.fault.is_some() || frame.intersections() > 0 || frame.strain.iter().any(strained)
    }
}

/// Checks all frames of the run in `folder`. Edges may be longer or shorter than
/// at rest by the share `max_strain`; `done` is called after each frame.
///
/// # Errors
/// A folder that is no run, or whose scene, obstacles or frames cannot be read
/// at all. What is wrong with a single frame is part of the report.
pub fn check_run(
    folder: &Path,
    threads: &Threads,
    max_strain: f64,
    done: impl Fn() + Sync,
) -> Result<Report> {
    let run = Run::open(folder)?;
    let inline = Threads::new(1)?;
    let numbers: Vec<u64> = (0..run.frames).collect();
    let mut frames = Vec::with_capacity(numbers.len());
    threads.collect(&numbers, 1, &mut frames, |numbers, frames| {
        for &number in numbers {
            frames.push(FrameCheck::new(&run, number, &inline));
            done();
        }
        numbers.len() as u64
    });
    Ok(Report { run, frames, max_strain })
}
