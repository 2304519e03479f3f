//! The folder of a run: claimed by one process, and cleared of an earlier run.

use std::fs;
use std::path::{Path, PathBuf};

use cloth_sim::error::{Error, Result};

use crate::program::output::earlier::{self, Claim, unwritable};
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
    claim: Claim,
    /// Folders that were not there before, the innermost first.
    made: Vec<PathBuf>,
}

impl RunFolder {
    /// Makes and locks the folder at `path` for the run of `claim`. Nothing in it changes yet.
    ///
    /// # Errors
    /// A folder that cannot be written; one that another process writes; one that
    /// [`earlier::files`] refuses.
    pub fn claim(path: &Path, claim: Claim) -> Result<Self> {
        // Before anything is made, because most refusals need no lock.
        earlier::files(path, &claim)?;
        let made = missing(path);
        let locked = fs::create_dir_all(path)
            .map_err(|cause| unwritable(path, cause))
            .and_then(|()| Lock::acquire(path));
        let (lock, taken_over) = locked.inspect_err(|_| remove_empty(&made))?;
        let folder = Self { path: path.to_owned(), taken_over, lock, claim, made };
        // Another run may have ended meanwhile.
        earlier::files(path, &folder.claim)?;
        Ok(folder)
    }

    /// Removes the files of an earlier run.
    ///
    /// # Errors
    /// A file that cannot be removed. A file that came meanwhile and would be replaced.
    pub fn clear(&self) -> Result<()> {
        let files = earlier::files(&self.path, &self.claim)?;
        let mut copies = false;
        for file in &files {
            fs::remove_file(file).map_err(|cause| Error::file(file, cause, "remove it"))?;
            copies |= file.parent() != Some(&self.path);
        }
        if copies {
            // Files of the user may be in it. Then it stays.
            let _ = fs::remove_dir(self.path.join(names::MESHES));
        }
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

/// The folders on the way to `path` that are not there, the innermost first.
fn missing(path: &Path) -> Vec<PathBuf> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    path.ancestors().take_while(is_missing).map(Path::to_owned).collect()
}

fn remove_empty(folders: &[PathBuf]) {
    // A folder that is not empty stays, and so do those around it.
    let _ = folders.iter().try_for_each(fs::remove_dir);
}
