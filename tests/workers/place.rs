//! Runs of the real program by workers, and what they leave.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::run::{BINARY, Start, assert_says, cloth_sim, finish, frames_of, steps_of};

pub const REFERENCE: Start = Start::Threads(1, 1);

/// The results of a run that must not depend on its ranks.
#[derive(Debug, Default, PartialEq)]
pub struct Outcome {
    /// Frames, and the owners and workers beside them.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Of each frame.
    pub hashes: Vec<Value>,
    pub left: Vec<Value>,
    /// What each worker did in each step, without its time.
    pub workers: BTreeMap<(u64, u64), Value>,
}

/// A folder with a scene and its runs.
pub struct Place {
    pub home: TempDir,
    pub scene: PathBuf,
}

impl Place {
    pub fn new(text: &str) -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        let scene = home.path().join("bad.ron");
        fs::write(&scene, text).expect("a scene is written");
        Self { home, scene }
    }

    pub fn of_tests(name: &str) -> Self {
        let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes").join(name);
        Self { home: tempfile::tempdir().expect("a temporary folder"), scene }
    }

    pub fn folder(&self) -> PathBuf {
        self.home.path().join("out")
    }

    pub fn command(&self, start: Start, parallel: &str, more: &[&str]) -> Command {
        let mut command = cloth_sim(start);
        command.arg(&self.scene).arg("--out").arg(self.folder());
        command.args(["--quiet", "--overwrite", "--set", &format!("parallel={parallel}")]);
        command.args(more);
        command
    }

    pub fn run(&self, start: Start, parallel: &str, more: &[&str]) -> Outcome {
        let output = finish(&mut self.command(start, parallel, more));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{start:?} {parallel} {more:?}: {said}");
        self.outcome()
    }

    pub fn resume(&self, more: &[&str]) -> Output {
        let mut resume = Command::new(&*BINARY);
        resume.arg("resume").arg(self.folder()).args(["--quiet", "--oversubscribe"]);
        finish(resume.args(more))
    }

    pub fn outcome(&self) -> Outcome {
        let folder = self.folder();
        let frames = frames_of(&folder);
        let of_all = |field: &str| frames.iter().map(|frame| frame[field].clone()).collect();
        let (hashes, left) = (of_all("state_hash"), of_all("left"));
        let mut outcome = Outcome { hashes, left, ..Outcome::default() };
        for entry in fs::read_dir(&folder).expect("the run folder") {
            let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
            if ["frame_", "owners_", "workers_", "contacts_", "joints_"]
                .iter()
                .any(|it| name.starts_with(it))
            {
                let bytes = fs::read(folder.join(&name)).expect("a file can be read");
                outcome.files.insert(name, bytes);
            }
        }
        for step in steps_of(&frames) {
            for worker in step["workers"].as_array().unwrap_or(&Vec::new()) {
                let mut worker = worker.clone();
                worker["seconds"].take();
                let number = |value: &Value| value.as_u64().expect("a number");
                let key = (number(&step["step"]), number(&worker["worker"]));
                assert_eq!(outcome.workers.insert(key, worker), None, "one rank has it");
            }
        }
        outcome
    }

    /// The rows of the table of workers of a frame: id, home, workers with their weights.
    pub fn workers(&self, frame: u64) -> Vec<(u64, u64, BTreeMap<u64, f64>)> {
        let path = self.folder().join(format!("workers_{frame:04}.csv"));
        let mut table = csv::Reader::from_path(path).expect("the table of workers");
        assert_eq!(
            table.headers().expect("a head"),
            ["id", "home", "workers", "weights"].as_slice()
        );
        let row = |row: csv::Result<csv::StringRecord>| {
            let row = row.expect("a row");
            let number = |text: &str| text.parse().expect("a number");
            let weights = row[3].split(';').map(|it| it.parse().expect("a weight"));
            let workers = row[2].split(';').map(number).zip(weights).collect();
            (number(&row[0]), number(&row[1]), workers)
        };
        table.records().map(row).collect()
    }

    /// Asserts that a run by `parallel` is refused with all `words`.
    pub fn assert_refused(&self, start: Start, parallel: &str, words: &[&str]) {
        let output = finish(&mut self.command(start, parallel, &[]));
        assert_says(&output, words);
        assert!(!self.folder().exists(), "{parallel}: a folder is left");
    }
}
