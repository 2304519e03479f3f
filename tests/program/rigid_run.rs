//! Room `rigid` in the real program: scenes of rigid bodies give the same files on any number of
//! ranks, and bad scenes give clear errors.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::run::{Start, assert_says, cloth_sim, finish, frames_of};
use serde_json::Value;
use sha2::{Digest, Sha256};

const REFERENCE: Start = Start::Threads(1, 1);

fn starts() -> Vec<Start> {
    let threads = [(1, 2), (2, 1), (3, 2), (8, 1)];
    let mut starts = Vec::from(threads.map(|(ranks, threads)| Start::Threads(ranks, threads)));
    if cfg!(feature = "mpi") {
        starts.extend([2, 4].map(Start::Mpi));
    }
    starts
}

fn grains() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes/grains.ron")
}

fn joints() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes/joints.ron")
}

/// The results of a run that must not depend on its ranks: the files of the frames, and the fields
/// of `steps.jsonl` about all bodies.
#[derive(Debug, PartialEq)]
struct Outcome {
    files: BTreeMap<String, String>,
    lines: Vec<BTreeMap<String, Value>>,
}

/// Fields of a frame about all bodies. (Which body crosses a border of subdomains depends on the
/// division.)
const OF_ALL: [&str; 13] = [
    "frame",
    "time_s",
    "bodies",
    "ids_hash",
    "bodies_hash",
    "state_hash",
    "left",
    "translation_j",
    "rotation_j",
    "potential_j",
    "momentum",
    "angular_momentum",
    "deepest",
];

fn run(start: Start, scene: &Path, more: &[&str]) -> Outcome {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("run");
    let output = finish(cloth_sim(start).arg(scene).arg("--out").arg(&out).args(more));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{start:?} {more:?}: {said}");
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(&out).expect("the run folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if ["frame_", "contacts_", "joints_", "obstacles"].iter().any(|it| name.starts_with(it)) {
            let bytes = std::fs::read(&path).expect("a frame can be read");
            files.insert(name, format!("{:x}", Sha256::digest(bytes)));
        }
    }
    let frames = frames_of(&out);
    let written = files.keys().filter(|name| name.starts_with("frame_")).count();
    assert_eq!(frames.len(), written, "a line for each frame");
    let line = |frame: &Value| {
        let of_all = OF_ALL.iter().map(|&name| (name.to_owned(), frame[name].clone()));
        BTreeMap::from_iter(of_all)
    };
    Outcome { files, lines: frames.iter().map(line).collect() }
}

/// The same files and numbers with each response, on any ranks, threads and transport; with power
/// cells that move after every frame, a grid, and both ways of synchronisation.
#[test]
fn frames_are_the_same_on_any_ranks() {
    const DIVISIONS: [&[&str]; 3] = [
        &["--set", "domain.repartition=Always", "--set", "synchronisation=ShadowOwner"],
        &["--set", "domain.method=Grid(3, 2, 2)"],
        &["--set", "domain.method=Grid(1, 1, 8)", "--set", "synchronisation=ShadowOwner"],
    ];
    const FORCES: &str = "output.forces=true";
    let responses: [&[&str]; 2] =
        [&["response=Ffd"], &["response=Nonsmooth(sweeps: 6)", "--set", FORCES]];
    for response in responses {
        let more = [&["--set"], response].concat();
        let reference = run(REFERENCE, &grains(), &more);
        assert_eq!(reference.files.contains_key("contacts_0004.csv"), more.contains(&FORCES));
        let hashes: Vec<_> = reference.lines.iter().map(|line| &line["state_hash"]).collect();
        assert!(hashes.windows(2).all(|two| two[0] != two[1]), "nothing moves");
        assert_eq!(reference.lines[4]["bodies"], 250 + 72 + 50 + 16 + 16 + 5);
        for (start, division) in starts().into_iter().zip(DIVISIONS.into_iter().cycle()) {
            let more = [&more[..], division].concat();
            let outcome = run(start, &grains(), &more);
            assert!(outcome == reference, "{start:?} {more:?} differs");
        }
    }
}

