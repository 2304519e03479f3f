//! The whole program: a run gives the same bits and executes the same tests on any number of ranks
//! and threads, in process and under MPI.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::run::{BINARY, Frames, Start, default_build, finish, scene, simulate};

/// One rank and one thread: the reference for all others.
const REFERENCE: Start = Start::Threads(1, 1);

fn starts() -> Vec<Start> {
    let mut starts = vec![
        Start::Threads(1, 2),
        Start::Threads(2, 1),
        Start::Threads(2, 2),
        Start::Threads(3, 1),
        Start::Threads(4, 1),
        Start::Threads(7, 1),
        Start::Threads(7, 2),
    ];
    if cfg!(feature = "mpi") {
        starts.extend([1, 2, 3, 4].map(Start::Mpi));
    }
    starts
}

/// A few of these starts, for long runs and for further settings.
fn some_starts() -> Vec<Start> {
    let mpi = if cfg!(feature = "mpi") { &[2, 3][..] } else { &[] };
    let threads = [(2, 1), (3, 2), (7, 1)].map(|(ranks, threads)| Start::Threads(ranks, threads));
    threads.into_iter().chain(mpi.iter().map(|&ranks| Start::Mpi(ranks))).collect()
}

/// `tests/scenes/NAME`.
fn test_scene(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes").join(name)
}

fn run(start: Start, scene: &Path, more: &[&str]) -> Frames {
    let folder = tempfile::tempdir().expect("a temporary folder");
    simulate(start, scene, &folder.path().join("run"), more)
}

fn assert_identical(scene: &Path, more: &[&str]) {
    assert_identical_with(starts(), scene, more);
}

fn assert_identical_with(starts: Vec<Start>, scene: &Path, more: &[&str]) {
    let reference = run(REFERENCE, scene, more);
    assert!(reference.state_hashes.windows(2).all(|pair| pair[0] != pair[1]), "nothing moves");
    for start in starts {
        assert_eq!(run(start, scene, more), reference, "{scene:?} with {start:?}");
    }
}

#[test]
fn a_sheet_on_two_pins() {
    assert_identical(&scene("sheet.ron"), &["--frames", "3"]);
}

#[test]
fn pins_wind_and_a_moving_obstacle_on_small_patches() {
    assert_identical(&scene("wind.ron"), &[]);
}

/// Forces, pressure, masses, quadratic drag, starts in motion and gravity over time.
#[test]
fn loads_on_small_patches() {
    assert_identical_with(some_starts(), &test_scene("loads.ron"), &[]);
}

/// Maps of every setting, soft pins, a strain limit, a material's distance and friction over time.
#[test]
fn settings_that_differ_from_place_to_place() {
    assert_identical_with(some_starts(), &test_scene("maps.ron"), &[]);
}

/// Rigid bodies that cloth and each other meet, an obstacle among them that moves.
#[test]
fn bodies_among_cloth() {
    assert_identical_with(some_starts(), &test_scene("among_cloth.ron"), &[]);
}

/// Limbs of bodies lie on layers of cloth, and each step is repaired.
#[test]
fn a_skirt_between_limbs() {
    let more = ["--set", "steps_per_frame=4", "--frames", "12"];
    assert_identical_with(vec![Start::Threads(3, 1)], &scene("puppet.ron"), &more);
}

/// The fail-safe stops bodies.
#[test]
fn bodies_that_fly_at_each_other() {
    assert_identical_with(some_starts(), &test_scene("shower.ron"), &[]);
}

/// Cloth on cloth: contacts across ranks and cloths enter the linear system.
#[test]
fn layers_of_cloth_on_a_ball() {
    assert_identical(&test_scene("layers.ron"), &[]);
}

/// Chance decides which processor finds a pair, but it does not change the result.
#[test]
fn frames_do_not_depend_on_stealing() {
    let scene = test_scene("layers.ron");
    let reference = run(REFERENCE, &scene, &[]);
    let many = cfg!(feature = "mpi").then_some(Start::Mpi(7));
    for start in some_starts().into_iter().chain([Start::Threads(2, 2)]).chain(many) {
        for stealing in ["collision.stealing=true", "collision.stealing=false"] {
            let more = ["--set", stealing];
            assert_eq!(run(start, &scene, &more), reference, "{more:?} with {start:?}");
        }
    }
}

