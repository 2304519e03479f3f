//! Names of the files that the program writes: those of a run folder, and pictures.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::program::output::formats;

/// The scene with every default written out.
pub const SCENE: &str = "scene.ron";
/// Patch and rank of each cloth vertex.
pub const PARTITION: &str = "partition.csv";
/// The run: what it was and how it ended.
pub const RUN: &str = "run.json";
/// Each frame's hash and steps.
pub const STEPS: &str = "steps.jsonl";
/// Which processor executed which task in one step.
pub const TIMELINE: &str = "timeline.json";
/// The profile: a row for each frame and processor.
pub const PROFILE: &str = "profile.csv";
/// Seconds of the phases: a row for each frame.
pub const PHASES: &str = "phases.csv";

/// The picture of a run, without its ending.
pub const RUN_PICTURE: &str = "profile";
/// The picture of two runs.
pub const COMPARISON_PICTURE: &str = "comparison";
/// The picture of one step.
pub const STEP_PICTURE: &str = "timeline";
/// The picture of a modelled machine over numbers of processors.
pub const SCALING_PICTURE: &str = "replay_scaling";
/// The picture of the modelled processors, with and without stealing.
pub const UTILIZATION_PICTURE: &str = "replay_utilization";

const OBSTACLES: &str = "obstacles";
/// Ending of a file while it is written.
const TEMPORARY: &str = ".tmp";

/// The file of frame `number` in `format`.
pub fn frame(number: u64, format: &str) -> String {
    format!("frame_{number:04}.{format}")
}

/// The file of the fixed obstacles in `format`.
pub fn obstacles(format: &str) -> String {
    format!("{OBSTACLES}.{format}")
}

/// The name of the file at `path` until it is whole.
pub fn temporary(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(TEMPORARY);
    name.into()
}

/// The two files of a picture: SVG, then PNG.
pub fn picture(name: &str) -> [String; 2] {
    ["svg", "png"].map(|ending| format!("{name}.{ending}"))
}

/// Whether a file of this name is a frame, in any format.
pub fn is_frame(name: &str) -> bool {
    let number = stem(name).and_then(|stem| stem.strip_prefix("frame_"));
    number.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a new run in the folder removes a file of this name. The new run may not write all
/// files of the earlier one again, and the earlier one may have left parts of files.
pub fn is_removed(name: &str) -> bool {
    let name = name.strip_suffix(TEMPORARY).unwrap_or(name);
    let of_run = [RUN, STEPS, TIMELINE, PROFILE, PHASES].contains(&name);
    of_run || is_frame(name) || stem(name) == Some(OBSTACLES)
}

/// A name without its ending, if that is the ending of a format.
fn stem(name: &str) -> Option<&str> {
    let (stem, ending) = name.rsplit_once('.')?;
    formats::ALL.iter().any(|format| format.name() == ending).then_some(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_run_are_recognised_by_their_names() {
        for name in [&*frame(0, "obj"), &frame(12_345, "obj")] {
            assert!(is_frame(name) && is_removed(name), "{name}");
        }
        let temporary = temporary(Path::new(&frame(3, "obj")));
        for name in [&*obstacles("obj"), "run.json", "run.json.tmp", temporary.to_str().unwrap()] {
            assert!(!is_frame(name) && is_removed(name), "{name}");
        }
        for name in ["notes.txt", "frame_.obj", "frame_1a.obj", "frame_0001.png", "scene.ron"] {
            assert!(!is_frame(name) && !is_removed(name), "{name}");
        }
    }
}
