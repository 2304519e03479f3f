//! `program/output/checkpoint` and `program/run`: a resumed run has the bits of an uninterrupted
//! run, after an early end and with more frames.
//!
//! `tools/resume_test.py` does the same with more scenes and many more moments.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::run::{Frames, Start, cloth_sim, finish, frame_files, scene, simulate};
use serde_json::Value;

const FRAMES: usize = 6;

/// Cloth with contacts of its own that is pinched, in few steps a frame.
fn start(start: Start, folder: &Path, more: &[&str]) -> Command {
    let mut command = cloth_sim(start);
    command.arg(scene("pinch.ron")).arg("--out").arg(folder);
    command.args(["--quiet", "--set", "steps_per_frame=4", "--set", "frames_per_second=50"]);
    command.args(more);
    command
}

fn undisturbed(folder: &Path) -> Frames {
    let frames = format!("frames={FRAMES}");
    let output = finish(&mut start(Start::Threads(1, 2), folder, &["--set", &frames]));
    assert!(output.status.success(), "{}", text(&output));
    Frames::read(folder)
}

/// Resumes the run in `folder` on these ranks and threads.
fn resume(ranks: &str, threads: &str, folder: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(&*crate::common::run::BINARY);
    command.arg("resume").arg(folder).args(["--oversubscribe", "--quiet", "--threads", threads]);
    finish(command.args(["--ranks", ranks]).args(more))
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn head(folder: &Path) -> Value {
    let text = fs::read_to_string(folder.join("run.json")).expect("run.json is there");
    serde_json::from_str(&text).expect("it is JSON")
}

fn checkpoints(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there").map(|it| it.unwrap().path());
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    let mut all = Vec::from_iter(entries.filter(|path| name(path).starts_with("checkpoint_")));
    all.sort();
    all
}

/// Asserts that the run in `folder` has everything that `expected`, the run in `whole`, has.
fn assert_same(folder: &Path, expected: &Frames, whole: &Path) {
    assert_eq!(&Frames::read(folder), expected);
    assert_eq!(head(folder)["energy"], head(whole)["energy"]);
    let files = fs::read_dir(folder).expect("the folder is there");
    let names = files.map(|it| it.unwrap().file_name().to_string_lossy().into_owned());
    assert!(names.into_iter().all(|name| !name.ends_with(".tmp")));
}

/// Starts an endless form of the run, and ends it by `signal` after some frames.
fn ended_by(signal: &str, folder: &Path, frames: usize, delay_ms: u64) {
    let all = format!("frames={FRAMES}");
    let mut command = start(Start::Threads(2, 1), folder, &["--set", &all]);
    let mut child: Child = command.stderr(Stdio::null()).spawn().expect("the program starts");
    let begin = Instant::now();
    while !folder.join(format!("frame_{frames:04}.obj")).exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "no frame {frames}");
        std::thread::sleep(Duration::from_millis(2));
    }
    std::thread::sleep(Duration::from_millis(delay_ms));
    Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill runs");
    child.wait().expect("the run ends");
}

#[test]
fn a_run_that_was_ended_at_any_moment_goes_on_to_the_same_bits() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let whole = home.path().join("whole");
    let expected = undisturbed(&whole);
    let ends = [("-TERM", 1, 30), ("-USR1", 2, 0), ("-KILL", 3, 25), ("-KILL", 1, 1)];
    for (number, (signal, frames, delay_ms)) in ends.into_iter().enumerate() {
        let folder = home.path().join(format!("{number}"));
        ended_by(signal, &folder, frames, delay_ms);
        if head(&folder)["status"] == "complete" {
            continue;
        }
        let (ranks, threads) = [("1", "2"), ("3", "1")][number % 2];
        let output = resume(ranks, threads, &folder, &[]);
        assert!(output.status.success(), "{}", text(&output));
        assert_same(&folder, &expected, &whole);
        assert_eq!(head(&folder)["resumed"].as_array().expect("a list").len(), 1);
        assert_eq!(checkpoints(&folder).len(), 2);
    }
}

#[test]
fn a_run_ends_in_time_again_and_again_and_goes_on_with_more_frames() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let (whole, folder) = (home.path().join("whole"), home.path().join("run"));
    let expected = undisturbed(&whole);
    let output = finish(&mut start(Start::Threads(1, 1), &folder, &["--set", "frames=2"]));
    assert!(output.status.success(), "{}", text(&output));
    let refused = resume("1", "1", &folder, &[]);
    assert!(!refused.status.success() && text(&refused).contains("--frames"), "{}", text(&refused));
    let mut ends = 0;
    let frames = FRAMES.to_string();
    loop {
        // The time grows, because on a busy machine the set-up alone may take it.
        let time = format!("{}ms", 200 + 10 * ends);
        let more = ["--frames", &frames, "--stop-after", &time];
        let output = resume(if ends % 2 == 0 { "2" } else { "1" }, "1", &folder, &more);
        match output.status.code() {
            Some(0) => break,
            Some(124) => ends += 1,
            _ => panic!("{}", text(&output)),
        }
        assert!(ends < 200);
    }
    assert_same(&folder, &expected, &whole);
    assert_eq!(head(&folder)["resumed"].as_array().expect("a list").len(), ends + 1);
}

