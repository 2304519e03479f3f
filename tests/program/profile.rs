//! `program/profile`: `cloth-sim profile`, and the tables that each run of cloth writes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::run::{finish, frames_of, steps_of};
use serde_json::Value;
use tempfile::TempDir;

const PROCESSORS: [(u64, u64); 4] = [(0, 0), (0, 1), (1, 0), (1, 1)];
const SECONDS: [&str; 4] = ["length_s", "busy_s", "scheduling_s", "waiting_s"];
const COUNTS: [&str; 8] = [
    "tests",
    "candidates",
    "top_level_tasks",
    "tasks_created",
    "tasks_executed",
    "tasks_stolen",
    "requests",
    "rejections",
];

/// A folder with a run of `frames` frames on 2 ranks of 2 threads, and its details.
/// The cloth touches the floor from the sixth frame on.
fn run(frames: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = run_into(folder.path(), &["--frames", frames]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (folder, String::from_utf8_lossy(&output.stdout).into_owned())
}

fn run_into(folder: &Path, arguments: &[&str]) -> Output {
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes/landing.ron");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cloth-sim"));
    command.arg(scene).args(["--ranks", "2", "--threads", "2", "-v"]).args(arguments);
    finish(command.arg("--out").arg(folder))
}

/// Runs `cloth-sim profile`: whether it succeeds, and its output.
fn profile(arguments: &[&Path]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cloth-sim"));
    let output = finish(command.arg("profile").args(arguments));
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

fn write_frames(folder: &Path, frames: &[Value]) {
    let lines = String::from_iter(frames.iter().map(|frame| format!("{frame}\n")));
    std::fs::write(folder.join("steps.jsonl"), lines).expect("steps.jsonl is written");
}

/// The text of `run.json`.
fn head(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("run.json")).expect("run.json is there")
}

fn write_head(folder: &Path, text: &str) {
    std::fs::write(folder.join("run.json"), text).expect("run.json is written");
}

/// The rows of `profile.csv`, each by the names of its columns.
fn rows(folder: &Path) -> Vec<BTreeMap<String, String>> {
    rows_of(folder, "profile.csv")
}

fn rows_of(folder: &Path, table: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(folder.join(table)).expect("a table");
    reader.deserialize().map(|row| row.expect("a whole row")).collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().expect("a number")
}

/// The number in `field` of each step of a processor in steps.jsonl.
fn of_steps(frames: &[Value], (rank, thread): (u64, u64), field: &str) -> Vec<f64> {
    let steps = steps_of(frames).into_iter();
    let of_rank = steps.filter(|step| step["rank"] == rank);
    of_rank
        .map(|step| step["processors"][thread as usize][field].as_f64().expect("a number"))
        .collect()
}

#[test]
fn the_table_sums_up_the_steps_and_the_summary_agrees() {
    let (folder, summary) = run("10");
    let (frames, rows) = (frames_of(folder.path()), rows(folder.path()));
    assert_eq!(rows.len(), 10 * PROCESSORS.len());
    let numbers = steps_of(&frames).into_iter().map(|step| &step["step"]);
    assert_eq!(numbers.filter_map(Value::as_u64).max(), Some(40), "four steps a frame");
    for (rank, thread) in PROCESSORS {
        let is_its = |row: &&BTreeMap<_, _>| {
            number(row, "rank") == rank as f64 && number(row, "thread") == thread as f64
        };
        let its_rows: Vec<_> = rows.iter().filter(is_its).collect();
        let sum = |column: &str| its_rows.iter().map(|row| number(row, column)).sum::<f64>();
        for column in SECONDS {
            let expected: f64 = of_steps(&frames, (rank, thread), column).iter().sum();
            assert!((sum(column) - expected).abs() <= 1e-12 + 1e-9 * expected, "{column}");
        }
        for column in COUNTS {
            let expected: f64 = of_steps(&frames, (rank, thread), column).iter().sum();
            assert_eq!(sum(column), expected, "{column} of {rank}.{thread}");
        }
        for row in &its_rows {
            let parts = ["busy_s", "scheduling_s", "waiting_s"].map(|c| number(row, c));
            let known: f64 = parts.iter().sum();
            // Processor time and wall time come from two clocks, read one after the other.
            assert!(known <= 1.01 * number(row, "test_part_s") + 1e-4, "{row:?}");
            let rest = number(row, "test_part_s") - known;
            assert!((number(row, "idle_s") - rest.max(0.0)).abs() < 1e-12, "{row:?}");
            assert!(number(row, "test_part_s") >= number(row, "length_s"), "{row:?}");
        }
        let line = |line: &&str| line.trim().starts_with(&format!("{rank}.{thread} "));
        let line = summary.lines().find(line).expect("a line for each processor");
        assert!(line.contains(&format!(" {} ", sum("tests"))), "{line}");
    }
    assert!(rows.iter().map(|row| number(row, "tests")).sum::<f64>() > 0.0, "nothing to do");
    let phases = rows_of(folder.path(), "phases.csv");
    assert_eq!(phases.len(), 10);
    for phase in ["refit_s", "solve_s", "combination_s"] {
        let steps = steps_of(&frames).into_iter();
        let expected: f64 = steps.map(|step| step[phase].as_f64().expect("a number")).sum();
        let sum: f64 = phases.iter().map(|row| number(row, phase)).sum();
        assert!(sum > 0.0 && (2.0 * sum - expected).abs() < 1e-9 * expected, "{phase}, 2 ranks");
    }
}

