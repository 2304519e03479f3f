//! `--record-tasks` and `cloth-lab replay`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::run::{Frames, Start, cloth_sim, finish, simulate};

const STEPS: usize = 24;

/// Runs a small scene in which a cloth lands on the floor, and records every second step. Returns
/// the frames and the recording.
fn record(start: Start, folder: &Path) -> (Frames, PathBuf) {
    let scene = crate::common::run::root().join("tests/scenes/landing.ron");
    let file = folder.join("tasks");
    let frames = (STEPS / 4).to_string();
    let named = file.to_str().expect("a name");
    let arguments = ["--frames", &frames, "--record-tasks", named, "--record-every", "2"];
    (simulate(start, &scene, &folder.join("run"), &arguments), file)
}

/// Start of each piece of a recording.
fn pieces(bytes: &[u8]) -> Vec<usize> {
    let mut at = "cloth-sim test trees\n3\n".len();
    let mut begins = Vec::new();
    while at < bytes.len() {
        begins.push(at);
        let length = bytes[at..at + 8].try_into().expect("a length");
        at += 16 + u64::from_le_bytes(length) as usize;
    }
    begins
}

/// Runs `cloth-lab replay`: whether it succeeds, its standard output and its standard error.
fn replay(arguments: &[&str]) -> (bool, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cloth-lab"));
    let output = finish(command.arg("replay").args(arguments));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_run_is_recorded_and_replayed_on_any_number_of_processors() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [one, two, plain] = ["one", "two", "plain"].map(|name| folder.path().join(name));
    for folder in [&one, &two, &plain] {
        std::fs::create_dir(folder).expect("a folder");
    }
    let (frames, one) = record(Start::Threads(1, 1), &one);
    let (frames_of_two, two) = record(Start::Threads(2, 1), &two);
    let scene = crate::common::run::root().join("tests/scenes/landing.ron");
    let number = (STEPS / 4).to_string();
    let plain = simulate(Start::Threads(1, 1), &scene, &plain, &["--frames", &number]);
    assert_eq!(frames, plain, "recording changes nothing");
    assert_eq!(frames, frames_of_two);

    let (one, two) = (one.to_str().expect("a name"), two.to_str().expect("a name"));
    let csv = folder.path().join("replay.csv");
    let csv_name = csv.to_str().expect("a name");
    let machines = ["--processors", "40,3,1,3", "--latency", "3us", "--bandwidth", "2GB/s"];
    let more = ["--csv", csv_name, "--set", "collision.b=4"];
    let (good, said, error) = replay(&[&[one, two][..], &machines, &more].concat());
    assert!(good, "{error}");
    assert!(said.contains("Modelled, not measured") && said.contains("Prediction against"));
    let whole = Vec::from_iter(said.lines().filter(|line| line.contains("  whole phase")));
    assert!(matches!(whole[..], [line] if line.ends_with(two)), "one rank has no such row: {said}");

    // The modelled machine must not change the account of the measured one.
    let on = |latency| {
        let (good, said, error) = replay(&[one, two, "--processors", "8", "--latency", latency]);
        assert!(good, "{error}");
        let (measured, curve) = said.split_once("Modelled, not").expect("both parts");
        [measured.to_owned(), Vec::from_iter(curve.lines().skip(1)).join("\n")]
    };
    let ([measured, curve], [again, slower]) = (on("2us"), on("200us"));
    assert_eq!(measured, again);
    assert_ne!(curve, slower);

    // All machines execute the same tests, and none is faster than its bound.
    let mut reader = csv::Reader::from_path(csv).expect("a table");
    let rows = reader.deserialize().map(|row| row.expect("a whole row"));
    let rows: Vec<BTreeMap<String, String>> = rows.collect();
    assert_eq!(rows.len(), 3 * STEPS / 2);
    let number = |row: &BTreeMap<String, String>, column: &str| -> f64 {
        row[column].parse().expect("a number")
    };
    for (at, row) in rows.iter().enumerate() {
        let alone = &rows[at % (STEPS / 2)];
        assert_eq!((row["source"].as_str(), row["b"].as_str()), ("modelled", "4"));
        assert_eq!(row["processors"], ["1", "3", "40"][at / (STEPS / 2)]);
        assert_eq!(number(row, "latency_s"), 3e-6);
        assert_eq!(number(row, "bandwidth_bytes_per_s"), 2e9);
        assert_eq!(row["step"], alone["step"]);
        assert_eq!(row["tests"], alone["tests"]);
        assert!(number(row, "test_part_s") >= number(row, "best_tests_s") - 1e-12);
    }
    let sum = |rows: &[BTreeMap<String, String>]| -> f64 {
        rows.iter().map(|row| number(row, "tests")).sum()
    };
    assert!(sum(&rows) > 5e3, "{} tests are too few for this test", sum(&rows));
}

#[test]
fn a_file_that_cannot_be_replayed_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (_, two) = record(Start::Threads(2, 1), folder.path());
    let name = two.to_str().expect("a name");
    let refusal = |arguments: &[&str]| {
        let (good, _, error) = replay(arguments);
        assert!(!good);
        error
    };
    assert!(refusal(&[name]).contains("--ranks 1 --threads 1"), "costs are those of one");
    assert!(refusal(&["no such file"]).contains("No such file"));
    assert!(refusal(&[name, "--latency", "2"]).contains("us"));
    assert!(refusal(&[name, "--latency", "1e9s"]).contains("to 1s"));
    assert!(refusal(&[name, "--bandwidth", "1e-9GB/s"]).contains("at least 1MB/s"));
    assert!(refusal(&[name, "--latency", "-1us"]).contains("from 0 to 1s"));
    let bytes = std::fs::read(&two).expect("the recording");
    std::fs::write(&two, &bytes[..100]).expect("its beginning");
    assert!(refusal(&[name]).contains("damaged or was cut off"));
    std::fs::write(&two, "frame").expect("something else");
    assert!(refusal(&[name]).contains("no recording of test trees"));
}

