//! Names of the files in a run folder, for all who write or read them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::program::output::formats;

/// The scene with every default written out.
pub const SCENE: &str = "scene.ron";
/// Patch and rank of each cloth vertex.
pub const PARTITION: &str = "partition.csv";
/// What the run was and how it ended.
pub const RUN: &str = "run.json";
/// Each frame's hash and steps.
pub const STEPS: &str = "steps.jsonl";
/// Who executed which task in one step.
pub const TIMELINE: &str = "timeline.json";
/// The profile: a row for each frame and processor.
pub const PROFILE: &str = "profile.csv";
/// Seconds of the phases: a row for each frame.
pub const PHASES: &str = "phases.csv";

const OBSTACLES: &str = "obstacles";
/// Ends the name of a file that is being written.
const TEMPORARY: &str = ".tmp";

/// The file of frame `number` in `format`.
pub fn frame(number: u64, format: &str) -> String {
    format!("frame_{number:04}.{format}")
}

/// The file of the fixed obstacles in `format`.
pub fn obstacles(format: &str) -> String {
    format!("{OBSTACLES}.{format}")
}

/// What `path` is called until it is whole.
pub fn temporary(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(TEMPORARY);
    name.into()
}

/// Whether a file of this name is a frame, in any format.
pub fn is_frame(name: &str) -> bool {
    let number = stem(name).and_then(|stem| stem.strip_prefix("frame_"));
    number.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a new run in the folder removes a file of this name: what it may not write again
/// would otherwise stay from the earlier run, or a part of a file that was being written.
pub fn is_removed(name: &str) -> bool {
    let name = name.strip_suffix(TEMPORARY).unwrap_or(name);
    let of_run = [RUN, STEPS, TIMELINE, PROFILE, PHASES].contains(&name);
    of_run || is_frame(name) || stem(name) == Some(OBSTACLES)
}

/// A name without the ending of a format.
fn stem(name: &str) -> Option<&str> {
    let (stem, ending) = name.rsplit_once('.')?;
    formats::ALL.iter().any(|format| format.name() == ending).then_some(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_run_are_known_by_their_names() {
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
