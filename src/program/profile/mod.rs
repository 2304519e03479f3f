//! The profile of a run: how busy each of its processors was, and with what.
//!
//! | module | |
//! |---|---|
//! | [`frames`] | the profile of any kind of run, frame by frame |
//! | [`cloth`], [`bodies`] | what differs: the columns, the diagrams, and what a processor is |
//! | [`look`] | the words and diagrams of a kind |
//! | [`csv`] | the tables |
//! | [`lines`] | the same in a few lines |
//! | [`run_picture`], [`comparison_picture`] | the pictures of one run and of two |
//! | [`step_picture`] | the time line of a step |
//! | [`workers`] | the workers of a run |
//! | [`canvas`], [`panel`], [`heat_map`], [`png`] | parts of all pictures |

mod bodies;
pub(super) mod canvas;
pub(super) mod cloth;
pub(super) mod comparison_picture;
mod csv;
pub(super) mod frames;
mod heat_map;
mod lines;
mod look;
pub(super) mod panel;
pub(super) mod png;
mod run_picture;
mod step_picture;
mod workers;

use std::path::{Path, PathBuf};

use cloth_core::error::{Error, Result};

use crate::program::output::bodies::record::Bodies;
use crate::program::output::cloth_record::Cloth;
use crate::program::output::run_json::RunHead;
use crate::program::output::timeline_json::TimeLine;
use crate::program::output::{names, steps_jsonl};
use crate::program::profile::comparison_picture::ComparisonPicture;
use crate::program::profile::frames::{FrameProfiles, Profile, ProfileKind};
use crate::program::profile::run_picture::RunPicture;
use crate::program::profile::step_picture::StepPicture;
use crate::program::words::plural;

/// Reads the profile of the run in `folder` from its `run.json` and `steps.jsonl`.
///
/// # Errors
/// A folder that is no run, or a run without a step.
fn read(folder: &Path) -> Result<Profile> {
    let head = RunHead::read(folder)?;
    match head.bodies {
        Some(_) => read_as::<Bodies>(folder, &head),
        None => read_as::<Cloth>(folder, &head),
    }
}

fn read_as<K: ProfileKind>(folder: &Path, head: &RunHead) -> Result<Profile> {
    let mut frames = FrameProfiles::<K>::default();
    for frame in steps_jsonl::read(folder)? {
        frames.add(&frame?);
    }
    let profile = frames.of_run(head);
    if profile.frames.is_empty() {
        let remedy = "wait until the run has written a frame, then repeat this";
        return Err(Error::file(folder.join(names::STEPS), "the run has no step", remedy));
    }
    Ok(profile)
}

/// What was drawn of a run.
pub struct Drawing {
    /// The files.
    pub files: Vec<PathBuf>,
    /// Its phases, and what is said about its workers.
    pub lines: Vec<String>,
}

/// Draws the profile of the run in the folder `run` into the folder `out`, and writes its tables
/// there. If the run has a time line or workers, draws them too.
///
/// # Errors
/// A folder that is no run, or a run without a step. When a file cannot be written.
pub fn draw(run: &Path, out: &Path) -> Result<Drawing> {
    let profile = read(run)?;
    let tables = profile.write_tables(out)?;
    let mut files = canvas::write(&RunPicture(&profile), out, names::RUN_PICTURE)?;
    files.extend(tables);
    if let Some(line) = TimeLine::read(run)? {
        files.extend(canvas::write(&StepPicture::new(&line), out, names::STEP_PICTURE)?);
    }
    let workers = workers::read(run)?;
    if let Some(workers) = &workers {
        files.extend(workers::draw(workers, out)?);
    }
    let mut lines = profile.lines();
    lines.extend(workers.iter().flat_map(|it| workers::lines(it, None)));
    Ok(Drawing { files, lines })
}

/// Draws two runs beside each other into the folder `out`. The speed-up of workers of the first one
/// is against the second one.
///
/// # Errors
/// As for [`draw`]. Runs of different kinds, or with different numbers of frames.
pub fn compare(runs: [&Path; 2], out: &Path) -> Result<Drawing> {
    let [a, b] = [read(runs[0])?, read(runs[1])?];
    if a.look.runs_of != b.look.runs_of {
        let cause = format!("this run is of {}, the other of {}", b.look.runs_of, a.look.runs_of);
        return Err(Error::file(runs[1], cause, "compare runs of the same kind"));
    }
    expect_same_length(runs, [a.frames.len(), b.frames.len()])?;
    let picture = ComparisonPicture { profiles: [&a, &b], labels: labels(runs) };
    let files = canvas::write(&picture, out, names::COMPARISON_PICTURE)?;
    let mut lines = [a.lines(), b.lines()].concat();
    let workers = workers::read(runs[0])?;
    lines.extend(workers.iter().flat_map(|it| workers::lines(it, Some(b.mean_step_s()))));
    Ok(Drawing { files, lines })
}

/// Refuses two runs that have not as many frames as each other.
fn expect_same_length(runs: [&Path; 2], [a, b]: [usize; 2]) -> Result<()> {
    if a == b {
        return Ok(());
    }
    let cause = format!("this run has {}, but {} has {a}", plural(b, "frame"), runs[0].display());
    let remedy = "compare runs of the same length; repeat one of them with --frames";
    Err(Error::file(runs[1], cause, remedy))
}

/// The names of two run folders, with their paths if the names are equal.
fn labels(folders: [&Path; 2]) -> [String; 2] {
    let short =
        folders.map(|folder| folder.file_name().map(|name| name.to_string_lossy().into_owned()));
    match short {
        [Some(a), Some(b)] if a != b => [a, b],
        _ => folders.map(|folder| folder.display().to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::frames::ProfileKind;
    use super::look::{Diagram, Look};
    use super::*;

    fn expect_columns<K: ProfileKind>() {
        let Look { share, length, of_frame, diagrams, .. } = K::LOOK;
        let columns = K::columns();
        let mut named = [&[*share, *length][..], of_frame].concat();
        for diagram in *diagrams {
            match diagram {
                Diagram::Shares { parts, .. } => named.extend(parts.iter().map(|part| part.2)),
                Diagram::Counts { curves, .. } => named.extend(curves.iter().map(|it| it.column)),
                _ => {}
            }
        }
        named.iter().for_each(|it| assert!(columns.iter().any(|column| column == it), "{it}"));
        assert_eq!(K::values(&K::Sum::default()).len(), columns.len());
    }

    #[test]
    fn the_columns_that_diagrams_name_are_there() {
        expect_columns::<Cloth>();
        expect_columns::<Bodies>();
    }
}