#[test]
fn a_cloth_that_touches_nothing_has_no_utilization() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (_, landing) = record(Start::Threads(1, 1), folder.path());
    let [run, still] = ["still", "still_tasks"].map(|name| folder.path().join(name));
    let scene = crate::common::run::root().join("scenes/sheet.ron");
    let [still, landing] = [&still, &landing].map(|file| file.to_str().expect("a name"));
    simulate(Start::Threads(1, 1), &scene, &run, &["--frames", "1", "--record-tasks", still]);
    let (good, said, error) = replay(&[still, landing, "--processors", "2"]);
    assert!(good, "{error}");
    let row = said.lines().find(|line| line.starts_with("         2 ")).expect("a row");
    let columns = Vec::from_iter(row.split('|').nth(3).expect("ratios").split_whitespace());
    assert_eq!(columns[..4], ["-"; 4], "{row}");
    assert_eq!(columns[5], "-", "{row}");
}

#[test]
fn arguments_are_checked_before_anything_is_modelled() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (_, file) = record(Start::Threads(1, 1), folder.path());
    let name = file.to_str().expect("a name");
    let bytes = std::fs::read(&file).expect("the recording");
    let no_file = folder.path().join("no/table").display().to_string();
    for (arguments, cause) in [
        (["--set", "collision.b=0"], "collision.b: 0 is not positive"),
        (["--set", "collision.polling_interval_us=1e26"], "more than a second"),
        (["--set", "collision.victim_order=Random(-1)"], "invalid value: integer `-1`"),
        (["--set", "frames=3"], "only change fields of `collision`"),
        (["--csv", name], "one of the recordings"),
        (["--csv", &no_file], "--csv"),
    ] {
        let (good, said, error) = replay(&[&[name][..], &arguments].concat());
        assert!(!good && error.contains(cause), "{arguments:?}: {error}");
        assert_eq!(said, "", "nothing was fitted yet");
    }
    assert_eq!(std::fs::read(&file).expect("the recording"), bytes);
}

#[test]
fn the_whole_steps_of_a_truncated_recording_are_replayed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (_, file) = record(Start::Threads(1, 1), folder.path());
    let name = file.to_str().expect("a name");
    let bytes = std::fs::read(&file).expect("the recording");
    let said = || {
        let (good, said, error) = replay(&[name, "--processors", "2"]);
        assert!(good, "{error}");
        said
    };
    assert!(!said().contains("holds"));
    let pieces = pieces(&bytes);
    assert_eq!(pieces.len(), 1 + STEPS / 2, "a header and steps");
    // Cut within a piece, and after one, as by a run that was killed.
    for (length, held) in [(bytes.len() - 1, 11), (pieces[10], 9)] {
        std::fs::write(&file, &bytes[..length]).expect("a truncated recording is written");
        let said = said();
        assert!(said.contains(&format!("holds {held} of 12 steps")), "{said}");
        assert!(said.contains(&format!("{held} recorded steps")), "{said}");
    }
    // A repeated step is not counted as a later one.
    let again = [&bytes[..pieces[11]], &bytes[pieces[10]..pieces[11]], &bytes[pieces[11]..]];
    std::fs::write(&file, again.concat()).expect("a step twice");
    assert!(said().contains("holds 10 of 12 steps"));
}

#[test]
fn a_recording_that_cannot_be_written_is_refused_before_the_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scene = crate::common::run::root().join("tests/scenes/landing.ron");
    let run = folder.path().join("run");
    let start = |file: PathBuf, more: &[&str]| {
        let mut command = cloth_sim(Start::Threads(1, 1));
        command.arg(&scene).args(["--frames", "1", "--out"]).arg(&run);
        finish(command.args(more).arg("--record-tasks").arg(file))
    };
    let output = start(folder.path().join("no/folder"), &[]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("--record-tasks"));
    assert!(!run.exists());
    assert!(start(run.join("tasks"), &[]).status.success(), "it may be in the run folder");
    let refusal = |file: PathBuf, more: &[&str]| {
        let output = start(file, more);
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(refusal(run.join("tasks"), &[]).contains("the file exists"));
    assert!(start(run.join("tasks"), &["--overwrite"]).status.success());
    // Files that are no recording are kept.
    let mine = folder.path().join("mine");
    std::fs::write(&mine, "the only copy").expect("a file");
    assert!(refusal(mine.clone(), &["--overwrite"]).contains("no recording"));
    assert_eq!(std::fs::read(&mine).expect("the file"), b"the only copy");
    for name in
        ["frame_0001.obj", "phases.csv", "frame_0002.obj", "../run/more.csv", "sub/tasks", "meshes"]
    {
        assert!(refusal(run.join(name), &["--overwrite"]).contains("--record-tasks"), "{name}");
    }
}

/// Processes record the same steps as threads.
#[test]
fn ranks_under_mpi_record_the_same_steps() {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a temporary folder"));
    let (_, one) = record(Start::Threads(1, 1), folders[0].path());
    let (_, two) = record(Start::Mpi(2), folders[1].path());
    let [one, two] = [&one, &two].map(|file| file.to_str().expect("a name"));
    let (good, said, error) = replay(&[one, two, "--processors", "2"]);
    assert!(good, "{error}");
    let of_two = |line: &&str| line.trim().starts_with("processor time       2 ");
    let row = said.lines().find(of_two).expect("a row of two ranks");
    let steps = (STEPS / 4).to_string();
    assert_eq!(row.split_whitespace().nth(3), Some(steps.as_str()), "{row}");
}