/// The method of partition decides which rank owns a patch, and nothing else.
#[test]
fn frames_do_not_depend_on_the_method_of_partition() {
    let scene = test_scene("layers.ron");
    let reference = run(REFERENCE, &scene, &[]);
    for method in ["MetisRecursive", "Hilbert", "Power"] {
        let setting = format!("partition.method={method}");
        for start in [Start::Threads(2, 2), Start::Threads(3, 1), Start::Threads(7, 1)] {
            let frames = run(start, &scene, &["--set", &setting]);
            assert_eq!(frames, reference, "{method} with {start:?}");
        }
    }
}

/// Past first contact: the cloth starts 1 cm above the sphere.
#[test]
fn the_tablecloth() {
    assert_identical_with(some_starts(), &scene("tablecloth.ron"), &["--frames", "2"]);
}

/// Long after the first contact. A contact's memory of the last step must be the same on every
/// rank, including ranks whose vertices it did not push before.
#[test]
fn contacts_that_open_slide_and_close() {
    assert_identical(&test_scene("landing.ron"), &[]);
}

/// What BDF2 knows of the last step is the same on every rank, also where parts of a step are
/// Euler's.
#[test]
fn a_step_that_knows_the_last_one() {
    let mut starts = [(1, 2), (2, 1), (3, 2)].map(|(k, n)| Start::Threads(k, n)).to_vec();
    starts.extend(cfg!(feature = "mpi").then_some(Start::Mpi(3)));
    assert_identical_with(starts, &test_scene("bdf2.ron"), &[]);
}

/// The sizes of steps are the same on every rank, with both schemes.
#[test]
fn steps_that_a_run_chooses() {
    for integrator in ["Euler", "Bdf2"] {
        let more = ["--set", "steps_per_frame=Adaptive(at_most: 32, error_m: 5e-5)"];
        let integrator = format!("solver.integrator={integrator}");
        let more = [&more[..], &["--set", &integrator]].concat();
        assert_identical_with(some_starts(), &test_scene("bdf2.ron"), &more);
    }
}

/// Which bodies have to wait is the same on every rank.
#[test]
fn a_press_that_has_to_wait() {
    assert_identical_with(some_starts(), &test_scene("press.ron"), &[]);
}

#[test]
fn rigid_motions_and_large_steps() {
    let more = ["--frames", "2", "--set", "solver.preconditioner=Multilevel"];
    let more = [&more[..], &["--set", "steps_per_frame=10"]].concat();
    assert_identical_with(some_starts(), &scene("wind.ron"), &more);
}

/// Any change of the arithmetic changes these bits. Mention it in the CHANGELOG.
#[test]
fn golden_hashes_of_a_short_run() {
    let golden = include_str!("../golden/wind.txt");
    for binary in [Some(BINARY.clone()), default_build()].into_iter().flatten() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut command = Command::new(&binary);
        command.arg(scene("wind.ron")).arg("--out").arg(folder.path().join("run"));
        let output = finish(&mut command);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let hashes = Frames::read(&folder.path().join("run")).state_hashes;
        assert_eq!(hashes.join("\n"), golden.trim(), "{}", binary.display());
    }
}

/// Checks the comparison itself: it finds one wrong lowest bit of one vertex on one rank.
#[cfg(feature = "fault-injection")]
#[test]
fn one_bit_of_one_vertex_on_one_rank_is_seen() {
    use crate::common::run::cloth_sim;

    let folder = tempfile::tempdir().expect("a temporary folder");
    let (good, bad) = (folder.path().join("good"), folder.path().join("bad"));
    let reference = simulate(Start::Threads(2, 1), &scene("sheet.ron"), &good, &["--frames", "1"]);
    let vertex = vertex_of_rank(&good, 1);
    let mut command = cloth_sim(Start::Threads(2, 1));
    command.arg(scene("sheet.ron")).arg("--out").arg(&bad).args(["--frames", "1"]);
    let output = finish(command.env("CLOTH_SIM_FAULT", format!("flip:1:2:{vertex}")));
    assert!(output.status.success());
    assert_ne!(Frames::read(&bad).state_hashes, reference.state_hashes);
}

/// A vertex that `rank` owns, from the run's partition table.
#[cfg(feature = "fault-injection")]
fn vertex_of_rank(folder: &std::path::Path, rank: u32) -> u32 {
    let table = std::fs::read_to_string(folder.join("partition.csv")).expect("a table");
    let mut rows = table.lines().skip(1).map(|row| row.split(',').collect::<Vec<_>>());
    let row = rows.find(|row| row[2] == rank.to_string()).expect("the rank owns a vertex");
    row[0].parse().expect("a number")
}
