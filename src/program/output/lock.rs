//! `run.lock`: names the process that writes a run folder, as long as it runs.
//!
//! The file names machine and process. The process also holds the system's lock (`flock`) on the
//! file, which ends with the process. So the lock of a dead process is recognised, even if another
//! process has its number now. Some file systems have no such locks; there the number decides.

use std::fs::{self, File, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use cloth_core::error::{Error, Result};
use cloth_core::ranks::launch::HostBinding;
use nix::errno::Errno;
use nix::sys::signal::kill;
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use crate::program::output::names;

/// A process on a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The name of the machine.
    pub host: String,
    /// The number of the process.
    pub process: i32,
}

/// The state of the process that a lock names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holder {
    /// It runs.
    Runs(Owner),
    /// It has ended without removing the lock.
    Gone(Owner),
    /// It is on another machine, so its state is unknown.
    Elsewhere(Owner),
}

/// The lock of this process. Dropping it removes the file.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    file: File,
}

impl Lock {
    /// Locks `folder` for this process. Also returns the dead process that had locked it, if any.
    ///
    /// # Errors
    /// A folder that another process has locked or that cannot be written.
    pub fn acquire(folder: &Path) -> Result<(Self, Option<Owner>)> {
        let path = folder.join(names::LOCK);
        loop {
            let file = open(&path, true).map_err(|cause| unusable(&path, cause))?;
            let before = match holder_of(&path, &file)? {
                Some(Holder::Gone(owner)) => Some(owner),
                None => None,
                Some(other) => return Err(refusal(folder, &path, other)),
            };
            let mut lock = Self { path: path.clone(), file };
            lock.sign().map_err(|cause| unusable(&path, cause))?;
            // Meanwhile another process may have removed the file at its end, or taken it over.
            if lock.is_at_its_path() {
                return Ok((lock, before));
            }
        }
    }

    fn sign(&mut self) -> std::io::Result<()> {
        let owner = Owner { host: HostBinding::here().host, process: own_process() };
        self.file.set_len(0)?;
        self.file.write_all(serde_json::to_string(&owner)?.as_bytes())
    }

    fn is_at_its_path(&self) -> bool {
        let id = |data: fs::Metadata| (data.dev(), data.ino());
        let there = fs::symlink_metadata(&self.path).map(id);
        there.is_ok_and(|there| self.file.metadata().is_ok_and(|own| id(own) == there))
    }

    /// Removes the file. May be called twice.
    pub fn release(&self) {
        if self.is_at_its_path() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.release();
    }
}

/// The process that the lock in `folder` names. `None` without a lock.
///
/// # Errors
/// A lock that cannot be read.
pub fn holder(folder: &Path) -> Result<Option<Holder>> {
    let path = folder.join(names::LOCK);
    match open(&path, false) {
        Ok(file) => holder_of(&path, &file),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(unusable(&path, cause)),
    }
}

/// Opens the file. A link is not followed, and a FIFO is not waited for. Appending keeps the text
/// of the owner.
fn open(path: &Path, writes: bool) -> std::io::Result<File> {
    let mut options = File::options();
    options.read(true).custom_flags(nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK);
    options.append(writes).create(writes).open(path)
}

/// `None` if the file is new.
fn holder_of(path: &Path, mut file: &File) -> Result<Option<Holder>> {
    let locked = file.try_lock();
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(|cause| unusable(path, cause))?;
    let here = HostBinding::here().host;
    let owner = match serde_json::from_str::<Owner>(&text) {
        Ok(owner) => owner,
        // Its process has not written its name yet, or ended before it could.
        Err(_) if matches!(locked, Err(TryLockError::WouldBlock)) => {
            return Ok(Some(Holder::Runs(Owner { host: here, process: 0 })));
        }
        Err(_) if text.is_empty() => return Ok(None),
        Err(_) => return Err(unusable(path, "the file is no lock of a run")),
    };
    Ok(Some(match locked {
        _ if owner.host != here => Holder::Elsewhere(owner),
        Ok(()) => Holder::Gone(owner),
        Err(TryLockError::WouldBlock) => Holder::Runs(owner),
        Err(TryLockError::Error(_)) if is_running(owner.process) => Holder::Runs(owner),
        Err(TryLockError::Error(_)) => Holder::Gone(owner),
    }))
}

fn is_running(process: i32) -> bool {
    // Without a signal `kill` only tests whether the process exists. A process of another user
    // also counts.
    let looked = kill(Pid::from_raw(process), None);
    process > 0 && process != own_process() && matches!(looked, Ok(()) | Err(Errno::EPERM))
}

fn own_process() -> i32 {
    Pid::this().as_raw()
}

fn refusal(folder: &Path, path: &Path, holder: Holder) -> Error {
    let (Holder::Runs(owner) | Holder::Gone(owner) | Holder::Elsewhere(owner)) = &holder;
    let Owner { host, process } = owner;
    match holder {
        Holder::Elsewhere(_) => Error::file(
            folder,
            format!("process {process} on {host} writes its run into this folder, or was killed"),
            format!(
                "choose another folder with --out; if that process has ended, remove {}",
                path.display()
            ),
        ),
        _ => Error::file(
            folder,
            format!("process {process} on this machine ({host}) writes its run into this folder"),
            "wait until it has ended, or choose another folder with --out",
        ),
    }
}

fn unusable(path: &Path, cause: impl std::fmt::Display) -> Error {
    Error::file(path, cause, "choose another folder with --out, or remove this file")
}
