//! The profile of a run: how busy each of its processors was, and with what.
//!
//! | module | |
//! |---|---|
//! | [`frames`] | the profile of any kind of run, frame by frame |
//! | [`cloth`], [`bodies`] | what differs: the columns, the charts, and what a processor is |
//! | [`tables`] | its tables, and its lines for people |
//! | [`worker_steps`], [`worker_model`], [`worker_table`] | what each worker had to do, how long a step would take with a rank for each, and their tables |

mod bodies;
mod cloth;
pub(super) mod frames;
mod tables;
mod worker_model;
mod worker_steps;
mod worker_table;

pub use self::worker_model::WorkersNetwork;
pub use self::worker_steps::{RunOfWorkers, StepsOfWorkers, SumOfWorker, WorkerColumn};

pub use self::frames::{
    Colour, ColumnChart, FrameProfile, FrameProfiles, Look, ProcessorProfile, Profile, ProfileKind,
    Sums,
};

use std::path::{Path, PathBuf};

use clap::Args;
use cloth_core::error::{Error, Result};
use serde_json::json;

use crate::program::output::{Bodies, Cloth, RunHead, names, run_files, steps_jsonl};
use crate::program::print::{self, ResultFormat};
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
struct Summary {
    /// The tables that were written.
    files: Vec<PathBuf>,
    /// The phases, and what is said about workers.
    lines: Vec<String>,
}

/// Writes the tables of the run in the folder `run` into the folder `out`.
///
/// # Errors
/// A folder that is no run, or a run without a step. When a file cannot be written.
fn write(run: &Path, out: &Path) -> Result<Summary> {
    let profile = read(run)?;
    let mut files = Vec::from(profile.write_tables(out)?);
    let mut lines = profile.lines();
    if let Some(workers) = worker_steps::read(run)? {
        files.extend(worker_table::write(&workers, out)?);
        lines.extend(worker_table::lines(&workers, None));
    }
    Ok(Summary { files, lines })
}

/// The profiles of two runs, one after the other. The speed-up of workers of the first one is
/// against the second one.
///
/// # Errors
/// The errors of [`write`]. Runs of different kinds, or with different numbers of frames.
fn compare(runs: [&Path; 2]) -> Result<Summary> {
    let [a, b] = [read(runs[0])?, read(runs[1])?];
    if a.look.runs_of != b.look.runs_of {
        let cause = format!("this run is of {}, the other of {}", b.look.runs_of, a.look.runs_of);
        return Err(Error::file(runs[1], cause, "compare runs of the same kind"));
    }
    expect_same_length(runs, [a.frames.len(), b.frames.len()])?;
    let mut lines = [a.lines(), b.lines()].concat();
    let workers = worker_steps::read(runs[0])?;
    lines.extend(workers.iter().flat_map(|it| worker_table::lines(it, Some(b.mean_step_s()))));
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

/// Arguments of `profile`.
#[derive(Debug, Clone, Args)]
pub struct ProfileArguments {
    /// The run folder.
    pub run: PathBuf,

    /// The folder of another run, to compare with. It must have the same number of frames.
    #[arg(value_name = "RUN")]
    pub other: Option<PathBuf>,

    /// Folder for the tables [default: the folder of the run].
    #[arg(long, value_name = "DIR", conflicts_with = "other")]
    pub out: Option<PathBuf>,

    /// How the result is printed.
    #[command(flatten)]
    pub result: ResultFormat,
}

/// Writes the tables of one run, or compares two. Prints the files, the phases and what workers
/// did. Lists the files in the `run.json` beside them.
///
/// # Errors
/// A folder that is no run or has no step, two runs of different length, or a file that cannot be
/// written.
pub fn profile(arguments: &ProfileArguments) -> Result<()> {
    let ProfileArguments { run, other, out, result } = arguments;
    if let Some(out) = out {
        std::fs::create_dir_all(out)
            .map_err(|cause| Error::file(out, cause, "choose another folder (--out)"))?;
    }
    let out = out.as_ref().unwrap_or(run);
    let Summary { files, lines } = match other {
        None => write(run, out)?,
        Some(other) => compare([run, other])?,
    };
    run_files::list_drawn(out, &files)?;
    result.print(&json!({ "files": files }), || {
        files.iter().try_for_each(|file| print::line(file.display()))?;
        lines.iter().try_for_each(print::line)
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
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
