//! The files in a run folder before the run begins. No file of the user is lost:
//!
//! - `--overwrite` removes what `run.json` lists as files of an earlier run, and nothing else.
//! - A run is refused if it would replace anything else, an input, a link or a folder.

use std::fs::{self, Metadata};
use std::io;
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use cloth_core::error::{Error, Result};

use crate::program::output::{RunFiles, RunHead, Status, names, run_json, steps_jsonl};
use crate::program::words::name_list;

/// What a run will do in its folder.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The files that it writes.
    pub files: RunFiles,
    /// Number of its frames.
    pub frames: u64,
    /// Whether it may remove the files of an earlier run.
    pub overwrite: bool,
    /// The files that it reads.
    pub inputs: Vec<PathBuf>,
}

impl Claim {
    /// Whether the run would replace `entry`.
    fn replaces(&self, entry: &FolderEntry) -> bool {
        let is_copy = |file: &String| Path::new(file).starts_with(names::MESHES);
        match entry.name == names::MESHES {
            // A folder of this name is no problem; the files in it have entries of their own.
            true => !entry.data.is_dir() && self.files.once.iter().any(is_copy),
            false => self.files.hold(names::whole(&entry.name), self.frames),
        }
    }
}

/// The files of an earlier run in `folder`, which the run of `claim` removes. They must be removed
/// in this order: if the removal is cut short, the remaining files are still recognised as files
/// of that run.
///
/// # Errors
/// Files of an earlier run, without `overwrite`. Files that would be replaced, and are inputs or
/// do not belong to an earlier run. A folder that cannot be read.
pub fn files(folder: &Path, claim: &Claim) -> Result<Vec<PathBuf>> {
    let entries = match entries(folder) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|cause| unwritable(folder, cause))?,
    };
    // This is read after the entries, so a run that is still going on has listed the frames among
    // them.
    let before = Before::read(folder);
    let (mut earlier, others): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|entry| before.wrote(entry));
    let replaced = Vec::from_iter(others.into_iter().filter(|entry| claim.replaces(entry)));
    refuse_inputs(earlier.iter().chain(&replaced), &claim.inputs)?;
    if !replaced.is_empty() {
        return Err(before.refusal(folder, &replaced));
    }
    if !earlier.is_empty() && !claim.overwrite {
        let files = list(&earlier);
        let cause =
            format!("the folder holds a run, and --overwrite would remove its files:{files}");
        let remedy = "pass --overwrite to remove them, or choose another folder with --out";
        return Err(Error::file(folder, cause, remedy));
    }
    earlier.sort_by_key(|entry| (entry.name == names::RUN, entry.name == names::STEPS));
    Ok(earlier.into_iter().map(|entry| entry.path).collect())
}

/// The files of the run in `folder` that are removed when it goes on after its `kept` frames:
/// later frames, files that are not whole, and `steps.jsonl` if no frame is kept.
///
/// # Errors
/// A folder that cannot be read, or holds no run.
pub fn files_after(folder: &Path, kept: &Range<u64>) -> Result<Vec<PathBuf>> {
    let head = RunHead::read(folder)?;
    let goes = |entry: &FolderEntry| {
        let name = names::whole(&entry.name);
        let is_part = name != entry.name && head.files.hold(name, u64::MAX);
        let is_first = kept.is_empty() && name == names::STEPS;
        is_part || is_first || head.files.frame_of(name).is_some_and(|frame| frame >= kept.end)
    };
    let entries = entries(folder).map_err(|cause| unwritable(folder, cause))?;
    let files = entries.into_iter().filter(|entry| entry.data.is_file() && goes(entry));
    Ok(files.map(|entry| entry.path).collect())
}

/// The earlier run in a folder, according to its record.
enum Before {
    /// There is no record that this program has written.
    None,
    /// Another version has written it.
    OtherVersion,
    /// It has written these files, with this many frames.
    Listed { files: RunFiles, frames: u64, was_killed: bool },
}

