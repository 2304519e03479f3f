//! `run.json`: the record of a run, and how it ended.
//!
//! It is written when the run begins, and again when it ends. `steps.jsonl` has the frames.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use cloth_core::error::{Error, Result};
use cloth_core::input;
use cloth_step::{Counter, Measure, StepReport};
use serde::{Deserialize, Serialize};

use crate::program::output::formats::FormatTime;
use crate::program::output::{
    EnergyBalance, MeshCopy, RunFiles, json, names, not_written, write_whole,
};

/// The version of the format of `run.json` and `steps.jsonl`. Folders of another format are
/// refused.
pub const FORMAT: u32 = 6;

/// Space that is reserved for the cause of a failure, bytes.
const ROOM: usize = 4096;

/// The remedy for a folder that holds no run.
pub const NO_RUN: &str = "give the folder of a run: out/<scene name>, or the folder given by --out";

/// Whether a run is still going on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Frames are still being computed.
    #[default]
    Running,
    /// All frames are there.
    Complete,
    /// The run ended early because of an error. The frames that were written stay.
    Failed,
    /// A signal ended the run early. The frames that were written stay.
    Interrupted,
}

/// Where one rank runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankPlace {
    /// Its number.
    pub rank: usize,
    /// The name of its machine.
    pub host: String,
    /// The processor cores it may use.
    pub cores: String,
    /// Cloth vertices, or rigid bodies at the start, that it owns.
    pub vertices: usize,
    /// Its ghost points, or shadow copies at the start.
    pub ghosts: usize,
}

/// The part of the record that only runs of rigid bodies have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BodiesHead {
    /// Movable bodies at the start.
    pub count: u64,
    /// Subdomains at the start.
    pub subdomains: usize,
    /// All bodies, by rising ids.
    pub groups: Vec<GroupHead>,
}

/// Bodies with consecutive ids.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupHead {
    /// Its name in the scene, or that of a wall.
    pub name: String,
    /// The first id.
    pub first_id: u64,
    /// Number of bodies.
    pub count: u64,
    /// Whether forces and contacts move them.
    pub is_free: bool,
}

/// The whole file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RunHead {
    /// See [`FORMAT`].
    pub format: u32,
    /// Version of the program.
    pub version: String,
    /// Whether the run is complete.
    pub status: Status,
    /// Why it failed.
    pub error: Option<String>,
    /// What the set-up warned of; absent if there was nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
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
    pub steps_per_frame: u64,
    /// Patches of the cloths.
    pub patches: usize,
    /// `max_r |W_r / L - 1|` of the partition.
    pub load_index: f64,
    /// `max_r (ghosts of r / owned by r)` of the partition.
    pub surface_index: f64,
    /// How bending enters the linear system.
    pub bending: String,
    /// The copies of the input meshes.
    pub meshes: Vec<MeshCopy>,
    /// The files of the run.
    pub files: RunFiles,
    /// Host and binding of each rank.
    pub places: Vec<RankPlace>,
    /// The balance of energy. It is written when the run ends.
    #[serde(default)]
    pub energy: EnergyBalance,
    /// Patches that changed their ranks. It is written when the run ends.
    #[serde(default)]
    pub repartitions: Repartitions,
    /// The frame of another run with which this one begins; absent at the start of a scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun_from: Option<BegunFrom>,
    /// Each time that the run was resumed, the first one first; absent if it never was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed: Vec<Resumption>,
    /// The time that each format of frames took in the last process. It is written when the run
    /// ends.
    #[serde(default)]
    pub formats: Vec<FormatTime>,
    /// The rigid bodies; absent in a run of cloth. The fields about patches are then 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bodies: Option<BodiesHead>,
}

/// The frame of another run with which a run begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BegunFrom {
    /// The folder of the other run.
    pub run: String,
    /// Its frame.
    pub frame: u64,
    /// The fields of the scene and the meshes that differ.
    pub changed: Vec<String>,
}

impl fmt::Display for BegunFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { run, frame, changed } = self;
        write!(f, "a new run, which begins with frame {frame} of {run}")?;
        match changed.is_empty() {
            true => write!(f, "; nothing in the scene has changed"),
            false => write!(f, "; changed in the scene: {}", changed.join(", ")),
        }
    }
}

/// One time that a run was resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resumption {
    /// The step of the checkpoint from which it went on.
    pub step: u64,
    /// Number of ranks before.
    pub ranks: usize,
    /// Threads of each rank before.
    pub threads: usize,
    /// The transport before: `mpi` or `threads`.
    pub transport: String,
}

/// How often patches changed their ranks during a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Repartitions {
    /// Number of repartitions.
    pub count: u64,
    /// Nodes that changed their rank, over all repartitions.
    pub moved_nodes: u64,
    /// Wall time for deciding and moving, s.
    pub seconds: f64,
}

impl Repartitions {
    /// Adds a step. `report` is that of rank 0.
    pub fn add(&mut self, report: &StepReport) {
        self.count += report.get(Counter::Repartitions);
        self.moved_nodes += report.get(Counter::MovedNodes);
        self.seconds += report.measured(Measure::RepartitionTime);
    }
}

#[derive(Deserialize)]
struct Version {
    format: u32,
}

impl RunHead {
    /// Whether `folder` has the record of a run, but in another format.
    pub fn has_other_format(folder: &Path) -> bool {
        let text = input::read(&folder.join(names::RUN), input::TEXT_LIMIT);
        let version = text.ok().and_then(|text| serde_json::from_slice::<Version>(&text).ok());
        version.is_some_and(|version| version.format != FORMAT)
    }