/// The files of all formats, by their names.
fn format_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder).expect("the folder is there").map(|it| it.unwrap());
    let named = files.map(|it| (it.file_name().to_string_lossy().into_owned(), it.path()));
    let of_formats = named.filter(|(name, _)| name.starts_with("frame") || name == "scene.usda");
    of_formats.map(|(name, path)| (name, fs::read(path).expect("a file is read"))).collect()
}

#[test]
fn all_formats_go_on_to_the_same_bytes() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let (whole, folder) = (home.path().join("whole"), home.path().join("run"));
    let formats = "output.formats=[\"obj\", \"vtp\", \"pc2\", \"usd\"]";
    let format = ["--set", formats, "--set", "frames=4"];
    let output = finish(&mut start(Start::Threads(1, 2), &whole, &format));
    assert!(output.status.success(), "{}", text(&output));
    let expected = format_files(&whole);
    let points = |folder: &Path| folder.join("frames_right_sleeve.pc2");
    let samples = |folder: &Path| fs::read(points(folder)).expect("the file is there")[28];
    // It ends early, and another process may have been killed while it wrote a frame.
    let output = finish(start(Start::Threads(2, 1), &folder, &format).args(["--frames", "2"]));
    assert!(output.status.success() && samples(&folder) == 3, "{}", text(&output));
    for name in
        ["frames_right_sleeve.pc2", "frame.0003.usda.tmp", "frame_0003.vtp", "frames.pvd.tmp"]
    {
        let mut torn = fs::read(folder.join(name)).unwrap_or_default();
        torn.extend([7; 100]);
        fs::write(folder.join(name), torn).expect("the file is written");
    }
    let output = resume("3", "1", &folder, &["--frames", "4"]);
    assert!(output.status.success(), "{}", text(&output));
    assert!(format_files(&folder) == expected && samples(&folder) == 5);
    let mut check = Command::new(&*crate::common::run::BINARY);
    let output = finish(check.arg("check").arg(&folder));
    assert!(output.status.success(), "{}", text(&output));
}

#[cfg(feature = "mpi")]
#[test]
fn a_run_goes_on_under_mpi_and_back_in_one_process() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let (whole, folder) = (home.path().join("whole"), home.path().join("run"));
    let expected = undisturbed(&whole);
    ended_by("-TERM", &folder, 1, 10);
    let mut command = crate::common::mpirun(3);
    command.arg(&*crate::common::run::BINARY).arg("resume").arg(&folder);
    command.args(["--oversubscribe", "--threads", "1", "--quiet", "--frames", "4"]);
    let output = finish(&mut command);
    assert!(output.status.success(), "{}", text(&output));
    let output = resume("2", "1", &folder, &["--frames", &FRAMES.to_string()]);
    assert!(output.status.success(), "{}", text(&output));
    assert_same(&folder, &expected, &whole);
}

#[test]
fn a_damaged_checkpoint_is_refused_and_the_one_before_is_used() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let (whole, folder) = (home.path().join("whole"), home.path().join("run"));
    let expected = undisturbed(&whole);
    let some = ["--set", "frames=4", "--checkpoint-every", "1"];
    assert!(finish(&mut start(Start::Threads(1, 1), &folder, &some)).status.success());
    let [before, newest] = &checkpoints(&folder)[..] else { panic!("not two checkpoints") };
    let mut bytes = fs::read(newest).expect("it can be read");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(newest, &bytes).expect("it can be written");
    let saved = fs::read(before).expect("it can be read");

    // Both are damaged: nothing changes.
    fs::write(before, &saved[..saved.len() - 1]).expect("it can be written");
    let frames = frame_files(&folder);
    let refused = resume("1", "1", &folder, &["--frames", &FRAMES.to_string()]);
    let said = text(&refused);
    assert!(!refused.status.success());
    assert!(said.contains("checkpoint_0016.bin") && said.contains("checkpoint_0012.bin"), "{said}");
    assert!(said.contains("damaged") && said.contains("cut off"), "{said}");
    assert_eq!(frame_files(&folder), frames);

    fs::write(before, saved).expect("it can be written");
    let output = resume("2", "1", &folder, &["--frames", &FRAMES.to_string()]);
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("checkpoint_0016.bin"), "{}", text(&output));
    assert_same(&folder, &expected, &whole);
}

