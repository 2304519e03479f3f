//! `run.json`: what a run was and what each of its steps cost; written and read back.

use std::path::Path;

use cloth_sim::error::{Error, Result};
use cloth_sim::stealing::{ProcessorUse, Theft};
use cloth_sim::step::StepReport;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::program::output::write_json;

/// The file's name in a run folder.
pub const FILE: &str = "run.json";

/// The version of its format.
pub const FORMAT: u32 = 3;

/// Ends the list of frames, and the record.
pub(super) const END: &[u8] = b"]}";

/// Whether a run is still going on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Frames are still being computed.
    Running,
    /// All frames are there.
    Complete,
    /// The run ended early; the whole frames stay.
    Failed,
}

/// Where one rank runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankPlace {
    /// Its number.
    pub rank: usize,
    /// Its computer.
    pub host: String,
    /// The processor cores it may use.
    pub cores: String,
    /// Cloth vertices that it owns.
    pub vertices: usize,
    /// Ghost points that it keeps.
    pub ghosts: usize,
}

/// One frame: the hash of the f64 state behind it, and the steps that lead to it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FrameRecord {
    /// Frame number, 0 being the start.
    pub frame: u64,
    /// Hash of positions, velocities, contacts and time (see [`cloth_sim::step::state::State`]).
    pub state_hash: String,
    /// Every step of every rank since the frame before it.
    #[serde(default)]
    pub steps: Vec<StepRecord>,
    /// Who took tasks from whom in them.
    #[serde(default)]
    pub thefts: Vec<TheftRecord>,
}

/// One rank's measurements of one step.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StepRecord {
    /// Step number, from 1.
    pub step: u64,
    /// The rank that measured.
    pub rank: usize,
    /// The test part of the step: its searches, each from its beginning to its end on the
    /// slowest rank, s. The same for all ranks.
    #[serde(default)]
    pub test_part_s: f64,
    /// Its phases and counters.
    #[serde(flatten)]
    pub report: StepReport,
    /// How each of its threads spent the test parts.
    #[serde(default)]
    pub processors: Vec<ProcessorUse>,
}

/// Tasks that a rank's processors took from others from one frame to the next.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct TheftRecord {
    /// The rank of the thief.
    pub rank: usize,
    /// Who took how many tasks from whom.
    #[serde(flatten)]
    pub theft: Theft,
}

/// The whole file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunRecord {
    /// See [`FORMAT`].
    pub format: u32,
    /// Version of the program.
    pub version: String,
    /// Whether the run is complete.
    pub status: Status,
    /// Why it failed, if the disk had room for that.
    pub error: Option<String>,
    /// The scene's name.
    pub scene: String,
    /// The scene's seed.
    pub seed: u64,
    /// Number of ranks.
    pub ranks: usize,
    /// Threads of each rank.
    pub threads: usize,
    /// `mpi` or `threads`.
    pub transport: String,
    /// Steps of a frame.
    #[serde(default)]
    pub steps_per_frame: u64,
    /// Patches of the cloths.
    pub patches: usize,
    /// `max_r |W_r / L - 1|` of the partition.
    pub load_index: f64,
    /// `max_r (ghosts of r / owned by r)` of the partition.
    pub surface_index: f64,
    /// How bending stands in the linear system.
    pub bending: String,
    /// Host and binding of each rank.
    pub places: Vec<RankPlace>,
    /// The frames written so far. The last field: see [`super::run_file`].
    pub frames: Vec<FrameRecord>,
}

/// What to do about a folder that holds no run.
const NO_RUN: &str =
    "give the folder that a run has written: out/<scene name>, or what --out named";

impl RunRecord {
    /// Reads the file of a run, finished or not.
    ///
    /// # Errors
    /// When the folder or the file is not there, or the file is no record of a run or has
    /// another format.
    pub fn read(folder: &Path) -> Result<Self> {
        if !folder.is_dir() {
            return Err(Error::file(folder, "there is no such folder", NO_RUN));
        }
        let path = folder.join(FILE);
        if !path.exists() {
            return Err(Error::file(folder, "the folder is no run: it has no run.json", NO_RUN));
        }
        let text = std::fs::read(&path).map_err(|cause| Error::file(&path, cause, NO_RUN))?;
        let record: Self = parse(&text).map_err(|cause| {
            Error::file(&path, format!("not the record of a run: {cause}"), "repeat the run")
        })?;
        if record.format != FORMAT {
            let cause = format!("format {}, where this version knows {FORMAT}", record.format);
            return Err(Error::file(&path, cause, "repeat the run"));
        }
        Ok(record)
    }

    /// Writes the file whole (to a temporary name, then renamed).
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        write_json(&folder.join(FILE), self)
    }

    /// Every step of every rank, frame by frame.
    pub fn steps(&self) -> impl Iterator<Item = &StepRecord> {
        self.frames.iter().flat_map(|frame| &frame.steps)
    }
}

/// Reads the text of a record; without the last frame if the run was killed, or not ready,
/// while it added that.
///
/// # Errors
/// Text that is no such record.
pub fn parse<T: DeserializeOwned>(text: &[u8]) -> serde_json::Result<T> {
    let cut = || serde_json::from_slice(&without_last_line(text)?).ok();
    serde_json::from_slice(text).or_else(|cause| cut().ok_or(cause))
}

/// What is left of a record if its last line was cut.
fn without_last_line(text: &[u8]) -> Option<Vec<u8>> {
    let whole = &text[..text.iter().rposition(|&byte| byte == b'\n')?];
    Some([whole.strip_suffix(b",").unwrap_or(whole), END].concat())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn record() -> RunRecord {
        RunRecord {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            status: Status::Running,
            error: None,
            scene: "small".to_owned(),
            seed: 0,
            ranks: 1,
            threads: 1,
            transport: "threads".to_owned(),
            steps_per_frame: 1,
            patches: 1,
            load_index: 0.0,
            surface_index: 0.0,
            bending: String::new(),
            places: Vec::new(),
            frames: Vec::new(),
        }
    }

    #[test]
    fn a_record_of_another_format_is_named_as_such() {
        let folder = tempfile::tempdir().unwrap();
        let mut older = serde_json::to_value(record()).unwrap();
        older["format"] = 1.into();
        older["frames"] = serde_json::json!([{ "frame": 0, "state_hash": "0" }]);
        older.as_object_mut().unwrap().remove("steps_per_frame");
        std::fs::write(folder.path().join(FILE), older.to_string()).unwrap();
        let error = RunRecord::read(folder.path()).unwrap_err().to_string();
        assert!(error.contains("format 1, where this version knows 3"), "{error}");
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        // A folder of that name stands in the way.
        std::fs::create_dir_all(folder.path().join(FILE).join("in")).unwrap();
        record().write(folder.path()).unwrap_err();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
