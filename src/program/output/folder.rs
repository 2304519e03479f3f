//! The folder of a run. One process claims it and removes the files of an earlier run.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use cloth_core::error::{Error, Result, shell_word};

use crate::program::output::checkpoint::{self, Checkpoint, Header};
use crate::program::output::earlier::{self, unwritable};
use crate::program::output::{Claim, Lock, Owner, RunHead, names};

/// A run folder that this process has locked. Dropping it removes the lock, and those folders that
/// were made for it and are still empty.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// The dead process whose lock was taken over.
    pub taken_over: Option<Owner>,
    /// The checkpoint from which the run goes on, or the checkpoint of another run with which a
    /// new run begins. `None` at the start of a scene.
    pub checkpoint: Option<Checkpoint>,
    /// The first frame of the run: the frame of another run with which it begins, or 0.
    pub first_frame: u64,
    /// Why newer checkpoints cannot be used, a line each.
    pub refused: Vec<String>,
    lock: Lock,
    claim: Option<Claim>,
    /// Folders that were made for the run, the innermost first.
    made: Vec<PathBuf>,
}

impl RunFolder {
    /// Makes and locks the folder at `path` for the run of `claim`. No file in it changes yet.
    ///
    /// # Errors
    /// A folder that cannot be written, that another process writes, or that [`earlier::files`]
    /// refuses.
    pub fn claim(path: &Path, claim: Claim) -> Result<Self> {
        // Checked before anything is made, because most refusals need no lock.
        earlier::files(path, &claim)?;
        let made = missing(path);
        let locked = fs::create_dir_all(path)
            .map_err(|cause| unwritable(path, cause))
            .and_then(|()| Lock::acquire(path));
        let (lock, taken_over) = locked.inspect_err(|_| remove_empty(&made))?;
        let mut folder = Self::locked(path, lock, taken_over);
        (folder.claim, folder.made) = (Some(claim), made);
        // Checked again, because another run may have ended meanwhile.
        folder.earlier_files()?;
        Ok(folder)
    }

    /// Locks the folder at `path`, whose run goes on, and reads its newest checkpoint. It must fit
    /// the header `now`. Nothing changes yet.
    ///
    /// # Errors
    /// A folder that cannot be written, that another process writes, or whose checkpoints cannot
    /// be used.
    pub fn claim_again(path: &Path, now: &Header) -> Result<Self> {
        let (lock, taken_over) = Lock::acquire(path)?;
        let mut folder = Self::locked(path, lock, taken_over);
        (folder.checkpoint, folder.refused) = checkpoint::newest(path, now)?;
        match RunHead::read(path)?.begun_from {
            Some(begun) if folder.checkpoint.is_none() => {
                let cause =
                    "the run has no checkpoint, and did not begin at the start of its scene";
                let remedy = format!(
                    "begin it again: cloth-sim resume {} --from-frame {}",
                    shell_word(&begun.run),
                    begun.frame
                );
                Err(Error::file(path, cause, remedy))
            }
            begun => {
                folder.first_frame = begun.map_or(0, |begun| begun.frame);
                Ok(folder)
            }
        }
    }

    /// The folder that `lock` locks, for a run that goes on.
    fn locked(path: &Path, lock: Lock, taken_over: Option<Owner>) -> Self {
        let (path, checkpoint, first_frame) = (path.to_owned(), None, 0);
        let (refused, made) = (Vec::new(), Vec::new());
        Self { path, taken_over, checkpoint, first_frame, refused, lock, claim: None, made }
    }

    /// The frames that stay when the run goes on. Empty for a new run.
    pub fn kept_frames(&self) -> Range<u64> {
        let own = self.checkpoint.as_ref().filter(|_| self.claim.is_none());
        self.first_frame..own.map_or(self.first_frame, |own| own.header.frame() + 1)
    }

    /// The files of an earlier run.
    fn earlier_files(&self) -> Result<Vec<PathBuf>> {
        match &self.claim {
            Some(claim) => earlier::files(&self.path, claim),
            None => earlier::files_after(&self.path, &self.kept_frames()),
        }
    }

    /// Removes the files of an earlier run. If the run goes on, removes only the files of frames
    /// after its checkpoint.
    ///
    /// # Errors
    /// A file that cannot be removed. A new file that would be replaced.
    pub fn clear(&self) -> Result<()> {
        let files = self.earlier_files()?;
        let mut copies = false;
        for file in &files {
            fs::remove_file(file).map_err(|cause| Error::file(file, cause, "remove it"))?;
            copies |= file.parent() != Some(&self.path);
        }
        if copies {
            // If it has files of the user, it stays.
            let _ = fs::remove_dir(self.path.join(names::MESHES));
        }
        Ok(())
    }

    /// Gives the folder back. For a process that ends without dropping it.
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

/// The folders on the path to `path` that do not exist, the innermost first.
fn missing(path: &Path) -> Vec<PathBuf> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    path.ancestors().take_while(is_missing).map(Path::to_owned).collect()
}

fn remove_empty(folders: &[PathBuf]) {
    // A folder that is not empty stays, and so do its parents.
    let _ = folders.iter().try_for_each(fs::remove_dir);
}
