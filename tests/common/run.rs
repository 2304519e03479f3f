//! Runs of the real binary and the files that they write.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::time::Duration;

use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::finish_within;
use super::mpirun;

/// Time limit of a run.
const LIMIT: Duration = Duration::from_secs(240);

/// How to start the binary.
#[derive(Debug, Clone, Copy)]
pub enum Start {
    /// In-process ranks and threads of each.
    Threads(usize, usize),
    /// Processes under `mpirun`, one thread each.
    Mpi(usize),
}

/// `scenes/NAME` of this repository.
pub fn scene(name: &str) -> PathBuf {
    root().join("scenes").join(name)
}

/// Runs `tests/scenes/SCENE`. Returns a temporary folder and the run folder in it.
pub fn run_of_tests(scene: &str, more: &[&str]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scene = root().join("tests/scenes").join(scene);
    let out = folder.path().join("run");
    let output =
        finish(cloth_sim(Start::Threads(2, 1)).arg(scene).arg("--out").arg(&out).args(more));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (folder, out)
}

/// The folder of this repository.
pub fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().find(|folder| folder.join("Cargo.lock").exists());
    root.expect("the tests stand in the repository").to_owned()
}

/// The binary with the features of the tests. Tests of other packages find it beside themselves:
/// `cargo build --release` makes it.
pub static BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
    option_env!("CARGO_BIN_EXE_cloth-sim").map(PathBuf::from).unwrap_or_else(|| {
        let own = std::env::current_exe().expect("this test has a path");
        own.ancestors().nth(2).expect("target/release/deps").join("cloth-sim")
    })
});

/// The binary with default features, without MPI and fault injection. If the tests are built with
/// other features, `scripts/test` builds it and names it in this variable. Without the variable
/// there is none.
pub fn default_build() -> Option<PathBuf> {
    let named = std::env::var_os("CLOTH_SIM_DEFAULT_BUILD").map(PathBuf::from);
    named.or_else(|| cfg!(not(feature = "mpi")).then(|| BINARY.clone()))
}

/// The binary's command for `start`, on any number of cores.
pub fn cloth_sim(start: Start) -> Command {
    let binary = &*BINARY;
    match start {
        Start::Threads(ranks, threads) => {
            let mut command = Command::new(binary);
            let (ranks, threads) = (ranks.to_string(), threads.to_string());
            command.args(["--oversubscribe", "--ranks", &ranks, "--threads", &threads]);
            command
        }
        Start::Mpi(ranks) => {
            let mut command = mpirun(ranks);
            command.arg(binary).args(["--oversubscribe", "--threads", "1"]);
            command
        }
    }
}

/// Runs `scene` into `folder`; the run must succeed.
pub fn simulate(start: Start, scene: &Path, folder: &Path, more: &[&str]) -> Frames {
    let output = finish(cloth_sim(start).arg(scene).arg("--out").arg(folder).args(more));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{start:?} {scene:?} failed: {said}");
    Frames::read(folder)
}

/// Runs `command` to its end.
pub fn finish(command: &mut Command) -> Output {
    finish_within(LIMIT, command)
}

/// The results of a run that must not depend on ranks and threads.
#[derive(Debug, PartialEq, Eq)]
pub struct Frames {
    /// Hash of the state, by rising frame.
    pub state_hashes: Vec<String>,
    /// Digest of each frame file, by file name.
    pub digests: BTreeMap<String, String>,
    /// For each step: number of tests and wrapping sum of their hashes, over all ranks.
    pub tests: BTreeMap<u64, (u64, u64)>,
}

impl Frames {
    /// Reads them from the run folder `folder`.
    pub fn read(folder: &Path) -> Self {
        let text = std::fs::read_to_string(folder.join("run.json")).expect("run.json is there");
        let head: Value = serde_json::from_str(&text).expect("run.json is JSON");
        assert_eq!(head["status"], "complete");
        let frames = frames_of(folder);
        let hash = |frame: &Value| frame["state_hash"].as_str().map(str::to_owned);
        let state_hashes: Vec<String> = frames.iter().filter_map(hash).collect();
        let digests = frame_files(folder).into_iter().map(|path| {
            let bytes = std::fs::read(&path).expect("a frame can be read");
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, format!("{:x}", Sha256::digest(bytes)))
        });
        let digests: BTreeMap<_, _> = digests.collect();
        assert_eq!(state_hashes.len(), digests.len(), "as many hashes as frames");
        Self { state_hashes, digests, tests: executed_tests(&frames) }
    }
}

/// The frames in the `steps.jsonl` of `folder`.
pub fn frames_of(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("steps.jsonl")).expect("steps.jsonl is there");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// Every step of every rank in `frames`.
pub fn steps_of(frames: &[Value]) -> Vec<&Value> {
    frames.iter().flat_map(|frame| frame["steps"].as_array().expect("steps")).collect()
}

/// Number and hash sum of the tests of each step. They show a test that was executed twice. A
/// frame does not, because the larger of two equal responses is the same.
fn executed_tests(frames: &[Value]) -> BTreeMap<u64, (u64, u64)> {
    let mut sums = BTreeMap::<u64, (u64, u64)>::new();
    for step in steps_of(frames) {
        let number = |field: &str| step[field].as_u64().expect("a number");
        let hash = step["test_hash"].as_str().map(|digits| u64::from_str_radix(digits, 16));
        let hash = hash.expect("a hash").expect("of hexadecimal digits");
        let (tests, sum) = sums.entry(number("step")).or_default();
        *tests += number("tests");
        *sum = sum.wrapping_add(hash);
    }
    sums
}

/// The frame files of `folder`.
pub fn frame_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let is_frame = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("frame_") && (name.ends_with(".obj") || name.ends_with(".vtp"))
    };
    let mut frames: Vec<PathBuf> = paths.filter(is_frame).collect();
    frames.sort();
    frames
}

/// The run fails without a panic, and its message holds every word of `words`.
pub fn assert_says(output: &Output, words: &[&str]) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "no failure, wanted {words:?}");
    assert!(!said.contains("panicked"), "{said}");
    assert!(said.contains("help: "), "no remedy: {said}");
    for word in words {
        assert!(said.contains(word), "wanted {word:?} in: {said}");
    }
}
