//! Verifies a finished run by its folder alone: of cloth here, of rigid bodies in [`bodies`].
//!
//! Each frame is read back from its file. The check asks four questions. Is the frame there and
//! whole? Are its positions finite? Does an edge meet a face, as a viewer draws them? (Cloth that
//! passes an obstacle in a pinch, as the run has recorded it, is counted apart.) How far are edges
//! from their rest lengths? From the record of the steps it takes a fifth one: did energy rise
//! without work, in a step or in sum?

mod bodies;
mod drawn;
mod dropped;
pub mod folder;
pub mod frame;
mod pieces;
pub mod record;
mod rises;
mod split;
mod table;

use std::fmt::Display;
use std::path::Path;

use cloth_sim::error::{Error, Result};
use cloth_sim::input;
use cloth_sim::verify::Threads;
use folder::CheckedRun;
use frame::{FrameCheck, Strain};
use rayon::ThreadPoolBuilder;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use record::Record;
use rises::Rises;

use crate::program::output::names;
use crate::program::words::plural;

/// The result of a check. It is displayed as a table and a list of faults.
pub trait Findings: Display {
    /// What is wrong with the run, and what to do about it. None if nothing is.
    fn fault(&self) -> Option<Fault>;
}

/// What is wrong with a run, in a line each.
pub struct Fault {
    /// What.
    pub cause: String,
    /// What to do.
    pub remedy: &'static str,
}

/// What a check may use and what it allows.
#[derive(Debug, Clone, Copy)]
pub struct CheckSettings {
    /// Number of threads.
    pub threads: usize,
    /// The largest strain of an edge of cloth, as a share of its rest length.
    pub max_strain: f64,
    /// The deepest overlap of rigid bodies, as a share of half of the smaller body's width.
    pub max_overlap: f64,
}

/// The result of a check of cloth.
#[derive(Debug, Clone)]
pub struct Report {
    /// The run.
    pub run: CheckedRun,
    /// Its frames, in order.
    pub frames: Vec<FrameCheck>,
    /// The largest strain that is allowed.
    pub max_strain: f64,
    /// Energy that rose without work.
    pub rises: Rises,
}

impl Report {
    /// Number of frames with a fault.
    pub fn faulty_frames(&self) -> usize {
        self.frames.iter().filter(|frame| self.is_faulty(frame)).count()
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
            || frame.simulated > 0
            || frame.strain.iter().any(strained)
    }
}

impl Findings for Report {
    fn fault(&self) -> Option<Fault> {
        let (run, faulty) = (&self.run, self.faulty_frames());
        let cause = if faulty > 0 {
            format!("faults in {faulty} of {} frames", self.frames.len())
        } else if let Some(unfinished) = &run.unfinished {
            unfinished.clone()
        } else if !run.meshes.is_empty() {
            "an input mesh is not as it was in the run".to_owned()
        } else {
            self.rises.fault()?
        };
        let remedy = if self.frames.iter().any(|frame| frame.simulated > 0) {
            "see the list on standard output; more steps (steps_per_frame) or a larger \
             contact.distance_m keep cloth apart"
        } else if self.frames.iter().any(|frame| frame.intersections() > 0) {
            "only quads that a viewer cuts the other way intersect; repeat the run with \
             --set output.polygons=Triangles"
        } else if run.unfinished.is_some() {
            UNFINISHED
        } else if self.rises.fault().is_some() {
            "see the list on standard output; raise steps_per_frame, or look for cloth that is \
             pressed or pinned in contact there"
        } else {
            SEE_LIST
        };
        Some(Fault { cause, remedy })
    }
}

/// The file of frame `number`, or its fault.
fn read_frame(folder: &Path, number: u64, format: &str) -> std::result::Result<Vec<u8>, String> {
    let path = folder.join(names::frame(number, format));
    input::read(&path, input::DATA_LIMIT).map_err(|cause| {
        if path.exists() { format!("cannot be read: {cause}") } else { "missing".to_owned() }
    })
}

/// The last line of a report: "no fault in 3 frames", "faults in 1 of 3 frames".
fn verdict(faulty: usize, frames: usize) -> String {
    let frames = plural(frames, "frame");
    match faulty {
        0 => format!("no fault in {frames}"),
        _ => format!("faults in {faulty} of {frames}"),
    }
}

const UNFINISHED: &str = "wait if the run goes on, else repeat it with --overwrite";
const SEE_LIST: &str = "see the list on standard output";

/// Checks all frames of the run in `folder`. Calls `done` after each frame.
///
/// # Errors
/// A folder that is no run. A scene, obstacles or frames that cannot be read at all. Faults of
/// single frames are part of the report.
pub fn check_run(
    folder: &Path,
    settings: &CheckSettings,
    done: impl Fn() + Sync,
) -> Result<Box<dyn Findings>> {
    let record = Record::read(folder)?;
    if record.scene.bodies.is_empty() {
        Ok(Box::new(check_cloth(folder, record, settings, done)?))
    } else {
        Ok(Box::new(bodies::check(folder, record, settings, done)?))
    }
}

/// Checks `threads` frames at a time.
fn check_cloth(
    folder: &Path,
    record: Record,
    settings: &CheckSettings,
    done: impl Fn() + Sync,
) -> Result<Report> {
    let rises = Rises::read(folder, record.scene.step_s(), record.lift_j)?;
    let run = CheckedRun::open(folder, record)?;
    let pool = ThreadPoolBuilder::new()
        .num_threads(settings.threads)
        .build()
        .map_err(|cause| Error::input("--threads", cause.to_string(), "ask for fewer threads"))?;
    let check = |number| {
        let frame = FrameCheck::new(&run, number, &Threads::INLINE);
        done();
        frame
    };
    let frames = pool.install(|| run.frames.clone().into_par_iter().map(check).collect());
    Ok(Report { run, frames, max_strain: settings.max_strain, rises })
}