    /// Reads the file of a run, finished or not.
    ///
    /// # Errors
    /// When the folder or the file is not there, or the file does not describe a run or has
    /// another format.
    pub fn read(folder: &Path) -> Result<Self> {
        if folder.is_file() {
            return Err(Error::file(folder, "a file, and not the folder of a run", NO_RUN));
        }
        if !folder.is_dir() {
            return Err(Error::file(folder, "there is no such folder", NO_RUN));
        }
        let path = folder.join(names::RUN);
        if !path.exists() {
            return Err(Error::file(folder, "the folder is no run: it has no run.json", NO_RUN));
        }
        let text = input::read(&path, input::TEXT_LIMIT)
            .map_err(|cause| Error::file(&path, cause, NO_RUN))?;
        let no_record = |cause| {
            Error::file(&path, format!("not the record of a run: {cause}"), "repeat the run")
        };
        let Version { format } = serde_json::from_slice(&text).map_err(no_record)?;
        if format != FORMAT {
            let cause = format!("format {format}, but this version knows {FORMAT}");
            let remedy = "repeat the run, or use the version of cloth-sim that made it";
            return Err(Error::file(&path, cause, remedy));
        }
        serde_json::from_slice(&text).map_err(no_record)
    }

    /// Takes over the parts of `earlier`, the record of the run so far, that stay when the run
    /// goes on after `step` steps.
    pub fn go_on(&mut self, earlier: Self, step: u64) {
        let Self { ranks, threads, transport, resumed, begun_from, meshes, files, .. } = earlier;
        (self.resumed, self.begun_from) = (resumed, begun_from);
        self.resumed.push(Resumption { step, ranks, threads, transport });
        self.meshes = meshes;
        let own = std::mem::replace(&mut self.files, files);
        self.files.add_all(&own);
    }

    /// The number of its first frame.
    pub fn first_frame(&self) -> u64 {
        self.begun_from.as_ref().map_or(0, |begun| begun.frame)
    }

    /// Writes the file when the run begins, before all other files. Also reserves space for the
    /// file that is written at the end, so that a full disk cannot hide how the run ended.
    ///
    /// # Errors
    /// When the folder cannot be written. Then neither file exists.
    pub fn begin(&self, folder: &Path) -> Result<()> {
        let path = folder.join(names::RUN);
        let text = json(&path, self)?;
        write_whole(&path, |out| out.write_all(&text))
            .and_then(|()| {
                reserve(&path, text.len() + ROOM).inspect_err(|_| {
                    let _ = fs::remove_file(&path);
                })
            })
            .map_err(|cause| not_written(&path, cause))
    }

    /// Replaces the file when the run ends.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn end(&self, folder: &Path) -> Result<()> {
        let path = folder.join(names::RUN);
        let text = json(&path, self)?;
        let temporary = names::temporary(&path);
        let write = || -> io::Result<()> {
            // The reserved file is overwritten, which needs no new space.
            let mut options = File::options();
            options.write(true).create(true).truncate(false).custom_flags(nix::libc::O_NOFOLLOW);
            let mut file = options.open(&temporary)?;
            file.write_all(&text)?;
            file.set_len(text.len() as u64)?;
            fs::rename(&temporary, &path)
        };
        write().map_err(|cause| {
            let _ = fs::remove_file(&temporary);
            not_written(&path, cause)
        })
    }
}

/// Fills the temporary file of `path` with blanks. A failure leaves no file.
fn reserve(path: &Path, length: usize) -> io::Result<()> {
    let temporary = names::temporary(path);
    let mut room = File::create_new(&temporary)?;
    room.write_all(&vec![b' '; length]).inspect_err(|_| {
        let _ = fs::remove_file(&temporary);
    })
}

/// Whether a process was killed while it wrote the file at `path`. Then the file holds the
/// beginning of a record, blanks, or nothing.
pub fn is_unfinished(path: &Path) -> bool {
    let Ok(bytes) = input::read(path, input::TEXT_LIMIT) else { return false };
    let begin = format!(r#"{{"format":{FORMAT},"version":"#).into_bytes();
    let is_begin = bytes.starts_with(&begin) || begin.starts_with(&bytes);
    is_begin || bytes.iter().all(|&byte| byte == b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> RunHead {
        let (version, scene) = (env!("CARGO_PKG_VERSION").to_owned(), "small".to_owned());
        RunHead { format: FORMAT, version, scene, ..RunHead::default() }
    }

    fn files(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_record_of_another_format_is_named_as_such() {
        let folder = tempfile::tempdir().unwrap();
        let mut older = serde_json::to_value(head()).unwrap();
        older["format"] = 4.into();
        older.as_object_mut().unwrap().remove("meshes");
        fs::write(folder.path().join(names::RUN), older.to_string()).unwrap();
        let error = RunHead::read(folder.path()).unwrap_err().to_string();
        assert!(error.contains("format 4, but this version knows 6"), "{error}");
    }

    #[test]
    fn the_end_replaces_the_beginning_and_takes_no_new_room() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let mut head = head();
        head.begin(folder).unwrap();
        assert_eq!(RunHead::read(folder).unwrap().status, Status::Running);
        let room = fs::metadata(names::temporary(&folder.join(names::RUN))).unwrap().len();
        head.status = Status::Failed;
        head.error = Some("no space left ".repeat(100));
        head.end(folder).unwrap();
        assert_eq!(RunHead::read(folder).unwrap().error, head.error);
        assert_eq!(files(folder), [names::RUN]);
        assert!(fs::metadata(folder.join(names::RUN)).unwrap().len() <= room);
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        // A folder has the name of the file.
        fs::create_dir_all(folder.path().join(names::RUN).join("in")).unwrap();
        head().begin(folder.path()).unwrap_err();
        assert_eq!(files(folder.path()), [names::RUN]);
    }
}
