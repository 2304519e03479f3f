//! The folder for tables. No file of the user is lost.

use std::fs;
use std::path::{Path, PathBuf};

use cloth_core::error::{Error, Result};

use crate::partitions::names;
use cloth_sim::program::output::write_whole;

/// A folder that may be written.
pub struct OutFolder(PathBuf);

impl OutFolder {
    /// Makes the folder at `path`. Nothing else changes yet.
    ///
    /// # Errors
    /// A folder that cannot be written. A folder with tables, unless `overwrite` is
    /// set. A folder where they would replace an input, a link or a folder.
    pub fn claim(path: &Path, overwrite: bool, inputs: &[PathBuf]) -> Result<Self> {
        fs::create_dir_all(path)
            .map_err(|cause| Error::file(path, cause, "choose another folder with --out"))?;
        let inputs = Vec::from_iter(inputs.iter().filter_map(|input| input.canonicalize().ok()));
        let files = own_files(path)?;
        for file in &files {
            let refuse = |cause| Err(Error::file(file, cause, "choose another folder with --out"));
            if !fs::symlink_metadata(file).is_ok_and(|data| data.is_file()) {
                return refuse("a file of this name would be written, and this is none");
            }
            if file.canonicalize().is_ok_and(|file| inputs.contains(&file)) {
                return refuse("this file is an input, and a file of this name would be written");
            }
        }
        match files.first().and_then(|file| file.file_name()) {
            Some(first) if !overwrite => {
                let cause = format!("the folder already holds {}", first.display());
                let remedy = "pass --overwrite to replace its tables of divisions, or \
                              choose another folder with --out";
                Err(Error::file(path, cause, remedy))
            }
            _ => Ok(Self(path.to_owned())),
        }
    }

    /// Removes the tables of an earlier call.
    ///
    /// # Errors
    /// A file that cannot be removed.
    pub fn clear(&self) -> Result<()> {
        own_files(&self.0)?.into_iter().try_for_each(|file| {
            fs::remove_file(&file).map_err(|cause| Error::file(file, cause, "remove it"))
        })
    }

    /// Writes the table `name`.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, name: &str, table: &str) -> Result<()> {
        let path = self.0.join(name);
        write_whole(&path, |out| out.write_all(table.as_bytes()))
            .map_err(|cause| Error::file(path, cause, "free some space or choose another --out"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

/// Everything in `folder` that has the name of a table, by name.
fn own_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)
        .map_err(|cause| Error::file(folder, cause, "choose another folder with --out"))?;
    let is_own = |path: &PathBuf| {
        path.file_name().is_some_and(|name| names::is_own(&name.to_string_lossy()))
    };
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(is_own).collect();
    files.sort();
    Ok(files)
}
