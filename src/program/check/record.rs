//! What a run folder says about the run: the scene, how it ended, and the number of frames.

use std::ops::Range;
use std::path::{Path, PathBuf};

use cloth_core::error::{Error, Result};
use cloth_scene::Scene;
use serde::Deserialize;

use crate::engine::Frame;
use crate::program::output::formats::{Format, Formats, Source, WrittenRun};
use crate::program::output::run_json::NO_RUN;
use crate::program::output::{Holder, Owner, RunFiles, RunHead, Status, lock, names, steps_jsonl};
use crate::program::words::{plural, whole_frames};

/// The record of a run.
#[derive(Clone)]
pub struct Record {
    /// The folder of the run.
    pub folder: PathBuf,
    /// The format of its frames.
    pub format: &'static dyn Format,
    /// The scene with every default written out.
    pub scene: Scene,
    /// The frames that are checked. A run that is not complete lists those that it has.
    pub frames: Range<u64>,
    /// Why the run is not complete, if it is not.
    pub unfinished: Option<String>,
    /// The files that the run lists.
    pub files: RunFiles,
    /// Energy that lifts every cloth by its own size, J.
    pub lift_j: f64,
    /// Copies of input meshes that are not as in the run, and why.
    pub meshes: Vec<(String, String)>,
}

impl Record {
    /// Reads that of the run in `folder`.
    ///
    /// # Errors
    /// A folder that is no run, or has no frame.
    pub fn read(folder: &Path) -> Result<Self> {
        let head = RunHead::read(folder)?;
        let End { frames, unfinished } = End::of(folder, &head)?;
        let scene = read_scene(folder)?;
        let first = head.first_frame();
        let frames = first..frames.unwrap_or(u64::from(scene.frames) + 1);
        let lift_j = head.energy.lift_j;
        let files = head.files;
        let faults = head.meshes.into_iter().filter_map(|mesh| {
            let fault = mesh.fault(folder)?;
            Some((mesh.file, fault))
        });
        let meshes = Vec::from_iter(faults);
        let format = readable(folder, &scene)?;
        expect_frames(folder, format, frames.end)?;
        let folder = folder.to_owned();
        Ok(Self { folder, format, scene, frames, unfinished, files, lift_j, meshes })
    }

    /// Time from frame to frame, s.
    pub fn frame_s(&self) -> f64 {
        1.0 / self.scene.frames_per_second
    }

    /// Opens its frames for reading.
    ///
    /// # Errors
    /// No frame that can be read. A format that does not hold what can be checked.
    pub fn source(&self) -> Result<Box<dyn Source>> {
        self.format.source(&WrittenRun {
            folder: self.folder.clone(),
            frames: self.frames.clone(),
            frame_s: self.frame_s(),
            has_bodies: self.scene.is_divided(),
            files: self.files.clone(),
        })
    }

    /// Frame `number` of `source`.
    ///
    /// # Errors
    /// A frame that cannot be read. The message names its file.
    pub fn frame(&self, source: &dyn Source, number: u64) -> Result<Frame> {
        source.frame(number).map_err(|fault| {
            let path = self.folder.join(self.format.file(number));
            Error::file(path, format!("frame {number}: {fault}"), "repeat the run")
        })
    }
}

/// The format from which the frames are read.
fn readable(folder: &Path, scene: &Scene) -> Result<&'static dyn Format> {
    let names = scene.output.format_names();
    let formats = Formats::named(names, "output.formats")?;
    formats.readable(scene.is_divided()).ok_or_else(|| {
        let best = if scene.is_divided() { "vtp" } else { "obj" };
        let cause = format!("its frames ({}) cannot be read again", names.join(", "));
        let remedy = format!("repeat the run with {best} among its output.formats");
        Error::file(folder, cause, remedy)
    })
}

fn read_scene(folder: &Path) -> Result<Scene> {
    let path = folder.join(names::SCENE);
    if path.exists() {
        return cloth_scene::load(&path);
    }
    Err(Error::file(folder, "the folder is no run: it has no scene.ron", NO_RUN))
}

/// How far a run came.
struct End {
    /// The number of frames that it lists, if it is not complete.
    frames: Option<u64>,
    /// Why it is not complete, in one line.
    unfinished: Option<String>,
}

impl End {
    /// # Errors
    /// A run without a frame.
    fn of(folder: &Path, head: &RunHead) -> Result<Self> {
        let cause = match (head.status, &head.error) {
            (Status::Complete, _) => return Ok(Self { frames: None, unfinished: None }),
            (Status::Running, _) => still_running(folder)?,
            (Status::Failed, Some(error)) => {
                format!("the run failed ({})", error.lines().next().unwrap_or_default())
            }
            (Status::Failed, None) => "the run failed".to_owned(),
            (Status::Interrupted, _) => "the run was interrupted".to_owned(),
        };
        let last = last_frame(folder)?;
        let unfinished = format!("{cause}, {}", whole_frames(head.first_frame(), last));
        match last {
            Some(last) => Ok(Self { frames: Some(last + 1), unfinished: Some(unfinished) }),
            None => Err(Error::file(folder, unfinished, "repeat the run with --overwrite")),
        }
    }
}

/// What became of a run that has not ended in order.
fn still_running(folder: &Path) -> Result<String> {
    Ok(match lock::holder(folder)? {
        Some(Holder::Runs(Owner { process, .. })) => format!("process {process} still runs it"),
        Some(Holder::Elsewhere(Owner { host, process })) => {
            format!("process {process} on {host} runs it, or was killed")
        }
        Some(Holder::Gone(_)) | None => "the run was killed".to_owned(),
    })
}

/// A line of `steps.jsonl`, whatever else it holds.
#[derive(Deserialize)]
struct Numbered {
    frame: u64,
}

/// The last frame that `steps.jsonl` lists.
fn last_frame(folder: &Path) -> Result<Option<u64>> {
    let mut last = None;
    for frame in steps_jsonl::read_if_any::<Numbered>(folder)? {
        last = Some(frame?.frame);
    }
    Ok(last)
}

/// A folder may lack this many frames at its end. Each one is reported. More are no part of the
/// run.
const MISSING: u64 = 10_000;

fn expect_frames(folder: &Path, format: &dyn Format, frames: u64) -> Result<()> {
    // A file that cannot be read is a fault of its frames.
    let last = format.last_frame(folder).unwrap_or_default().unwrap_or_default();
    if frames <= last.saturating_add(MISSING) {
        return Ok(());
    }
    let cause = format!(
        "the run has {}, but the last one here is {last}",
        plural(frames as usize, "frame")
    );
    let remedy = "repeat the run; this folder seems to hold files of different runs";
    Err(Error::file(folder, cause, remedy))
}
