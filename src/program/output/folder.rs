//! The folder of a run: claimed by one process, and cleared of an earlier run.
//!
//! A file of the user is never lost. If a name that a run may write is there, the folder is
//! refused. `--overwrite` allows to remove these files, except inputs of the run, and except links
//! and folders, because no run writes them.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use cloth_sim::error::{Error, Result};

use crate::program::output::lock::{Lock, Owner};
use crate::program::output::names;

/// A run folder that this process has locked. Dropping it removes the lock, and the folders that
/// it has made if they are still empty.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// The dead process whose lock was taken over.
    pub taken_over: Option<Owner>,
    lock: Lock,
    /// Folders that were not there before, the innermost first.
    made: Vec<PathBuf>,
}

impl RunFolder {
    /// Makes and locks the folder at `path` for a run with these `inputs`. Nothing in it changes
    /// yet.
    ///
    /// # Errors
    /// A folder that cannot be written; one that another process writes; one with files of a run,
    /// unless `overwrite` is set; one where a run would replace one of its own inputs.
    pub fn claim(path: &Path, overwrite: bool, inputs: &[PathBuf]) -> Result<Self> {
        // Before anything is made, because most refusals need no lock.
        check(path, overwrite, inputs)?;
        let made = missing(path);
        let locked = fs::create_dir_all(path)
            .map_err(|cause| unwritable(path, cause))
            .and_then(|()| Lock::acquire(path));
        let (lock, taken_over) = locked.inspect_err(|_| remove_empty(&made))?;
        let folder = Self { path: path.to_owned(), taken_over, lock, made };
        // Another run may have ended meanwhile.
        check(path, overwrite, inputs)?;
        Ok(folder)
    }

    /// Removes the files of an earlier run. [`Self::claim`] has refused them unless they may be
    /// replaced.
    ///
    /// # Errors
    /// A file that cannot be removed.
    pub fn clear(&self) -> Result<()> {
        let unwritable = |cause| unwritable(&self.path, cause);
        let files = Files::list(&self.path).map_err(unwritable)?;
        files.of_run.iter().try_for_each(|(file, _)| fs::remove_file(file)).map_err(unwritable)?;
        // Files of the user may be in it. Then it stays.
        let _ = fs::remove_dir(self.path.join(names::MESHES));
        Ok(())
    }

    /// Gives the folder back before the process ends without dropping it.
    pub fn give_back(&self) {
        self.lock.release();
        remove_empty(&self.made);
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// Refuses a folder in which a run would replace a file of the user.
fn check(folder: &Path, overwrite: bool, inputs: &[PathBuf]) -> Result<()> {
    let files = match Files::list(folder) {
        Ok(files) => files,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(cause) => return Err(unwritable(folder, cause)),
    };
    let id = |data: &Metadata| (data.dev(), data.ino());
    let inputs: Vec<_> = inputs.iter().filter_map(|path| fs::metadata(path).ok()).collect();
    for (file, data) in &files.of_run {
        // A link's target may be an input too.
        let target = fs::metadata(file).ok();
        let is_input = |input: &Metadata| {
            id(input) == id(data) || target.as_ref().is_some_and(|target| id(input) == id(target))
        };
        if inputs.iter().any(is_input) {
            let cause = "this file is an input of the run, and the run writes a file of this name";
            return Err(Error::file(file, cause, "choose another folder with --out"));
        }
    }
    if let Some(odd) = &files.odd {
        let cause = "the run writes a file of this name, and this is a link or of another kind";
        return Err(Error::file(odd, cause, "remove it, or choose another folder with --out"));
    }
    match files.of_run.first() {
        Some((first, _)) if !overwrite => {
            let name = first.strip_prefix(folder).unwrap_or(first).display();
            let frames = files.of_run.iter().filter(|(file, _)| is_frame(file)).count();
            let cause = match frames {
                0 => format!("the folder already holds {name}, which the run would replace"),
                frames => format!("the folder already holds {frames} frames"),
            };
            let remedy = "pass --overwrite to replace all files that a run writes, or choose another \
                          folder with --out";
            Err(Error::file(folder, cause, remedy))
        }
        _ => Ok(()),
    }
}

fn is_frame(file: &Path) -> bool {
    file.file_name().is_some_and(|name| names::is_frame(&name.to_string_lossy()))
}

/// What is in a folder under names that a run may write.
#[derive(Default)]
struct Files {
    /// Files, by rising name, and what the system knows of them.
    of_run: Vec<(PathBuf, Metadata)>,
    /// Something that a run does not write.
    odd: Option<PathBuf>,
}

impl Files {
    fn list(folder: &Path) -> io::Result<Self> {
        let mut files = Self::default();
        files.add(folder, names::is_file_of_run)?;
        let meshes = folder.join(names::MESHES);
        match fs::symlink_metadata(&meshes) {
            Ok(data) if data.is_dir() => files.add(&meshes, names::is_mesh_copy)?,
            Ok(_) => files.odd = Some(meshes),
            Err(_) => {}
        }
        files.of_run.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(files)
    }

    fn add(&mut self, folder: &Path, is_of_run: impl Fn(&str) -> bool) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if !is_of_run(&entry.file_name().to_string_lossy()) {
                continue;
            }
            let data = fs::symlink_metadata(entry.path())?;
            if !data.is_file() {
                self.odd = Some(entry.path());
            }
            self.of_run.push((entry.path(), data));
        }
        Ok(())
    }
}

/// The folders on the way to `path` that are not there, the innermost first.
fn missing(path: &Path) -> Vec<PathBuf> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    path.ancestors().take_while(is_missing).map(Path::to_owned).collect()
}

fn remove_empty(folders: &[PathBuf]) {
    // A folder that is not empty stays, and so do those around it.
    let _ = folders.iter().try_for_each(fs::remove_dir);
}

fn unwritable(folder: &Path, cause: io::Error) -> Error {
    Error::file(folder, cause, "choose a folder that can be written with --out")
}
