//! Verifies a finished run by its folder alone.
//!
//! Each frame is read back from its file. The check asks four questions. Is the frame there and
//! whole? Are its positions finite? Does an edge meet a face? (Cloth
//! that passes an obstacle in a pinch, as the run has recorded it, is counted apart.) How far are edges from their rest
//! lengths? From the record of the steps it takes a fifth one: did energy rise without work?

mod dropped;
mod folder;
mod frame;
mod pieces;
mod rises;
mod split;
mod table;

use std::path::Path;

use cloth_sim::error::{Error, Result};
use cloth_sim::math::Vec3;
use cloth_sim::verify::Threads;
use folder::{CheckedRun, FORMAT};
use frame::{FrameCheck, Strain};
use rayon::ThreadPoolBuilder;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rises::StepRise;

use crate::program::output::names;

/// The result of a check. It is displayed as a table and a list of faults.
#[derive(Debug, Clone)]
pub struct Report {
    /// The run.
    pub run: CheckedRun,
    /// Its frames, in order.
    pub frames: Vec<FrameCheck>,
    /// The largest strain that is allowed.
    pub max_strain: f64,
    /// The steps whose energy rose without work.
    pub rises: Vec<StepRise>,
}

impl Report {
    /// Number of frames with a fault.
    pub fn faulty_frames(&self) -> usize {
        self.frames.iter().filter(|frame| self.is_faulty(frame)).count()
    }

    /// True if the run is complete, its meshes are as they were, and no frame or step has a fault.
    pub fn is_clean(&self) -> bool {
        let run = &self.run;
        let whole = run.unfinished.is_none() && run.meshes.is_empty();
        whole && self.faulty_frames() == 0 && self.rises.is_empty()
    }

    /// Number of intersections of dropped pairs, and of the frames that have some.
    pub fn dropped(&self) -> (usize, usize) {
        let counts = self.frames.iter().map(|frame| frame.dropped).filter(|&count| count > 0);
        counts.fold((0, 0), |(all, frames), count| (all + count, frames + 1))
    }

    fn is_faulty(&self, frame: &FrameCheck) -> bool {
        let strained = |strain: &Strain| strain.largest() > self.max_strain;
        frame.fault.is_some()
            || frame.absurd.is_some()
            || frame.intersections() > 0
            || frame.strain.iter().any(strained)
    }
}

/// Positions of frame `number` of the run in `folder`, m: cloths, then obstacles.
///
/// # Errors
/// A folder that is no run, a frame that it does not have or that is not whole, an input mesh that is
/// not as it was in the run.
pub fn frame_positions(folder: &Path, number: u64) -> Result<Vec<Vec3>> {
    let run = CheckedRun::open(folder)?;
    if let Some((mesh, fault)) = run.meshes.first() {
        return Err(Error::file(folder.join(mesh), fault, "repeat the run"));
    }
    if number >= run.frames {
        let last = run.frames.saturating_sub(1);
        let cause = format!("there is no frame {number}: the run has the frames 0 to {last}");
        return Err(Error::file(folder, cause, "choose one of them with --frame"));
    }
    let path = folder.join(names::frame(number, FORMAT));
    frame::positions(&run, number)
        .map_err(|fault| Error::file(path, fault, "choose another frame, or repeat the run"))
}

/// Checks all frames of the run in `folder`, `threads` at a time. Edges may differ from their rest
/// lengths by the share `max_strain`. Calls `done` after each frame.
///
/// # Errors
/// A folder that is no run. A scene, obstacles or frames that cannot be read at all. Faults of
/// single frames are part of the report.
pub fn check_run(
    folder: &Path,
    threads: usize,
    max_strain: f64,
    done: impl Fn() + Sync,
) -> Result<Report> {
    let run = CheckedRun::open(folder)?;
    let rises = rises::read(folder)?;
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|cause| Error::input("--threads", cause.to_string(), "ask for fewer threads"))?;
    let check = |number| {
        let frame = FrameCheck::new(&run, number, &Threads::INLINE);
        done();
        frame
    };
    let frames = pool.install(|| (0..run.frames).into_par_iter().map(check).collect());
    Ok(Report { run, frames, max_strain, rises })
}
