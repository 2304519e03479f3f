//! The subcommand `compare`: whether two runs have the same states and frames.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use serde::{Deserialize, Serialize};

use crate::engine::Frame;
use crate::program::check::Record;
use crate::program::output::steps_jsonl;
use crate::program::print::{self, ResultFormat};

/// Arguments of `compare`.
#[derive(Debug, Clone, Args)]
pub struct CompareArguments {
    /// The folder of a run.
    pub first: PathBuf,

    /// The folder of another run.
    pub second: PathBuf,

    /// Print only errors. The exit code is 0 if the runs are equal, and else 1; 2 if they cannot be
    /// compared.
    #[arg(short, long, conflicts_with = "json")]
    pub quiet: bool,

    /// The exit code is the same.
    #[command(flatten)]
    pub result: ResultFormat,
}

/// How two runs differ.
#[derive(Serialize)]
struct ComparedRuns {
    is_equal: bool,
    /// The first and the last frame of each run.
    frames: [[u64; 2]; 2],
    /// The first frame whose states differ, by their hashes.
    first_state: Option<u64>,
    /// The first frame in which places differ, and the point that differs most there.
    first_place: Option<PointDifference>,
    /// The largest difference of all frames.
    largest: Option<PointDifference>,
}

/// Two places of a point.
#[derive(Clone, Serialize)]
struct PointDifference {
    frame: u64,
    /// The vertex, from 0, of the surface, or the body.
    point: String,
    metres: f64,
}

/// A line of `steps.jsonl`.
#[derive(Deserialize)]
struct Hashed {
    frame: u64,
    state_hash: String,
}

/// Compares two runs. Returns the exit code.
///
/// # Errors
/// A folder that is no run, a frame that cannot be read, runs without a common frame or with other
/// objects.
pub fn compare(arguments: &CompareArguments) -> Result<u8> {
    let CompareArguments { first, second, quiet, result } = arguments;
    let records = [Record::read(first)?, Record::read(second)?];
    let found = ComparedRuns::of(&records)?;
    if !quiet {
        result.print(&found, || found.lines([first, second]).iter().try_for_each(print::line))?;
    }
    Ok(u8::from(!found.is_equal))
}

impl ComparedRuns {
    fn of(records: &[Record; 2]) -> Result<Self> {
        let [first, second] = records;
        let ranges = records.each_ref().map(|it| it.frames.clone());
        let common = ranges[0].start.max(ranges[1].start)..ranges[0].end.min(ranges[1].end);
        let other = |cause: String| Error::file(&second.folder, cause, "compare runs of one scene");
        if common.is_empty() {
            return Err(other(format!("it has no frame of {}", first.folder.display())));
        }
        let [a, b] = [hashes(first)?, hashes(second)?];
        let first_state = common.clone().find(|frame| a.get(frame) != b.get(frame));
        let sources = [first.source()?, second.source()?];
        let (mut first_place, mut largest) = (None, None::<PointDifference>);
        for number in common {
            let frames = [first.frame(&*sources[0], number)?, second.frame(&*sources[1], number)?];
            let of_frame = difference(&frames, first, number).map_err(other)?;
            let Some(of_frame) = of_frame else { continue };
            if largest.as_ref().is_none_or(|it| it.metres < of_frame.metres) {
                largest = Some(of_frame.clone());
            }
            first_place = first_place.or(Some(of_frame));
        }
        // Files of two formats are rounded in two ways.
        let kinds = records.each_ref().map(|it| (it.format.name(), it.scene.output.digits));
        let are_alike = kinds[0] != kinds[1] || first_place.is_none();
        let is_equal = ranges[0] == ranges[1] && first_state.is_none() && are_alike;
        let frames = ranges.map(|it| [it.start, it.end.saturating_sub(1)]);
        Ok(Self { is_equal, frames, first_state, first_place, largest })
    }

    /// The lines for people.
    fn lines(&self, folders: [&Path; 2]) -> Vec<String> {
        let mut lines = Vec::new();
        if self.frames[0] != self.frames[1] {
            let [a, b] = self.frames.map(|[first, last]| format!("frames {first} to {last}"));
            let [first, second] = folders.map(Path::display);
            lines.push(format!("frames    {first} has {a}, {second} {b}"));
        }
        lines.push(match self.first_state {
            None => "states    equal, bit for bit".to_owned(),
            Some(frame) => format!("states    frame {frame} is the first that differs"),
        });
        let said = |it: &PointDifference| {
            format!("frame {}: {:.2e} m at {}", it.frame, it.metres, it.point)
        };
        match (&self.first_place, &self.largest) {
            (Some(first), Some(largest)) => {
                lines.push(format!("places    first in {}", said(first)));
                lines.push(format!("          most in {}", said(largest)));
            }
            _ => lines.push("places    equal, to the last digit of the files".to_owned()),
        }
        lines
    }
}

/// The hashes of the states of a run, by frame.
fn hashes(record: &Record) -> Result<BTreeMap<u64, String>> {
    let lines = steps_jsonl::read::<Hashed>(&record.folder)?;
    lines.map(|line| line.map(|Hashed { frame, state_hash }| (frame, state_hash))).collect()
}

/// The point whose places differ most in frame `number`, or how the objects differ. `record` is
/// that of the first of both `frames`.
fn difference(
    frames: &[Frame; 2],
    record: &Record,
    number: u64,
) -> std::result::Result<Option<PointDifference>, String> {
    let sizes = frames.each_ref().map(|it| Vec::from_iter(it.surfaces.iter().map(Vec::len)));
    let ids = frames.each_ref().map(|it| Vec::from_iter(it.bodies.iter().map(|body| body.id)));
    if sizes[0] != sizes[1] || ids[0] != ids[1] {
        return Err(format!("frame {number} has other objects than the other run's"));
    }
    let mut most = None::<PointDifference>;
    let mut note = |metres: f64, point: &dyn Fn() -> String| {
        if metres > 0.0 && most.as_ref().is_none_or(|it| it.metres < metres) {
            most = Some(PointDifference { frame: number, point: point(), metres });
        }
    };
    let [first, second] = frames;
    for (surface, (a, b)) in first.surfaces.iter().zip(&second.surfaces).enumerate() {
        for (vertex, (a, b)) in a.iter().zip(b).enumerate() {
            note((a - b).norm(), &|| format!("vertex {vertex} of {}", name(record, surface)));
        }
    }
    for (a, b) in first.bodies.iter().zip(&second.bodies) {
        // A turn alone counts by the way of a point at the size of the body.
        let way = (Vec3::from(a.position) - Vec3::from(b.position)).norm();
        let turns = a.rotation.iter().zip(&b.rotation).map(|(a, b)| (a - b).abs());
        let turn = 2.0 * turns.fold(0.0, f64::max) * a.size.iter().fold(0.0, |a, b| b.max(a));
        note(way.max(turn), &|| format!("body {}", a.id));
    }
    Ok(most)
}

/// The name of a cloth, or the place of another surface.
fn name(record: &Record, surface: usize) -> String {
    let named = record.scene.cloths.get(surface).and_then(|cloth| cloth.name.as_ref());
    named.map_or_else(|| format!("surface {surface}"), |name| format!("`{name}`"))
}
