//! Verifies the frames of a run of rigid bodies.
//!
//! Each frame is read back from its file. Is it there and whole? Are its numbers finite? Is each
//! body there once, unless the run has recorded that it left the domain? How deep do bodies
//! overlap? The overlap is that of the library's broad and narrow phase on one rank, from the poses
//! in the file alone. How far are joints open? Are the bits those that the run has recorded? Did energy rise without work?

mod energy;
pub mod folder;
mod frame;
mod joints;
mod lines;
mod recorded;

use std::collections::BTreeMap;

use cloth_core::error::Result;

use crate::program::check::bodies::energy::Watch;
use crate::program::check::bodies::folder::BodyRun;
use crate::program::check::bodies::frame::{Before, BodyCheck};
use crate::program::check::bodies::lines::Lines;
use crate::program::check::bodies::recorded::Recorded;
use crate::program::check::record::Record;
use crate::program::check::{CheckSettings, Findings, FrameFindings};
use crate::program::words::plural;

/// Checks one frame after the other, because each may fill the memory. Calls `done` after each.
///
/// # Errors
/// As for [`super::check_run`].
pub fn check(record: Record, settings: &CheckSettings, done: impl Fn()) -> Result<Findings> {
    let run = BodyRun::open(record)?;
    let recorded = Recorded::read(&run.record.folder)?;
    let is_complete = run.record.unfinished.is_none();
    let first = run.record.frames.start;
    let mut before = Before {
        frame: first,
        ids: (first == 0).then(|| run.ids().collect()),
        watch: run.source_of_energy().is_none().then(Watch::default),
    };
    let check = |number| {
        let mut frame = BodyCheck::new(&run, number, &mut before, settings.threads);
        frame.fault = frame.fault.or_else(|| recorded.fault_of(number, frame.time_s, is_complete));
        done();
        frame
    };
    let frames = Vec::from_iter(run.record.frames.clone().map(check));
    let lines = Lines { run: &run, recorded: &recorded, settings };
    Ok(findings(&lines, &frames))
}

/// The numbers of a frame, for other programs.
fn values(frame: &BodyCheck) -> BTreeMap<&'static str, Option<f64>> {
    let energy = frame.energy.as_ref();
    BTreeMap::from([
        ("bodies", energy.map(|_| frame.bodies as f64)),
        ("overlap_share", frame.overlap.as_ref().map(|it| it.share)),
        ("joint_gap_m", frame.joints.widest.map(|it| it.gap_m)),
        ("kinetic_j", energy.map(|it| it.kinetic_j)),
        ("potential_j", energy.map(|it| it.potential_j)),
    ])
}

fn findings(lines: &Lines, frames: &[BodyCheck]) -> Findings {
    let of_frame = |frame: &BodyCheck| FrameFindings {
        number: frame.frame,
        row: lines.row(frame),
        values: values(frame),
        faults: lines.faults(frame),
    };
    let Lines { run, .. } = lines;
    let title = format!(
        "{}: {}, {}, {} fixed; overlap against half of the smaller body's width",
        run.record.scene.name,
        plural(frames.len(), "frame"),
        plural(run.setup.body_count() as usize, "body"),
        run.setup.fixed.bodies().len(),
    );
    let columns = "  bodies     deepest m  overlap %      energy J";
    let of_frames = frames.iter().map(of_frame).collect();
    let mut findings = Findings::new(&run.record, title, columns, of_frames);
    findings.extremes = vec![lines.deepest(frames)];
    findings.extremes.extend(lines.widest(frames).into_iter().chain(lines.lost(frames)));
    let source = run.source_of_energy();
    findings.extremes.extend(source.map(|source| format!("energy is not judged: {source}")));
    let is_deep = frames.iter().any(|frame| lines.is_too_deep(frame));
    findings.remedy = is_deep.then_some(
        "see the list on standard output; more steps (steps_per_frame) or more sweeps (response: \
         Nonsmooth) keep bodies apart",
    );
    findings
}