#[test]
fn a_checkpoint_of_another_scene_is_refused_and_a_run_without_one_begins_again() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let folder = home.path().join("run");
    assert!(
        finish(&mut start(Start::Threads(1, 1), &folder, &["--set", "frames=1"])).status.success()
    );
    let path = folder.join("scene.ron");
    let changed = fs::read_to_string(&path).expect("it can be read").replace("-9.81", "-9.8");
    fs::write(&path, changed).expect("it can be written");
    let refused = resume("1", "1", &folder, &["--frames", "2"]);
    assert!(!refused.status.success());
    assert!(text(&refused).contains("the scene or a mesh has changed"), "{}", text(&refused));
    let without = home.path().join("without");
    let none = ["--set", "frames=1", "--checkpoint-every", "0"];
    simulate(Start::Threads(1, 1), &scene("sheet.ron"), &without, &none);
    let again = resume("1", "1", &without, &["--frames", "2"]);
    assert!(text(&again).contains("no checkpoint, and begins again"), "{}", text(&again));
    let whole = home.path().join("whole");
    let expected = simulate(Start::Threads(1, 1), &scene("sheet.ron"), &whole, &["--frames", "2"]);
    assert_same(&without, &expected, &whole);
}

#[test]
fn a_new_run_begins_with_a_frame_of_another_and_names_what_has_changed() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let (folder, new) = (home.path().join("run"), home.path().join("new"));
    let all = ["--set", "frames=3", "--checkpoint-every", "1", "--keep-checkpoints", "9"];
    assert!(finish(&mut start(Start::Threads(1, 1), &folder, &all)).status.success());
    let begin = |more: &[&str]| {
        let out = new.to_str().expect("a path");
        resume("2", "1", &folder, &[&["--out", out, "--overwrite"], more].concat())
    };
    let output = begin(&["--from-frame", "2"]);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(frame_files(&new).len(), 2);
    for name in ["frame_0002.obj", "frame_0003.obj"] {
        let read = |folder: &Path| fs::read(folder.join(name)).expect("it can be read");
        assert!(read(&new) == read(&folder), "{name}");
    }
    let output = begin(&["--from-frame", "1", "--set", "gravity_m_per_s2=(0, -5, 0)"]);
    assert!(output.status.success(), "{}", text(&output));
    let said = text(&output);
    assert!(said.contains("a new run") && said.contains("gravity_m_per_s2[1]"), "{said}");
    assert_eq!(head(&new)["begun_from"]["frame"], 1);
    let output = resume("1", "1", &new, &["--frames", "4"]);
    assert!(output.status.success(), "{}", text(&output));
    let checked = finish(Command::new(&*crate::common::run::BINARY).arg("check").arg(&new));
    assert!(checked.status.success(), "{}", text(&checked));

    for (more, words) in [
        (&["--from-frame", "7"][..], "of these frames: 1, 2, 3"),
        (&["--from-frame", "2", "--frames", "1"], "begins with frame 2 and ends with 1"),
        (&["--from-frame", "1", "--set", "steps_per_frame=5"], "the run had steps of"),
        (
            &["--from-frame", "1", "--set", "obstacles[0].transform.translation_m=(0.25, 0, 0)"],
            "inters",
        ),
        (&["--from-frame", "1", "--set", "refine=2"], "scene"),
    ] {
        let refused = begin(more);
        assert!(!refused.status.success(), "{more:?}");
        assert!(text(&refused).contains(words), "{more:?}: {}", text(&refused));
    }
}

/// A sheet that swings, and bodies that meet, each with changes.
const CHANGES: [(&str, &[&str]); 2] = [
    (
        r#"(frames: 4, steps_per_frame: 10, cloths: [(
            shape: Sheet(width_m: 0.4, length_m: 0.4, columns: 8, rows: 8),
            material: Isotropic(density_kg_per_m2: 0.2, modulus_n_per_m: 100, poisson_ratio: 0.3,
                rigidity_n_m: 1e-5),
            pins: [(select: Box(min_m: (-1, -1, -1), max_m: (-0.199, 1, 1)))])])"#,
        &["gravity_m_per_s2=(0, 9.81, 0)", "cloths[0].material.modulus_n_per_m=3000"],
    ),
    (
        r#"(frames: 4, steps_per_frame: 40, bodies: [
                (name: "a", shape: Sphere(radius_m: 0.1), material: "m", arrangement: At([(0, 0.6, 0)])),
                (name: "b", shape: Sphere(radius_m: 0.1), material: "n", arrangement: At([(0.9, 0.5, 0)])),
            ],
            joints: [(kind: Ball, bodies: Pair("b", "space"), at_m: (0.5, 0.5, 0))],
            materials: [(name: "m", density_kg_per_m3: 1000, friction: 0.5, restitution: 0.9),
                        (name: "n", density_kg_per_m3: 500, friction: 0.5)],
            domain: (min_m: (-2, 0, -2), max_m: (2, 3, 2), borders: (Wall, Floor, Wall)))"#,
        &["bodies[0].material=\"n\"", "materials[0].density_kg_per_m3=100", "joints=[]"],
    ),
];