impl Before {
    fn read(folder: &Path) -> Self {
        // A link belongs to the user.
        let is_file = fs::symlink_metadata(folder.join(names::RUN)).is_ok_and(|it| it.is_file());
        let Some(head) = is_file.then(|| RunHead::read(folder).ok()).flatten() else {
            let is_other = is_file && RunHead::has_other_format(folder);
            return if is_other { Self::OtherVersion } else { Self::None };
        };
        let was_killed = head.status == Status::Running;
        // The next frame may already have its file, but no line in `steps.jsonl`.
        let first = head.begun_from.map_or(0, |begun| begun.frame);
        let frames = first + steps_jsonl::count(folder) + u64::from(was_killed);
        Self::Listed { files: head.files, frames, was_killed }
    }

    /// Whether the earlier run has written this file.
    fn wrote(&self, entry: &FolderEntry) -> bool {
        let Self::Listed { files, frames, was_killed } = self else { return false };
        // Only a killed run leaves files that are not whole.
        let name = if *was_killed { names::whole(&entry.name) } else { &entry.name };
        entry.data.is_file() && files.hold(name, *frames)
    }

    fn refusal(&self, folder: &Path, replaced: &[FolderEntry]) -> Error {
        let files = list(replaced);
        if matches!(self, Self::OtherVersion) {
            let cause = format!(
                "the run here is of another version, and its files may be yours; the new run would \
                 replace:{files}"
            );
            let remedy =
                "remove the folder if it holds nothing else, or choose another one with --out";
            return Error::file(folder, cause, remedy);
        }
        let cause =
            format!("the run would replace files that are not of an earlier run here:{files}");
        Error::file(folder, cause, "move them away, or choose another folder with --out")
    }
}

/// Something in a run folder.
struct FolderEntry {
    /// Its path in the folder.
    name: String,
    path: PathBuf,
    /// Metadata of the entry. For a link it is that of the link itself.
    data: Metadata,
}

/// All that lies in `folder` and in its folder of meshes, by rising names.
fn entries(folder: &Path) -> io::Result<Vec<FolderEntry>> {
    let mut entries = entries_of(folder, "")?;
    if entries.iter().any(|entry| entry.name == names::MESHES && entry.data.is_dir()) {
        entries.extend(entries_of(&folder.join(names::MESHES), &format!("{}/", names::MESHES))?);
    }
    // The file that a process was writing first when it was killed has no use.
    let left_over = names::temporary(Path::new(names::RUN));
    let is_left_over = |entry: &FolderEntry| {
        Path::new(&entry.name) == left_over
            && entry.data.is_file()
            && run_json::is_unfinished(&entry.path)
    };
    entries.retain(|entry| !is_left_over(entry));
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

fn entries_of(folder: &Path, before: &str) -> io::Result<Vec<FolderEntry>> {
    let entry = |entry: io::Result<fs::DirEntry>| {
        let path = entry?.path();
        // A run writes only names in UTF-8.
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let (name, data) = (format!("{before}{name}"), fs::symlink_metadata(&path)?);
        Ok(FolderEntry { name, path, data })
    };
    fs::read_dir(folder)?.map(entry).collect()
}

/// Refuses a run that would remove or replace one of its own `inputs`.
fn refuse_inputs<'e>(
    entries: impl IntoIterator<Item = &'e FolderEntry>,
    inputs: &[PathBuf],
) -> Result<()> {
    let id = |data: &Metadata| (data.dev(), data.ino());
    let inputs = inputs.iter().filter_map(|path| fs::metadata(path).ok());
    let inputs = Vec::from_iter(inputs.map(|data| id(&data)));
    let is_input = |entry: &&FolderEntry| {
        // A link's target may be an input too.
        let target = fs::metadata(&entry.path).ok();
        let mut ids = [Some(id(&entry.data)), target.as_ref().map(id)].into_iter().flatten();
        ids.any(|id| inputs.contains(&id))
    };
    match entries.into_iter().find(is_input) {
        None => Ok(()),
        Some(entry) => {
            let cause = "this file is an input of the run, which would replace it";
            Err(Error::file(&entry.path, cause, "choose another folder with --out"))
        }
    }
}

/// The names of `entries`, on lines of their own.
fn list(entries: &[FolderEntry]) -> String {
    let names = entries.iter().map(|entry| entry.name.as_str());
    name_list(names).iter().map(|line| format!("\n    {line}")).collect()
}

/// The error of a folder that cannot be read or written.
pub fn unwritable(folder: &Path, cause: io::Error) -> Error {
    Error::file(folder, cause, "choose a folder that can be written with --out")
}
