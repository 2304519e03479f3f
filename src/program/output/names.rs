//! Names of the files that the program writes: those of a run folder, and pictures. No other
//! module knows which names belong to a run.

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

/// Files of a run with one name each.
const FILES: [&str; 9] =
    [SCENE, PARTITION, RUN, STEPS, TIMELINE, PROFILE, PHASES, MATERIALS, SOLIDS];
/// All pictures, without their endings.
const PICTURES: [&str; 5] =
    [RUN_PICTURE, COMPARISON_PICTURE, STEP_PICTURE, SCALING_PICTURE, UTILIZATION_PICTURE];
/// Files of `cloth-sim partition` with one name each.
const PARTITION_FILES: [&str; 4] =
    [PARTITION_TABLE, PARTITION_RANKS, PARTITION_OWNERS, PARTITION_OVERVIEW];
const PARTITION_PICTURE: &str = "partition_";
const OBSTACLES: &str = "obstacles";
const OWNERS: &str = "owners_";
const MESH_COPY: &str = "mesh_";
const IMAGE_COPY: &str = "image_";
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
    let name = name.strip_suffix(TEMPORARY).unwrap_or(name);
    let is_picture = |name: &str| {
        let name = name.strip_prefix(PARTITION_PICTURE)?.strip_suffix(".png")?;
        let (method, ranks) = name.split_once('_')?;
        let is_method = Method::ALL.iter().any(|known| known.name() == method);
        (is_method && is_number(ranks)).then_some(())
    };
    PARTITION_FILES.contains(&name) || is_picture(name).is_some()
}

/// Whether a file of this name is a frame, in any format.
pub fn is_frame(name: &str) -> bool {
    let number = stem(name).and_then(|stem| stem.strip_prefix("frame_"));
    number.is_some_and(is_number)
}

/// The number of a frame from the name of its file.
pub fn frame_number(name: &str) -> Option<u64> {
    stem(name).filter(|_| is_frame(name))?.strip_prefix("frame_")?.parse().ok()
}

/// The copy of the input mesh `number`, which has the file name `name`. It is in [`MESHES`].
pub fn mesh_copy(number: usize, name: &str) -> String {
    format!("{MESH_COPY}{number}_{name}")
}

/// The copy of the image `number` of a material, which has the file name `name`. It is in
/// [`MESHES`].
pub fn image_copy(number: usize, name: &str) -> String {
    format!("{IMAGE_COPY}{number}_{name}")
}

/// Whether a file of this name in a run folder is of a run or a picture of it. `--overwrite`
/// removes these files; without it they are refused. [`LOCK`] and [`MESHES`] are not among them.
pub fn is_file_of_run(name: &str) -> bool {
    let name = name.strip_suffix(TEMPORARY).unwrap_or(name);
    let is_drawn = is_picture(name) || is_file_of_partition(name);
    let is_frame = is_frame(name) || is_owners(name);
    FILES.contains(&name) || is_frame || stem(name) == Some(OBSTACLES) || is_drawn
}

/// Whether a run may write a file of this name into [`MESHES`].
pub fn is_mesh_copy(name: &str) -> bool {
    let rest = name.strip_prefix(MESH_COPY).or_else(|| name.strip_prefix(IMAGE_COPY));
    let number = rest.and_then(|rest| rest.split_once('_'));
    number.is_some_and(|(number, _)| is_number(number))
}

fn is_owners(name: &str) -> bool {
    let number = name.strip_prefix(OWNERS).and_then(|rest| rest.strip_suffix(".csv"));
    number.is_some_and(is_number)
}

fn is_picture(name: &str) -> bool {
    PICTURES.iter().any(|stem| picture(stem).iter().any(|file| file == name))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A name without its ending, if that is the ending of a format.
fn stem(name: &str) -> Option<&str> {
    let (stem, ending) = name.rsplit_once('.')?;
    let of_cloth = formats::ALL.iter().map(|format| format.name());
    let mut all = of_cloth.chain(bodies::FORMATS.iter().map(|format| format.name()));
    all.any(|format| format == ending).then_some(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_run_are_recognised_by_their_names() {
        for name in [&*frame(0, "obj"), &frame(12_345, "obj"), &frame(7, "vtp")] {
            assert!(is_frame(name) && is_file_of_run(name), "{name}");
        }
        let temporary = temporary(Path::new(&frame(3, "obj")));
        let [svg, png] = picture(SCALING_PICTURE);
        for name in [
            &*obstacles("obj"),
            &*owners(12),
            "run.json.tmp",
            temporary.to_str().unwrap(),
            &svg,
            &png,
        ] {
            assert!(!is_frame(name) && is_file_of_run(name), "{name}");
        }
        assert!(FILES.iter().all(|name| is_file_of_run(name)));
        for name in [
            "notes.txt",
            "frame_.obj",
            "frame_1a.obj",
            "frame_0001.png",
            "profile.pdf",
            "owners_.csv",
        ] {
            assert!(!is_frame(name) && !is_file_of_run(name), "{name}");
        }
        for name in [&*partition_picture("Power", 16), PARTITION_OWNERS, PARTITION_OVERVIEW] {
            assert!(is_file_of_partition(name) && is_file_of_run(name), "{name}");
        }
        for name in [PARTITION, "partition_mine.png", "partition_Power_x.png", "partition_4.png"] {
            assert!(!is_file_of_partition(name), "{name}");
        }
        assert!(is_mesh_copy(&mesh_copy(12, "a_b.obj")) && is_mesh_copy(&image_copy(0, "a.png")));
        assert!(["mesh_a.obj", "mesh_.obj", "mesh_1.obj"].iter().all(|name| !is_mesh_copy(name)));
    }
}