#[test]
fn what_a_new_run_changes_is_no_fault() {
    for (scene, changes) in CHANGES {
        let home = tempfile::tempdir().expect("a temporary folder");
        let [file, folder, new] = ["scene.ron", "run", "new"].map(|name| home.path().join(name));
        fs::write(&file, scene).expect("the scene is written");
        let mut command = cloth_sim(Start::Threads(1, 1));
        command.arg(&file).arg("--out").arg(&folder).args(["--quiet", "--checkpoint-every", "1"]);
        let output = finish(command.args(["--keep-checkpoints", "9"]));
        assert!(output.status.success(), "{}", text(&output));
        let begin = |change: &str| {
            let out = new.to_str().expect("a path");
            let more = ["--out", out, "--overwrite", "--from-frame", "2", "--set", change];
            resume("1", "1", &folder, &more)
        };
        for change in changes {
            let output = begin(change);
            assert!(output.status.success(), "{change}: {}", text(&output));
            let checked = finish(Command::new(&*crate::common::run::BINARY).arg("check").arg(&new));
            assert!(checked.status.success(), "{change}: {}", text(&checked));
        }
        if scene.contains("bodies") {
            let refused = text(&begin("bodies[0].shape=Sphere(radius_m: 0.2)"));
            assert!(refused.contains("a: the frame has it with another shape"), "{refused}");
        }
    }
}

#[test]
fn a_run_of_rigid_bodies_goes_on_to_the_same_bits() {
    goes_on_to_the_same_bits("grains.ron", &["frames=3"]);
}

#[test]
fn a_run_of_jointed_bodies_goes_on_to_the_same_bits() {
    goes_on_to_the_same_bits("joints.ron", &["frames=20"]);
}

#[test]
fn a_run_by_workers_goes_on_to_the_same_bits() {
    for parallel in ["Workers(count: 3)", "Workers(count: 3, coupling: Impulses)"] {
        let parallel = format!("parallel={parallel}");
        goes_on_to_the_same_bits("joints.ron", &["frames=20", &parallel]);
    }
}

#[test]
fn a_run_with_bdf2_goes_on_to_the_same_bits() {
    goes_on_to_the_same_bits("bdf2.ron", &[]);
}

#[test]
fn a_run_with_soft_pins_goes_on_to_the_same_bits() {
    goes_on_to_the_same_bits("maps.ron", &[]);
}

#[test]
fn a_run_that_chooses_its_steps_goes_on_to_the_same_bits() {
    let steps = "steps_per_frame=Adaptive(at_most: 32, error_m: 5e-5)";
    goes_on_to_the_same_bits("bdf2.ron", &[steps]);
}

/// Ends a run several times, goes on with other numbers of ranks, and compares with a whole run.
fn goes_on_to_the_same_bits(scene: &str, fields: &[&str]) {
    let home = tempfile::tempdir().expect("a temporary folder");
    let (whole, folder) = (home.path().join("whole"), home.path().join("run"));
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes").join(scene);
    let run = |folder: &Path, more: &[&str]| {
        let mut command = cloth_sim(Start::Threads(2, 1));
        command.arg(&scene).arg("--out").arg(folder).arg("--quiet").args(more);
        command.args(fields.iter().flat_map(|field| ["--set", field]));
        let output = finish(&mut command);
        assert!(matches!(output.status.code(), Some(0 | 124)), "{}", text(&output));
    };
    run(&whole, &[]);
    run(&folder, &["--stop-after", "60ms"]);
    let mut parts = 1;
    while head(&folder)["status"] != "complete" {
        let (ranks, time) = [("3", "90ms"), ("1", "1h")][usize::from(parts > 3)];
        let output = resume(ranks, "1", &folder, &["--stop-after", time]);
        assert!(matches!(output.status.code(), Some(0 | 124)), "{}", text(&output));
        parts += 1;
    }
    assert!(parts > 1, "the run was never ended");
    let frames = frame_files(&whole);
    assert_eq!(frames.len(), frame_files(&folder).len());
    for path in frames {
        let name = path.file_name().expect("a name");
        assert!(fs::read(&path).unwrap() == fs::read(folder.join(name)).unwrap(), "{name:?}");
    }
    let hashes = |folder: &Path| {
        let frames = crate::common::run::frames_of(folder);
        Vec::from_iter(frames.iter().map(|frame| frame["state_hash"].clone()))
    };
    assert_eq!(hashes(&folder), hashes(&whole));
}
