//! Rooms `ranks` and `program`: a failing rank ends the whole job, with one message that names it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use crate::common::finish_within;
use crate::common::run::{BINARY, Start, cloth_sim, finish, frame_files, scene};

/// A job must end within this time of its rank's failure (steps take milliseconds).
const LIMIT: Duration = Duration::from_secs(5);

fn run_with(fault: &str, start: Start, folder: &Path) -> Output {
    run_scene(&scene("sheet.ron"), fault, start, folder)
}

fn run_scene(scene: &Path, fault: &str, start: Start, folder: &Path) -> Output {
    let mut command = cloth_sim(start);
    command.arg(scene).arg("--out").arg(folder).args(["--frames", "2"]);
    finish_within(LIMIT, command.env("CLOTH_SIM_FAULT", fault))
}

/// A scene of rigid bodies.
fn grains() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes/grains.ron")
}

fn starts() -> Vec<Start> {
    let mut starts = vec![Start::Threads(3, 1)];
    if cfg!(feature = "mpi") {
        starts.push(Start::Mpi(3));
    }
    starts
}

#[test]
fn a_panic_or_an_error_on_one_rank_ends_all_with_one_message() {
    for start in starts() {
        for (scene, fault, word) in [
            (scene("sheet.ron"), "panic:1:5", "panicked"),
            (scene("sheet.ron"), "error:2:5", "injected fault"),
            (grains(), "panic:1:5", "panicked"),
            (grains(), "error:2:5", "injected fault"),
        ] {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let output = run_scene(&scene, fault, start, &folder.path().join("run"));
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success(), "{start:?} {fault} succeeded");
            let rank = &fault.split(':').nth(1).expect("a rank");
            assert!(said.contains(&format!("rank {rank}")), "{start:?}: {said}");
            assert!(said.contains(word), "{start:?}: {said}");
            assert_eq!(said.matches("injected fault").count(), 1, "{start:?}: {said}");
        }
    }
}

/// It ends in the third frame, and goes on from the second one with other ranks.
#[test]
fn a_run_by_workers_goes_on_after_a_rank_has_failed() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let whole = home.path().join("whole");
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes/joints.ron");
    let run = |start: Start, folder: &Path| {
        let mut command = cloth_sim(start);
        command.arg(&scene).arg("--out").arg(folder).args(["--checkpoint-every", "1"]);
        let parallel = "parallel=Workers(count: 3, coupling: Impulses)";
        for field in [parallel, "frames_per_second=250", "steps_per_frame=5"] {
            command.args(["--set", field]);
        }
        command
    };
    assert!(finish(&mut run(Start::Threads(1, 1), &whole)).status.success());
    let frames = frame_files(&whole);
    for (start, fault) in
        starts().into_iter().flat_map(|it| [(it, "panic:1:12"), (it, "error:2:12")])
    {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let folder = folder.path().join("run");
        let output = finish_within(LIMIT, run(start, &folder).env("CLOTH_SIM_FAULT", fault));
        let said = String::from_utf8_lossy(&output.stderr);
        let rank = format!("rank {}", &fault[6..7]);
        assert!(!output.status.success() && said.contains(&rank), "{start:?} {fault}: {said}");
        assert_eq!(said.matches("injected fault").count(), 1, "{start:?} {fault}: {said}");
        assert!(frame_files(&folder).len() < frames.len());
        let mut resume = Command::new(&*BINARY);
        let output = finish(resume.arg("resume").arg(&folder).args(["--ranks", "2"]));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for path in &frames {
            let other = folder.join(path.file_name().expect("a name"));
            assert!(fs::read(path).expect("a frame") == fs::read(&other).expect("it"), "{other:?}");
        }
    }
}

/// Halving the step does not cure a NaN. The run fails and names frame, step and vertex.
#[test]
fn a_nan_is_reported_with_its_place() {
    for start in starts() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let output = run_with("nan:0:5:210", start, &folder.path().join("run"));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success());
        assert!(said.contains("frame 1, step 5"), "{said}");
        assert!(said.contains("not finite") && said.contains("worst vertex"), "{said}");
    }
}
