//! Names of the files that the program writes: in a run folder, and of pictures.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The scene with every default written out.
pub const SCENE: &str = "scene.ron";
/// Patch and rank of each cloth vertex.
pub const PARTITION: &str = "partition.csv";
/// The record of the run, and how it ended.
pub const RUN: &str = "run.json";
/// Each frame's hash and steps.
pub const STEPS: &str = "steps.jsonl";
/// The process that writes the folder, as long as it runs.
pub const LOCK: &str = "run.lock";
/// The folder of the copies of the input meshes.
pub const MESHES: &str = "meshes";
/// The profile: a row for each frame and processor.
pub const PROFILE: &str = "profile.csv";
/// Seconds of the phases: a row for each frame.
pub const PHASES: &str = "phases.csv";
/// The workers: a row for each frame and worker.
pub const PROFILE_WORKERS: &str = "profile_workers.csv";
/// The steps of all workers together: a row for each frame.
pub const PROFILE_STEPS: &str = "profile_steps.csv";

/// The page of a run.
pub const PAGE: &str = "view.html";

/// The checkpoints of a run. `*` stands for the step.
pub const CHECKPOINTS: &str = "checkpoint_*.bin";

/// The materials of the input meshes.
pub const MATERIALS: &str = "materials.mtl";
/// Obstacles that stand still.
pub const OBSTACLES: &str = "obstacles.obj";
/// The hulls and closed meshes of a scene of bodies, each in its own frame.
pub const SOLIDS: &str = "solids.obj";

/// The tables of a profile.
pub const TABLES: [&str; 2] = [PROFILE, PHASES];

/// Tables beside frames: the ranks of bodies.
pub const OWNERS: &str = "owners";
/// The workers of bodies.
pub const WORKERS: &str = "workers";
/// The forces of contacts.
pub const CONTACTS: &str = "contacts";
/// The forces of joints.
pub const JOINTS: &str = "joints";

/// The poses of rigid bodies among cloth.
pub const POSES: &str = "poses";

/// Ending of a file while it is written.
const TEMPORARY: &str = ".tmp";

/// The file of frame `number` in `format`.
pub fn frame(number: u64, format: &str) -> String {
    format!("frame_{number:04}.{format}")
}

/// The checkpoint after `step` steps.
pub fn checkpoint(step: u64) -> String {
    numbered(CHECKPOINTS, step)
}

/// The file with this `number` among `files`, whose name has `*` for the number.
pub fn numbered(files: &str, number: u64) -> String {
    files.replace('*', &format!("{number:04}"))
}

/// The files of all frames in `format`. `*` stands for the number.
pub fn all_frames(format: &str) -> String {
    format!("frame_*.{format}")
}

/// The table `name` beside frame `number`.
pub fn beside(name: &str, number: u64) -> String {
    format!("{name}_{number:04}.csv")
}

/// The tables `name` beside all frames. `*` stands for the number.
pub fn all_beside(name: &str) -> String {
    format!("{name}_*.csv")
}

/// The number that stands in `name` for the `*` of `names`.
pub fn number_in(name: &str, names: &str) -> Option<u64> {
    let (before, after) = names.split_once('*')?;
    let digits = name.strip_prefix(before)?.strip_suffix(after)?;
    let number: u64 = digits.parse().ok()?;
    // Numbers are written with at least four digits, and no more than needed.
    (format!("{number:04}") == digits).then_some(number)
}

/// The name of the file at `path` until it is whole.
pub fn temporary(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(TEMPORARY);
    name.into()
}

/// The name of a file without the ending that it has until it is whole.
pub fn whole(name: &str) -> &str {
    name.strip_suffix(TEMPORARY).unwrap_or(name)
}

/// The copy of the input mesh `number`, which has the file name `name`. It is in [`MESHES`].
pub fn mesh_copy(number: usize, name: &str) -> String {
    format!("mesh_{number}_{name}")
}

/// The copy of the image `number` of a material, which has the file name `name`. It is in
/// [`MESHES`].
pub fn image_copy(number: usize, name: &str) -> String {
    format!("image_{number}_{name}")
}

/// Whether [`image_copy`] can have made this name.
pub fn is_image_copy(name: &str) -> bool {
    let number = name.strip_prefix("image_").and_then(|rest| rest.split_once('_'));
    number.is_some_and(|(digits, _)| digits.parse::<usize>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_recognised_by_their_names() {
        for number in [0, 7, 12_345] {
            assert_eq!(number_in(&frame(number, "obj"), &all_frames("obj")), Some(number));
            assert_eq!(number_in(&beside(OWNERS, number), &all_beside(OWNERS)), Some(number));
        }
        for name in ["frame_.obj", "frame_1a.obj", "frame_0001.png", "frame_0003.obj.tmp"] {
            assert_eq!(number_in(name, &all_frames("obj")), None, "{name}");
        }
    }
}
