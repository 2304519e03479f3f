//! The recording of a run: its options, and the beginning of its file.

use std::path::{Path, PathBuf};

use clap::Args;
use cloth_core::error::{Error, Result};
use cloth_core::partition::PatchGraph;
use cloth_scene::Scene;
use cloth_step::Model;

use crate::program::output::{RunHead, names};
use crate::program::run::recording::{Header, TreeWriter};

/// Which steps are recorded, and where.
#[derive(Debug, Clone, Default, Args)]
pub struct RecordingArguments {
    /// Store the test trees of some steps in FILE, for `cloth-lab replay`. With --overwrite an
    /// earlier recording is replaced. See docs/profiling.md.
    #[arg(long, value_name = "FILE")]
    record_tasks: Option<PathBuf>,

    /// Store the test trees of every STEPS-th step [default: of the last step of each frame].
    #[arg(long, value_name = "STEPS", requires = "record_tasks", value_parser = clap::value_parser!(u64).range(1..))]
    record_every: Option<u64>,
}

impl RecordingArguments {
    /// Whether the user asks for a recording.
    pub fn is_given(&self) -> bool {
        self.record_tasks.is_some()
    }

    /// Number of steps from one recorded step to the next, if it is given.
    pub fn every(&self) -> Option<u64> {
        self.record_every
    }

    /// Whether the test trees of `step` are stored in a run of `scene`.
    pub fn records(&self, step: u64, scene: &Scene) -> bool {
        self.is_given() && step.is_multiple_of(self.steps_apart(scene))
    }

    fn steps_apart(&self, scene: &Scene) -> u64 {
        self.record_every.unwrap_or(u64::from(scene.steps_per_frame.at_most()).max(1))
    }

    /// Checks that test trees can be written, if the user asks for them. Called before the run
    /// folder `folder` exists. They may replace an earlier recording and nothing else. No file of
    /// the run may replace them.
    ///
    /// # Errors
    /// When they cannot be written there.
    pub fn check(&self, folder: &Path, overwrite: bool) -> Result<()> {
        let Some(path) = &self.record_tasks else { return Ok(()) };
        let fail = |cause: &str, remedy: &str| {
            Err(Error::file(path, cause, format!("choose another file (--record-tasks){remedy}")))
        };
        if path.exists() {
            match (overwrite, TreeWriter::may_replace(path)) {
                (_, false) => return fail("the file exists and is no recording", ""),
                (false, true) => return fail("the file exists", ", or give --overwrite"),
                (true, true) => {}
            }
        }
        match real(path).strip_prefix(real(folder)) {
            Err(_) => TreeWriter::check(path),
            // All files of a run have endings, and its folder has none.
            Ok(name)
                if name.components().count() == 1
                    && name.extension().is_none()
                    && name != Path::new(names::MESHES) =>
            {
                Ok(())
            }
            Ok(_) => fail(
                "the run may write a file of this name itself",
                "; in the run folder, its name must have no ending",
            ),
        }
    }

    /// Begins the file of a run of `scene`, if the user asks for a recording.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(
        &self,
        scene: &Scene,
        model: &Model,
        head: &RunHead,
    ) -> Result<Option<TreeWriter>> {
        let Some(path) = &self.record_tasks else { return Ok(None) };
        let steps_per_frame = u64::from(scene.steps_per_frame.at_most());
        let header = Header {
            scene: scene.name.clone(),
            ranks: head.ranks,
            threads: head.threads,
            steps_per_frame,
            steps: u64::from(scene.frames) * steps_per_frame / self.steps_apart(scene),
            collision: model.settings.collision,
            patches: PatchGraph::new(&model.graph, &model.partition.patches),
            vertices: model.cloth.vertex_count() as u64,
            phases: Header::phase_names(),
        };
        TreeWriter::create(path, &header).map(Some)
    }
}

/// `path` without links and `..`. The file need not exist.
fn real(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    match (path.canonicalize(), parent, path.file_name()) {
        (Ok(real), ..) => real,
        (Err(_), Some(parent), Some(name)) => real(parent).join(name),
        _ => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
    }
}
