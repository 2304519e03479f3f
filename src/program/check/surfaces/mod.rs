//! Verifies the surfaces of frames: cloths, rigid bodies and obstacles.
//!
//! Does an edge meet a face, as a viewer draws them? (Cloth that passes an obstacle in a pinch, as
//! the run has recorded it, is counted apart.) How far are edges from their rest lengths? Did energy
//! rise without work, in a step or in sum? How far did joints open?

mod drawn;
pub mod folder;
pub mod frame;
mod lines;
mod pieces;
mod rises;
mod sewn;

use std::collections::BTreeMap;

use crate::verify::{Moves, Threads};
use cloth_core::error::{Error, Result};
use rayon::ThreadPoolBuilder;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::program::check::findings::{Fault, OfRun};
use crate::program::check::record::Record;
use crate::program::check::surfaces::folder::CheckedRun;
use crate::program::check::surfaces::frame::FrameCheck;
use crate::program::check::surfaces::lines::Lines;
use crate::program::check::surfaces::rises::Rises;
use crate::program::check::{CheckSettings, Findings, FrameFindings};
use crate::program::words::plural;

/// Checks as many frames at a time as there are threads. Calls `done` after each frame.
///
/// # Errors
/// As for [`super::check_run`].
pub fn check(record: Record, settings: &CheckSettings, done: impl Fn() + Sync) -> Result<Findings> {
    let rises = Rises::read(&record.folder, record.scene.step_s(), record.lift_j)?;
    let run = CheckedRun::open(record)?;
    let pool = ThreadPoolBuilder::new()
        .num_threads(settings.threads)
        .build()
        .map_err(|cause| Error::input("--threads", cause.to_string(), "ask for fewer threads"))?;
    let check = |number| {
        let frame = FrameCheck::new(&run, number, &Threads::INLINE);
        done();
        frame
    };
    let numbers = run.record.frames.clone().into_par_iter();
    let frames: Vec<FrameCheck> = pool.install(|| numbers.map(check).collect());
    Ok(findings(&run, &frames, settings, &rises))
}

fn findings(
    run: &CheckedRun,
    frames: &[FrameCheck],
    settings: &CheckSettings,
    rises: &Rises,
) -> Findings {
    let lines = Lines { run, max_strain: settings.max_strain };
    let of_frame = |frame: &FrameCheck| FrameFindings {
        number: frame.frame,
        row: lines.row(frame),
        values: values(frame),
        faults: lines.faults(frame),
    };
    let of_frames = Vec::from_iter(frames.iter().map(of_frame));
    let columns = match has_cloth(run) {
        true => "intersections  stretch %  compression %  95th perc. %",
        false => "intersections",
    };
    let mut findings = Findings::new(&run.record, title(run), columns, of_frames);
    findings.remarks.extend(lines.folded(frames));
    findings.remarks.extend(lines.rises(rises));
    findings.remarks.extend(lines.joints(rises));
    findings.remarks.extend(lines.seams(frames));
    let most_m = run.body_radius_m.map(|radius_m| settings.max_joint_gap * radius_m);
    let is_open = rises.joint.is_some_and(|it| most_m.is_some_and(|most_m| it.gap_m > most_m));
    let late = frames.iter().rev().find_map(|frame| frame.seams).map_or(0, |seams| seams.late);
    findings.of_run = rises
        .fault()
        .map(energy_fault)
        .or(is_open.then(joint_fault))
        .or((late > 0).then(|| seam_fault(late)));
    findings.remedy = if frames.iter().any(|frame| frame.simulated > 0) {
        Some(
            "see the list on standard output; more steps (steps_per_frame) or a larger \
             contact.distance_m keep cloth apart",
        )
    } else if frames.iter().any(|frame| frame.intersections() > 0) {
        Some(
            "only quads that a viewer cuts the other way intersect; repeat the run with \
             --set output.polygons=Triangles",
        )
    } else {
        None
    };
    findings
}

fn energy_fault(cause: String) -> OfRun {
    OfRun {
        fault: Fault {
            cause,
            remedy: "see the list on standard output; raise steps_per_frame, or look for what is \
                     pressed or pinned in contact there",
        },
        verdict: ", but in the energy of steps",
    }
}

fn joint_fault() -> OfRun {
    OfRun {
        fault: Fault {
            cause: "a joint was open by more than --max-joint-gap of the smallest body".to_owned(),
            remedy: "raise steps_per_frame, or look for joints that pull at each other",
        },
        verdict: ", but in the joints of steps",
    }
}

fn seam_fault(late: usize) -> OfRun {
    let stitches = plural(late, "stitch");
    let state = if late == 1 { "is" } else { "are" };
    OfRun {
        fault: Fault {
            cause: format!("{stitches} {state} open although the time to close (close_s) is over"),
            remedy: "look for what holds the sides apart; raise most_n_per_m or close_s of the seam, or \
                     make the pieces wider",
        },
        verdict: ", but in the seams",
    }
}

/// The numbers of a frame, for other programs.
fn values(frame: &FrameCheck) -> BTreeMap<&'static str, Option<f64>> {
    let strain = frame.strain.as_ref();
    BTreeMap::from([
        ("intersections", frame.is_read.then(|| frame.intersections() as f64)),
        ("open_stitches", frame.seams.map(|it| it.open as f64)),
        ("unwelded_stitches", frame.seams.map(|it| it.unwelded as f64)),
        ("seam_stretch_m", frame.seams.map(|it| it.stretch_m)),
        ("stretch", strain.map(|it| it.stretch)),
        ("compression", strain.map(|it| it.compression)),
        ("strain_percentile_95", strain.map(|it| it.percentile_95)),
    ])
}

fn title(run: &CheckedRun) -> String {
    let (name, frames) =
        (&run.record.scene.name, plural(run.record.frames.clone().count(), "frame"));
    let objects = plural(run.objects.len(), "object");
    if !has_cloth(run) {
        return format!("{name}: {frames}, {objects}, no cloth");
    }
    let cloths = run.surfaces.list.iter().filter(|surface| surface.moves == Moves::Deforms);
    let vertices = cloths.map(|cloth| cloth.vertex_count).sum::<usize>();
    format!("{name}: {frames}, {vertices} cloth vertices, {objects}; strain against {}", run.rest)
}

fn has_cloth(run: &CheckedRun) -> bool {
    run.surfaces.list.iter().any(|surface| surface.moves == Moves::Deforms)
}
