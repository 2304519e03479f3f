//! Verifies the frames of a run of rigid bodies.
//!
//! Each frame is read back from its file. Is it there and whole? Are its numbers finite? Is each
//! body there once, unless the run has recorded that it left the domain? How deep do bodies
//! overlap? The overlap is that of the library's broad and narrow phase on one rank, from the poses
//! in the file alone. Are the bits those that the run has recorded? Did energy rise without work?

mod energy;
mod folder;
mod frame;
mod recorded;
mod table;

use std::path::Path;

use cloth_sim::error::Result;
use cloth_sim::rigid::overlap::Overlap;

use crate::program::check::bodies::energy::Rise;
use crate::program::check::bodies::folder::BodyRun;
use crate::program::check::bodies::frame::{Before, BodyCheck};
use crate::program::check::bodies::recorded::Recorded;
use crate::program::check::record::Record;
use crate::program::check::{CheckSettings, Fault, Findings, SEE_LIST, UNFINISHED};

/// The result of a check of bodies.
#[derive(Debug, Clone)]
pub struct BodyReport {
    run: BodyRun,
    /// Its frames, in order.
    frames: Vec<BodyCheck>,
    /// What the run says about its steps.
    recorded: Recorded,
    /// Frames whose energy is too high.
    rises: Vec<Rise>,
    /// The deepest overlap that is allowed, as a share of half of the smaller body's width.
    max_overlap: f64,
}

/// Checks one frame after the other, because each may fill the memory. Calls `done` after each.
///
/// # Errors
/// As for [`super::check_run`].
pub fn check(
    folder: &Path,
    record: Record,
    settings: &CheckSettings,
    done: impl Fn(),
) -> Result<BodyReport> {
    let run = BodyRun::open(folder, record)?;
    let recorded = Recorded::read(folder)?;
    let is_complete = run.record.unfinished.is_none();
    let mut before = Before { frame: 0, ids: run.ids().collect() };
    let check = |number| {
        let mut frame = BodyCheck::new(&run, number, &mut before, settings.threads);
        frame.fault = frame.fault.or_else(|| recorded.fault_of(number, frame.time_s, is_complete));
        done();
        frame
    };
    let frames = Vec::from_iter(run.record.frames.clone().map(check));
    let rises = energy::rises(&run, &frames);
    Ok(BodyReport { run, frames, recorded, rises, max_overlap: settings.max_overlap })
}

impl BodyReport {
    fn faulty_frames(&self) -> usize {
        self.frames.iter().filter(|frame| self.is_faulty(frame)).count()
    }

    fn is_faulty(&self, frame: &BodyCheck) -> bool {
        frame.fault.is_some()
            || !frame.has_sound_bodies()
            || self.has_lost(frame)
            || self.is_changed(frame)
            || self.is_too_deep(frame)
            || self.rises.iter().any(|rise| rise.frame == frame.frame)
    }

    fn is_too_deep(&self, frame: &BodyCheck) -> bool {
        frame.overlap.as_ref().is_some_and(|overlap| overlap.share > self.max_overlap)
    }

    /// Whether the bodies are sound, but not those of the run, bit by bit.
    fn is_changed(&self, frame: &BodyCheck) -> bool {
        let is_whole = frame.energy.is_some() && frame.has_sound_bodies();
        let agrees = self.recorded.agrees(frame.frame, frame.bodies_hash);
        is_whole && !self.has_lost(frame) && !agrees
    }

    /// Whether other bodies are gone than the run has recorded. What happened to a frame that could
    /// not be read is a fault of its own.
    fn has_lost(&self, frame: &BodyCheck) -> bool {
        frame.energy.is_some() && frame.gone.count != self.left(frame)
    }

    /// How many bodies left the domain since the last frame that could be read, as recorded.
    fn left(&self, frame: &BodyCheck) -> u64 {
        self.recorded.left(frame.after, frame.frame)
    }

    /// The frame with the deepest overlap.
    fn deepest(&self) -> Option<(&BodyCheck, &Overlap)> {
        let overlaps = self.frames.iter().filter_map(|it| Some((it, it.overlap.as_ref()?)));
        overlaps.max_by(|(_, a), (_, b)| a.share.total_cmp(&b.share))
    }
}

impl Findings for BodyReport {
    fn fault(&self) -> Option<Fault> {
        let unfinished = &self.run.record.unfinished;
        let cause = match (self.faulty_frames(), unfinished) {
            (0, None) => return None,
            (0, Some(unfinished)) => unfinished.clone(),
            (faulty, _) => format!("faults in {faulty} of {} frames", self.frames.len()),
        };
        let remedy = if self.frames.iter().any(|frame| self.is_too_deep(frame)) {
            "see the list on standard output; more steps (steps_per_frame) or more sweeps (response: \
             Nonsmooth) keep bodies apart"
        } else if unfinished.is_some() {
            UNFINISHED
        } else {
            SEE_LIST
        };
        Some(Fault { cause, remedy })
    }
}
