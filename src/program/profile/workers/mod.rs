//! The workers of a run: what each had to do, and how long a step would take with a rank for each.
//!
//! | module | |
//! |---|---|
//! | [`steps`] | what they did, frame by frame |
//! | [`model`] | the modelled time of a step |
//! | [`table`] | the tables, and the lines that `profile` prints |
//! | [`picture`] | the picture |

mod model;
mod picture;
mod steps;
mod table;

use std::path::{Path, PathBuf};

use cloth_core::error::Result;

use crate::program::output::bodies::record::BodyFrameRecord;
use crate::program::output::run_json::RunHead;
use crate::program::output::{names, steps_jsonl};
use crate::program::profile::canvas;
use crate::program::profile::workers::picture::WorkersPicture;
pub(super) use crate::program::profile::workers::steps::RunOfWorkers;

/// Reads what the workers of the run in `folder` did. None in a run without workers.
///
/// # Errors
/// A folder that is no run, or a run whose scene cannot be read.
pub(super) fn read(folder: &Path) -> Result<Option<RunOfWorkers>> {
    let head = RunHead::read(folder)?;
    if head.bodies.is_none() {
        return Ok(None);
    }
    let mut run = None;
    for frame in steps_jsonl::read::<BodyFrameRecord>(folder)? {
        let frame = frame?;
        let Some(step) = frame.steps.first() else { continue };
        if step.part.workers.is_empty() {
            return Ok(None);
        }
        if run.is_none() {
            let scene = cloth_scene::load(&folder.join(names::SCENE))?;
            let coupling = scene.parallel.settings().map(|settings| settings.coupling);
            run = Some(RunOfWorkers::new(&head, coupling.unwrap_or_default()));
        }
        run.iter_mut().for_each(|run| run.add(&frame));
    }
    Ok(run)
}

/// Writes the tables and the picture of `run` into the folder `out`. Returns the files.
///
/// # Errors
/// When a file cannot be written.
pub(super) fn draw(run: &RunOfWorkers, out: &Path) -> Result<Vec<PathBuf>> {
    let mut files = canvas::write(&WorkersPicture(run), out, names::WORKERS_PICTURE)?;
    files.extend(table::write(run, out)?);
    Ok(files)
}

/// The lines of `run`. `one_core_s` is the time of a step in the run that it is compared with.
pub(super) fn lines(run: &RunOfWorkers, one_core_s: Option<f64>) -> Vec<String> {
    table::lines(run, one_core_s)
}
