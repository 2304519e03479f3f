//! The files of a run folder: frames of cloth and of bodies, copies of meshes, `run.json`,
//! `steps.jsonl`; and the folder itself with its lock.

pub mod body_record;
pub mod checkpoint;
pub mod cloth_record;
pub mod earlier;
pub mod energy_balance;
pub mod fields;
pub mod folder;
pub mod formats;
pub mod lock;
pub mod materials;
pub mod mesh_copies;
pub mod names;
pub mod obstacles;
pub mod record;
mod report_json;
pub mod run_files;
pub mod run_json;
pub mod steps_jsonl;
pub mod tables;
pub mod writer;

pub use self::body_record::{Bodies, BodiesPart, BodyFrameRecord, OverlapRecord, WorkersPart};
pub use self::cloth_record::{
    Cloth, ClothFrameRecord, ClothPart, CrushRecord, Searches, StrainRecord, TheftRecord, Tracked,
    WaitingRecord, YieldRecord,
};
pub use self::earlier::Claim;
pub use self::energy_balance::{EnergyBalance, Window};
pub use self::folder::RunFolder;
pub use self::formats::{FrameBodies, FrameObjects, Object};
pub use self::lock::{Holder, Lock, Owner};
pub use self::materials::Materials;
pub use self::mesh_copies::{InputMesh, MeshCopy};
pub use self::record::{FramePart, FrameRecord, Kind, StepRecord};
pub use self::run_files::RunFiles;
pub use self::run_json::{
    BegunFrom, BodiesHead, GroupHead, RankPlace, Repartitions, RunHead, Status,
};
pub use self::steps_jsonl::StepsFile;
pub use self::writer::{FrameThread, Kept};

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use cloth_core::error::{Error, Result};
use serde::Serialize;

/// Writes a file under a temporary name and renames it. A failure leaves no file. Links are
/// replaced, not followed.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let temporary = names::temporary(path);
    // A command that was killed may have left it.
    match fs::remove_file(&temporary) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(cause),
        _ => {}
    }
    let whole = File::create_new(&temporary).and_then(|mut file| {
        write(&mut file)?;
        file.flush()
    });
    whole.and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
        let _ = fs::remove_file(&temporary);
    })
}

/// Writes a file of the run folder as [`write_whole`] does.
///
/// # Errors
/// When it cannot be written.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    write_whole(path, |out| out.write_all(bytes)).map_err(|cause| not_written(path, cause))
}

/// Writes `value` as JSON, as [`write_whole`] does.
///
/// # Errors
/// When it cannot be written.
fn write_json(path: &Path, value: &impl Serialize) -> Result<()> {
    write_bytes(path, &json(path, value)?)
}

/// `value` as JSON for the file at `path`.
fn json(path: &Path, value: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|cause| Error::internal(path.display().to_string(), cause))
}

/// Whether a file is there that does not have `mark` in its first `within` bytes.
pub fn is_of_another(path: &Path, mark: &str, within: usize) -> bool {
    let mut begin = Vec::new();
    match File::open(path) {
        Ok(file) => {
            let read = file.take(within as u64).read_to_end(&mut begin);
            let is_own = begin.windows(mark.len()).any(|it| it == mark.as_bytes());
            read.is_err() || !is_own
        }
        Err(cause) => cause.kind() != io::ErrorKind::NotFound,
    }
}

/// What to do about a file that cannot be written.
const MAKE_ROOM: &str = "make room, or choose another folder with --out";

fn not_written(path: &Path, cause: io::Error) -> Error {
    Error::file(path, cause, MAKE_ROOM)
}
