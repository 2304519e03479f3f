//! The profile of a run: how busy each of its processors was, and with what.
//!
//! | module | |
//! |---|---|
//! | [`frames`] | the profile of any kind of run, frame by frame |
//! | [`cloth`], [`bodies`] | what differs: the columns, the charts, and what a processor is |
//! | [`look`] | the words and charts of a kind; `view` draws them |
//! | [`csv`] | the tables |
//! | [`lines`] | the same in a few lines |
//! | [`workers`] | the workers of a run |

mod bodies;
mod cloth;
mod csv;
pub(super) mod frames;
mod lines;
pub(super) mod look;
mod workers;

pub use self::frames::{FrameProfile, FrameProfiles, ProcessorProfile, Profile, ProfileKind, Sums};
pub use self::look::{Colour, ColumnChart, Look};

use std::path::{Path, PathBuf};

use cloth_core::error::{Error, Result};

use crate::program::output::Bodies;
use crate::program::output::{Cloth, RunHead, names, steps_jsonl};
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

/// The profile of a run, or of two.
pub struct Summary {
    /// The tables that were written.
    pub files: Vec<PathBuf>,
    /// The phases, and what is said about workers.
    pub lines: Vec<String>,
}

/// Writes the tables of the run in the folder `run` into the folder `out`.
///
/// # Errors
/// A folder that is no run, or a run without a step. When a file cannot be written.
pub fn write(run: &Path, out: &Path) -> Result<Summary> {
    let profile = read(run)?;
    let mut files = Vec::from(profile.write_tables(out)?);
    let mut lines = profile.lines();
    if let Some(workers) = workers::read(run)? {
        files.extend(workers::write(&workers, out)?);
        lines.extend(workers::lines(&workers, None));
    }
    Ok(Summary { files, lines })
}

/// The profiles of two runs, one after the other. The speed-up of workers of the first one is
/// against the second one.
///
/// # Errors
/// As for [`write`]. Runs of different kinds, or with different numbers of frames.
pub fn compare(runs: [&Path; 2]) -> Result<Summary> {
    let [a, b] = [read(runs[0])?, read(runs[1])?];
    if a.look.runs_of != b.look.runs_of {
        let cause = format!("this run is of {}, the other of {}", b.look.runs_of, a.look.runs_of);
        return Err(Error::file(runs[1], cause, "compare runs of the same kind"));
    }
    expect_same_length(runs, [a.frames.len(), b.frames.len()])?;
    let mut lines = [a.lines(), b.lines()].concat();
    let workers = workers::read(runs[0])?;
    lines.extend(workers.iter().flat_map(|it| workers::lines(it, Some(b.mean_step_s()))));
    Ok(Summary { files: Vec::new(), lines })
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

#[cfg(test)]
mod tests {
    use super::frames::ProfileKind;
    use super::look::Look;
    use super::*;

    fn expect_columns<K: ProfileKind>() {
        let Look { share, length, of_frame, charts, .. } = K::LOOK;
        let columns = K::columns();
        let mut named = [&[*share, *length][..], of_frame].concat();
        named.extend(charts.iter().flat_map(|chart| chart.columns).map(|column| column.2));
        named.iter().for_each(|it| assert!(columns.iter().any(|column| column == it), "{it}"));
        assert_eq!(K::values(&K::Sum::default()).len(), columns.len());
    }

    #[test]
    fn the_columns_that_charts_name_are_there() {
        expect_columns::<Cloth>();
        expect_columns::<Bodies>();
    }
}
