//! Scenes of bodies among cloth as texts, and the poses that their runs write.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;

use super::run::{Start, cloth_sim, finish};

/// The numbers of each body: centre, quaternion, velocity, angular velocity.
pub type Poses = BTreeMap<String, Vec<f64>>;

/// A folder that is removed in the end.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// The text of a file.
pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()))
}

/// The rows of a frame's poses: the numbers of each body.
pub fn poses(run: &Path, frame: u64) -> Poses {
    let text = read(&run.join(format!("poses_{frame:04}.csv")));
    let mut rows = text.lines();
    assert_eq!(rows.next(), Some("body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz"));
    let row = |line: &str| {
        let mut cells = line.split(',');
        let name = cells.next().expect("a name").to_owned();
        (name, cells.map(|cell| cell.parse().expect("a number")).collect())
    };
    rows.map(row).collect()
}

/// Runs the text of a scene in the folder `at`, into `at/out`.
pub fn run_text(scene: &str, at: &Path) -> Output {
    std::fs::write(at.join("scene.ron"), scene).expect("a scene is written");
    let mut command = cloth_sim(Start::Threads(1, 1));
    finish(command.arg(at.join("scene.ron")).arg("--out").arg(at.join("out")))
}

/// The same; the run must succeed. Returns the run folder.
pub fn run_scene(scene: &str, at: &Path) -> PathBuf {
    let said = run_text(scene, at);
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    at.join("out")
}