#[test]
fn utilization_is_the_average_over_the_phases_with_work() {
    let (folder, _) = run("10");
    let (frames, rows) = (frames_of(folder.path()), rows(folder.path()));
    let tests = PROCESSORS.map(|processor| of_steps(&frames, processor, "tests"));
    // Each search, and so each test part, is at least as long as on its slowest rank.
    let lengths = PROCESSORS.map(|processor| of_steps(&frames, processor, "length_s"));
    let on_one = |step: usize| lengths.iter().map(|its| its[step]).fold(0.0, f64::max);
    let steps = steps_of(&frames).into_iter();
    let of_first = steps.filter(|step| step["rank"] == 0);
    let length =
        Vec::from_iter(of_first.map(|step| step["test_part_s"].as_f64().expect("a number")));
    for (step, &length) in length.iter().enumerate() {
        assert!(length >= on_one(step), "step {step}");
    }
    let mut frames_with_work = 0;
    for row in &rows {
        let processor = (number(row, "rank") as u64, number(row, "thread") as u64);
        let busy = of_steps(&frames, processor, "busy_s");
        let frame = number(row, "frame") as usize;
        let with_work = |step: &usize| tests.iter().any(|tests| tests[*step] > 0.0);
        let steps: Vec<usize> = (4 * (frame - 1)..4 * frame).filter(with_work).collect();
        if steps.is_empty() {
            continue;
        }
        frames_with_work += 1;
        let expected = steps.iter().map(|&s| busy[s] / length[s]).sum::<f64>() / steps.len() as f64;
        assert!((number(row, "utilization") - expected).abs() < 1e-9, "{row:?}");
    }
    assert!(frames_with_work > 0, "no frame has tests");
}

#[test]
fn one_run_and_two_are_summed_up_in_lines() {
    let (folder, _) = run("6");
    let (good, said) = profile(&[folder.path()]);
    assert!(good, "{said}");
    for name in ["profile.csv", "phases.csv"] {
        let path = folder.path().join(name);
        assert!(said.lines().any(|line| Path::new(line) == path), "{name} in {said}");
    }
    let words = ["  solve  ", " ms a step  100.0 %", "utilization of 4 processors: "];
    assert!(words.iter().all(|word| said.contains(word)), "{said}");
    let (good, said) = profile(&[folder.path(), folder.path()]);
    assert!(good && said.matches("utilization of 4 processors: ").count() == 2, "{said}");
}

#[test]
fn a_failed_run_has_the_profile_of_its_frames() {
    let (folder, _) = run("10");
    let (whole, frames) = (rows(folder.path()), frames_of(folder.path()));
    write_head(folder.path(), &head(folder.path()).replace("\"complete\"", "\"failed\""));
    write_frames(folder.path(), &frames[..7]);
    let (good, said) = profile(&[folder.path()]);
    assert!(good, "{said}");
    assert_eq!(rows(folder.path()), whole[..6 * PROCESSORS.len()]);
    assert!(said.contains("not complete"), "{said}");
}

/// A sheet that hangs from its pins is near nothing.
#[test]
fn frames_without_tests_have_no_utilization() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cloth-sim"));
    command.arg(crate::common::run::scene("sheet.ron")).args(["--ranks", "2", "--frames", "2"]);
    let output = finish(command.args(["--threads", "1", "--out"]).arg(folder.path()));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let rows = rows(folder.path());
    assert_eq!(rows.len(), 4, "frames and ranks");
    assert!(
        rows.iter().all(|row| row["utilization"].is_empty() && row["tests"] == "0"),
        "{rows:?}"
    );
    let (good, said) = profile(&[folder.path()]);
    assert!(good, "{said}");
}

#[test]
fn a_recorded_step_is_one_of_the_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let arguments = ["--frames", "10", "--record-tasks", "tasks", "--record-every", "41"];
    let output = run_into(folder.path(), &arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("help: "), "{said}");
    for word in ["--record-every", "no step 41", "40 steps"] {
        assert!(said.contains(word), "{word} in {said}");
    }
    assert!(!folder.path().join("run.json").exists(), "no run was started");
}

#[test]
fn bad_input_is_named() {
    let (folder, _) = run("3");
    let (shorter, _) = run("2");
    let folder = folder.path();
    let assert_refused = |arguments: &[&Path], words: &[&str]| {
        let (good, said) = profile(arguments);
        assert!(!good && said.contains("help: ") && !said.contains("panicked"), "{said}");
        for word in words {
            assert!(said.contains(word), "{word} in {said}");
        }
    };
    let missing: PathBuf = folder.join("nowhere");
    assert_refused(&[&missing], &["nowhere", "no such folder"]);
    assert_refused(&[folder, &missing], &["nowhere", "no such folder"]);
    let empty = tempfile::tempdir().expect("a temporary folder");
    assert_refused(&[empty.path()], &["no run.json"]);
    assert_refused(&[folder, shorter.path()], &["2 frames", "has 3", "--frames"]);
    let file = folder.join("scene.ron");
    assert_refused(&[folder, Path::new("--out"), &file], &["scene.ron", "--out"]);

    let (head, frames) = (head(folder), frames_of(folder));
    let mut damaged = frames.clone();
    damaged[1]["steps"][0].as_object_mut().expect("a step").remove("processors");
    write_frames(folder, &damaged);
    assert_refused(&[folder], &["steps.jsonl", "line 2", "`processors`", "repeat the run"]);
    write_frames(folder, &frames[..1]);
    assert_refused(&[folder], &["steps.jsonl", "no step"]);
    std::fs::remove_file(folder.join("steps.jsonl")).expect("a file is removed");
    assert_refused(&[folder], &["steps.jsonl", "repeat the run"]);
    write_head(folder, &head.replace("\"format\":6", "\"format\":4"));
    assert_refused(&[folder], &["run.json", "format 4", "this version knows 6", "repeat the run"]);
    write_head(folder, &head[..200]);
    assert_refused(&[folder], &["run.json", "not the record of a run"]);
}