/// Joints of all kinds lie across the borders of subdomains, and contacts act on their bodies.
#[test]
fn joints_are_the_same_on_any_ranks_and_hold() {
    let forces = ["--set", "output.forces=true", "--set"];
    let reference = run(REFERENCE, &joints(), &forces[..2]);
    assert!(reference.files.contains_key("joints_0001.csv"));
    let divisions = ["domain.repartition=Always", "domain.method=Grid(4, 2, 2)"];
    for (start, division) in starts().into_iter().zip(divisions.into_iter().cycle()) {
        let outcome = run(start, &joints(), &[&forces[..], &[division]].concat());
        assert!(outcome == reference, "{start:?} {division} differs");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("run");
    assert!(finish(cloth_sim(REFERENCE).arg(joints()).arg("--out").arg(&out)).status.success());
    let check = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cloth-sim"));
        finish(command.arg("check").arg(&out).args(more))
    };
    let said = String::from_utf8_lossy(&check(&[]).stdout).into_owned();
    assert!(said.contains("no fault") && said.contains("widest joint: frame"), "{said}");
    // The check can fail.
    let strict = check(&["--max-joint-gap", "1e-9"]);
    let said = String::from_utf8_lossy(&strict.stdout).into_owned();
    assert!(!strict.status.success() && said.contains("is open by"), "{said}");
}

/// A heap at rest, and a lamp that hangs from space. What holds them are their weights.
#[test]
fn forces_beside_frames_hold_the_weight() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (scene, out) = (folder.path().join("heap.ron"), folder.path().join("run"));
    let bodies = r#"(name: "boxes", shape: Box(size_m: (0.1, 0.1, 0.1)), material: "oak",
             arrangement: Grid(count: (2, 3, 2), origin_m: (-0.1, 0.05, -0.1), spacing_m: 0.101)),
        (name: "balls", shape: Sphere(radius_m: 0.1), material: "oak",
             arrangement: At([(0.3, 0.1, 0), (0.3, 0.3, 0.001)])),
        (name: "lamp", shape: Sphere(radius_m: 0.1), material: "oak",
             arrangement: At([(-0.6, 0.6, 0)]))"#;
    let text = format!(
        r#"Scene(frames: 2, frames_per_second: 1, steps_per_frame: 1000, bodies: [{bodies}],
            materials: [(name: "oak", density_kg_per_m3: 700, friction: 0.4)],
            joints: [(kind: Ball, bodies: Pair("lamp", "space"), at_m: (-0.6, 0.9, 0))],
            domain: (min_m: (-1, 0, -1)),
            output: (forces: true))"#
    );
    std::fs::write(&scene, text).expect("a scene is written");
    let done = finish(cloth_sim(Start::Threads(2, 1)).arg(&scene).arg("--out").arg(&out));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let rows = |name: &str| -> Vec<Vec<f64>> {
        let mut table = csv::Reader::from_path(out.join(name)).expect("a table");
        let rows = table.records().map(|row| row.expect("a row"));
        rows.map(|row| row.iter().map(|cell| cell.parse().unwrap_or(f64::NAN)).collect()).collect()
    };
    assert!(rows("contacts_0000.csv").is_empty() && rows("joints_0000.csv").is_empty());
    // Walls are the last bodies: those across x come before the floor.
    let floor = f64::from(15 + 2);
    let contacts = rows("contacts_0002.csv");
    let ids = Vec::from_iter(contacts.iter().map(|row| (row[0], row[1])));
    assert!(ids.is_sorted() && ids.len() > 12, "{ids:?}");
    let on_floor = contacts.iter().filter(|row| row[1] == floor);
    let up: f64 = on_floor.map(|row| row[9]).sum();
    let ball = 4.0 / 3.0 * std::f64::consts::PI * 1e-3;
    let weight = |volume: f64| 700.0 * volume * 9.81;
    assert!((up / weight(12e-3 + 2.0 * ball) - 1.0).abs() < 1e-3, "{up}");
    for row in contacts.iter().filter(|row| row[1] == floor) {
        assert!(row[3].abs() < 1e-3 && row[6] == 1.0 && row[11].abs() < 1e-3, "{row:?}");
    }
    let joints = rows("joints_0002.csv");
    let [lamp] = &joints[..] else { panic!("{joints:?}") };
    assert!((lamp[4] / weight(ball) - 1.0).abs() < 1e-3 && lamp[2].is_nan(), "{lamp:?}");
}

