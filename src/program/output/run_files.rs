//! The files that a run writes into its folder, as `run.json` lists them, and the pictures and
//! tables of it. Only listed files belong to the run; a later run removes no other files.

use std::path::{Path, PathBuf};

use cloth_core::error::Result;
use serde::{Deserialize, Serialize};

use crate::program::output::{Lock, RunHead, Status, names, write_json};

/// The files of a run, and the pictures of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFiles {
    /// Paths in the run folder.
    pub once: Vec<String>,
    /// Names of the files of each frame. `*` stands for its number. `steps.jsonl` lists the frames
    /// that were written.
    pub each_frame: Vec<String>,
    /// Names of files that are written after some steps. `*` stands for the number of the step.
    #[serde(default)]
    pub at_steps: Vec<String>,
}

impl RunFiles {
    /// The files of every run except its frames, with these copies of meshes.
    pub fn new(copies: impl Iterator<Item = String>) -> Self {
        let of_all = [names::RUN, names::SCENE, names::STEPS].map(str::to_owned);
        Self { once: of_all.into_iter().chain(copies).collect(), ..Self::default() }
    }

    /// Adds those `files` that are not listed yet.
    pub fn add(&mut self, files: impl IntoIterator<Item = impl Into<String>>) {
        for file in files.into_iter().map(Into::into) {
            if !self.once.contains(&file) {
                self.once.push(file);
            }
        }
    }

    /// Adds all files of `other` that are not listed yet.
    pub fn add_all(&mut self, other: &Self) {
        self.add(other.once.iter().cloned());
        let pairs =
            [(&mut self.each_frame, &other.each_frame), (&mut self.at_steps, &other.at_steps)];
        for (own, others) in pairs {
            let new = Vec::from_iter(others.iter().filter(|it| !own.contains(it)).cloned());
            own.extend(new);
        }
    }

    /// The number of the frame of a file. `path` is its path in the folder of the run.
    pub fn frame_of(&self, path: &str) -> Option<u64> {
        self.each_frame.iter().find_map(|all| names::number_in(path, all))
    }

    /// Whether the run writes the file `path`, a path in its folder. The run has `frames` frames.
    pub fn hold(&self, path: &str, frames: u64) -> bool {
        let is_at_step = |all: &String| names::number_in(path, all).is_some();
        self.once.iter().any(|file| file == path)
            || self.frame_of(path).is_some_and(|number| number < frames)
            || self.at_steps.iter().any(is_at_step)
    }
}

/// Lists `files`, pictures and tables in `folder`, as files of the run there. Does nothing without
/// a run, or before it has ended: until then its process writes `run.json`.
///
/// # Errors
/// When `run.json` cannot be written.
pub fn list_drawn(folder: &Path, files: &[PathBuf]) -> Result<()> {
    let ended = || RunHead::read(folder).ok().filter(|head| head.status != Status::Running);
    if ended().is_none() {
        return Ok(());
    }
    // Another process that locks the folder replaces the run.
    let Ok(_lock) = Lock::acquire(folder) else { return Ok(()) };
    let Some(mut head) = ended() else { return Ok(()) };
    let before = head.files.once.len();
    head.files.add(files.iter().filter_map(|file| file.file_name()?.to_str()));
    if head.files.once.len() == before {
        return Ok(());
    }
    write_json(&folder.join(names::RUN), &head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_count_that_are_written() {
        let mut files = RunFiles::new(std::iter::empty());
        files.each_frame.push(names::all_frames("obj"));
        files.add(["meshes/mesh_0_a.obj", names::RUN]);
        assert_eq!(files.once, ["run.json", "scene.ron", "steps.jsonl", "meshes/mesh_0_a.obj"]);
        for path in ["run.json", "meshes/mesh_0_a.obj", "frame_0000.obj", "frame_0025.obj"] {
            assert!(files.hold(path, 26), "{path}");
        }
        assert!(files.hold(&names::frame(12_345, "obj"), 12_346));
        for path in [
            "frame_0026.obj",
            "frame_0900.obj",
            "frame_0001.vtp",
            "frame_1.obj",
            "frame_00001.obj",
            "frame_+001.obj",
            "frame_.obj",
            "obstacles.obj",
            "profile.png",
            "mesh_0_a.obj",
        ] {
            assert!(!files.hold(path, 26), "{path}");
        }
    }
}
