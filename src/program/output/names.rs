//! Names of the files that the program writes: those of a run folder, and pictures.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use cloth_sim::partition::methods::Method;

use crate::program::output::{bodies, formats};

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
/// The process that writes the folder, as long as it runs.
pub const LOCK: &str = "run.lock";
/// The folder of the copies of the input meshes.
pub const MESHES: &str = "meshes";
/// The profile: a row for each frame and processor.
pub const PROFILE: &str = "profile.csv";
/// Seconds of the phases: a row for each frame.
pub const PHASES: &str = "phases.csv";

/// The checkpoints of a run. `*` stands for the step.
pub const CHECKPOINTS: &str = "checkpoint_*.bin";

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

/// Measures of divisions: a row for each method and number of ranks.
pub const PARTITION_TABLE: &str = "partition_table.csv";
/// Each rank of each division.
pub const PARTITION_RANKS: &str = "partition_ranks.csv";
/// The owner of each cloth vertex in each division.
pub const PARTITION_OWNERS: &str = "partition_owners.csv";
/// All divisions beside each other.
pub const PARTITION_OVERVIEW: &str = "partition_overview.png";

/// The materials of the input meshes.
pub const MATERIALS: &str = "materials.mtl";
/// The hulls and closed meshes of a scene of bodies, each in its own frame.
pub const SOLIDS: &str = "solids.obj";

/// The tables of a profile.
pub const TABLES: [&str; 2] = [PROFILE, PHASES];

/// Files of `cloth-sim partition` with one name each.
const PARTITION_FILES: [&str; 4] =
    [PARTITION_TABLE, PARTITION_RANKS, PARTITION_OWNERS, PARTITION_OVERVIEW];
const PARTITION_PICTURE: &str = "partition_";
const OBSTACLES: &str = "obstacles";
const OWNERS: &str = "owners_";
/// Ending of a file while it is written.
const TEMPORARY: &str = ".tmp";

/// The file of frame `number` in `format`.
pub fn frame(number: u64, format: &str) -> String {
    format!("frame_{number:04}.{format}")
}

/// The checkpoint after `step` steps.
pub fn checkpoint(step: u64) -> String {
    CHECKPOINTS.replace('*', &format!("{step:04}"))
}

/// The files of all frames in `format`. `*` stands for the number.
pub fn all_frames(format: &str) -> String {
    format!("frame_*.{format}")
}

/// The files with the ranks of bodies of all frames. `*` stands for the number.
pub fn all_owners() -> String {
    format!("{OWNERS}*.csv")
}

/// The number that stands in `name` for the `*` of `names`.
pub fn number_in(name: &str, names: &str) -> Option<u64> {
    let (before, after) = names.split_once('*')?;
    let digits = name.strip_prefix(before)?.strip_suffix(after)?;
    let number: u64 = digits.parse().ok()?;
    // No other number of digits is written.
    (format!("{number:04}") == digits).then_some(number)
}

/// The file of the fixed obstacles in `format`.
pub fn obstacles(format: &str) -> String {
    format!("{OBSTACLES}.{format}")
}

/// The file with the rank of each body of frame `number`.
pub fn owners(number: u64) -> String {
    format!("{OWNERS}{number:04}.csv")
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

/// The two files of a picture: SVG, then PNG.
pub fn picture(name: &str) -> [String; 2] {
    ["svg", "png"].map(|ending| format!("{name}.{ending}"))
}

/// The picture of the division by `method` among `ranks` ranks.
pub fn partition_picture(method: &str, ranks: usize) -> String {
    format!("{PARTITION_PICTURE}{method}_{ranks}.png")
}

/// Whether `cloth-sim partition` may write a file of this name.
pub fn is_file_of_partition(name: &str) -> bool {
    let name = whole(name);
    let is_picture = |name: &str| {
        let name = name.strip_prefix(PARTITION_PICTURE)?.strip_suffix(".png")?;
        let (method, ranks) = name.split_once('_')?;
        let is_method = Method::ALL.iter().any(|known| known.name() == method);
        (is_method && is_number(ranks)).then_some(())
    };
    PARTITION_FILES.contains(&name) || is_picture(name).is_some()
}

/// The number of a frame, in any format, from the name of its file.
pub fn frame_number(name: &str) -> Option<u64> {
    let of_cloth = formats::ALL.iter().map(|format| format.name());
    let mut all = of_cloth.chain(bodies::FORMATS.iter().map(|format| format.name()));
    all.find_map(|format| number_in(name, &all_frames(format)))
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

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_recognised_by_their_names() {
        for name in [&*frame(0, "obj"), &frame(12_345, "obj"), &frame(7, "vtp")] {
            assert!(frame_number(name).is_some(), "{name}");
        }
        assert_eq!(number_in(&owners(12), &all_owners()), Some(12));
        for name in ["frame_.obj", "frame_1a.obj", "frame_0001.png", "frame_0003.obj.tmp"] {
            assert!(frame_number(name).is_none(), "{name}");
        }
        for name in [&*partition_picture("Power", 16), PARTITION_OWNERS, PARTITION_OVERVIEW] {
            assert!(is_file_of_partition(name), "{name}");
        }
        for name in [PARTITION, "partition_mine.png", "partition_Power_x.png", "partition_4.png"] {
            assert!(!is_file_of_partition(name), "{name}");
        }
    }
}