/// Balls and boxes that fall, roll and come to rest, also by workers that blend states.
#[test]
fn rolling_resistance_is_the_same_on_any_ranks() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("rolling.ron");
    let bodies = r#"(shape: Sphere(radius_m: 0.05), material: "oak", velocity: Random(max_m_per_s: 1),
            arrangement: Grid(count: (5, 3, 5), origin_m: (-0.4, 0.1, -0.4), spacing_m: 0.16)),
        (shape: Box(size_m: (0.1, 0.08, 0.1)), material: "oak", orientation: Random,
            arrangement: Grid(count: (3, 1, 3), origin_m: (-0.3, 0.7, -0.3), spacing_m: 0.25))"#;
    let text = format!(
        r#"Scene(frames: 3, frames_per_second: 5, steps_per_frame: 150, bodies: [{bodies}],
            materials: [(name: "oak", density_kg_per_m3: 700, friction: 0.4, rolling_m: 0.002)],
            domain: (min_m: (-0.5, 0, -0.5), max_m: (0.5, 1, 0.5), borders: (Periodic, Floor, Wall)))"#
    );
    std::fs::write(&file, text).expect("a scene is written");
    let reference = run(REFERENCE, &file, &[]);
    assert!(reference != run(REFERENCE, &file, &["--set", "materials[0].rolling_m=0"]));
    for (start, division) in starts().into_iter().zip(["Always", "Never"].into_iter().cycle()) {
        let outcome = run(start, &file, &["--set", &format!("domain.repartition={division}")]);
        assert!(outcome == reference, "{start:?} {division} differs");
    }
    let walls = ["--set", "domain.borders=(Wall, Floor, Wall)", "--set"];
    let by_workers = |start, workers: &str| run(start, &file, &[&walls[..], &[workers]].concat());
    let reference = by_workers(REFERENCE, "parallel=Workers(count: 3)");
    assert!(by_workers(Start::Threads(3, 1), "parallel=Workers(count: 3)") == reference);
    for (setting, words) in [
        ("response=Ffd", "`Ffd` has no rolling resistance"),
        ("parallel=Workers(count: 2, coupling: Impulses)", "`coupling: Impulses` has no rolling"),
    ] {
        let mut bad = cloth_sim(REFERENCE);
        let refused = finish(
            bad.arg(&file).arg("--out").arg(folder.path().join("out")).args(walls).arg(setting),
        );
        assert_says(&refused, &["rolling.ron: materials.rolling_m", words, "leave it out"]);
    }
}

/// Joints hold through hard impacts, with limits and compliance.
#[test]
fn a_person_who_falls_down_stairs_stays_whole() {
    assert_sound(&crate::common::run::scene("ragdoll.ron"), "no fault in 101 frames");
}

#[test]
fn a_bridge_of_108_joints_stands() {
    let bridge = "tests/scenes/bridge/two_way_bridge.ron";
    let bridge = Path::new(env!("CARGO_MANIFEST_DIR")).join(bridge);
    assert_sound(&bridge, "no fault in 26 frames");
}

/// Runs `scene` on two ranks. Asserts that `check` says `words`.
fn assert_sound(scene: &Path, words: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("run");
    let mut run = cloth_sim(Start::Threads(2, 1));
    let done = finish(run.arg(scene).arg("--out").arg(&out));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let mut check = Command::new(env!("CARGO_BIN_EXE_cloth-sim"));
    let said = finish(check.arg("check").arg(&out));
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains(words), "{said}");
}

/// The run folder names a scene that gives the same frames again.
#[test]
fn the_resolved_scene_runs_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("run");
    let done = finish(cloth_sim(REFERENCE).arg(grains()).arg("--out").arg(&out));
    assert!(done.status.success());
    let said = String::from_utf8_lossy(&done.stdout);
    for word in ["409", "overlap", "contacts", "frame_0004.vtp"] {
        assert!(said.contains(word), "{said}");
    }
    let again = run(Start::Threads(2, 1), &out.join("scene.ron"), &[]);
    assert!(again == run(REFERENCE, &grains(), &[]));
}

/// A scene of some `bodies` with more `fields`.
fn scene(bodies: &str, fields: &str) -> String {
    format!(
        "Scene(frames: 2, bodies: [{bodies}], {fields} gravity_m_per_s2: (0, 0, 0),
            materials: [(name: \"glass\", density_kg_per_m3: 2500, restitution: 1)])"
    )
}

/// Runs the scene. Asserts that it fails with a message that has all `words`.
fn assert_refused(start: Start, text: &str, words: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("bad.ron");
    std::fs::write(&file, text).expect("a scene is written");
    let open = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n";
    std::fs::write(folder.path().join("open.obj"), open).expect("a mesh is written");
    let out = folder.path().join("out");
    assert_says(&finish(cloth_sim(start).arg(&file).arg("--out").arg(&out)), words);
}

#[test]
fn what_cannot_run_is_refused() {
    let ball =
        |fields: &str| format!("(shape: Sphere(radius_m: 0.1), material: \"glass\", {fields})");
    let one = |fields: &str| scene(&ball(fields), "");
    for (text, words) in [
        (
            one("arrangement: At([(0, 0, 0), (0.15, 0, 0)])"),
            &["bad.ron: bodies", "sphere[0] overlaps sphere[1]", "5.000e-2 m", "move them apart"][..],
        ),
        (one("arrangement: At([(0.95, 0, 0)])"), &["sphere overlaps wall_right by 5.000e-2 m"]),
        (one("arrangement: At([(2, 0, 0)])"), &["outside the domain", "bodies[0].arrangement"]),
        (
            scene("(shape: Sphere(radius_m: 0), material: \"glass\")", ""),
            &["bodies[0].shape.radius_m", "not positive"],
        ),
        (
            scene("(shape: Sphere(radius_m: NaN), material: \"glass\")", ""),
            &["bodies[0].shape.radius_m", "NaN"],
        ),
        (
            scene("(shape: Mesh(\"open.obj\"), material: \"glass\")", ""),
            &["bodies[0].shape", "not closed"],
        ),
        (
            one(
                "arrangement: At([(0, 0, 0), (0, 0.5, 0)]), velocity: Constant(m_per_s: (500, 0, 0))",
            ),
            &[
                "bad.ron: sphere[",
                "]: moved",
                "half of the radius of the ball that holds it",
                "raise `steps_per_frame`, or use slower",
            ],
        ),
        (
            one("arrangement: Random(count: 2000, min_m: (-1, -1, -1), max_m: (1, 1, 1))"),
            &["bodies[0]", "1000 cells"],
        ),
        (
            scene(&ball(""), "domain: (method: Grid(200, 200, 200)),"),
            &["domain.method", "8000000 subdomains", "at most 1000000"],
        ),
        (scene(&ball(""), "output: (formats: \"vtk\"),"), &["output.formats", "vtp"]),
        (
            scene(&ball(""), "output: (forces: true), response: Ffd,"),
            &["output.forces", "`Ffd` knows no forces", "Nonsmooth"],
        ),
        (
            scene(
                &ball(
                    "arrangement: Grid(count: (9, 9, 9), origin_m: (-0.9, -0.9, -0.9), spacing_m: 0.22)",
                ),
                "output: (formats: \"gif\"),",
            ),
            &["output.formats", "gif"],
        ),
    ] {
        assert_refused(Start::Threads(2, 1), &text, words);
    }
}

/// Both numbers and the remedy; with the remedy the same scene runs.
#[test]
fn bodies_too_large_for_next_neighbours_are_refused() {
    let large =
        "(shape: Sphere(radius_m: 0.3), material: \"glass\", velocity: Random(max_m_per_s: 1))";
    let grid = "domain: (borders: (Periodic, Periodic, Periodic), method: Grid(8, 1, 1)),";
    let words = ["bad.ron: ", "radius 0.3 m", "0.25 m", "ShadowOwner"];
    assert_refused(Start::Threads(2, 1), &scene(large, grid), &words);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("large.ron");
    let fields = format!("{grid} synchronisation: ShadowOwner,");
    std::fs::write(&file, scene(large, &fields)).expect("a scene is written");
    assert!(run(Start::Threads(4, 1), &file, &[]) == run(REFERENCE, &file, &[]));
}
