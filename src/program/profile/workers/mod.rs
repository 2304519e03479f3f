//! The workers of a run: what each had to do, and how long a step would take with a rank for each.
//!
//! | module | |
//! |---|---|
//! | [`steps`] | what they did, frame by frame |
//! | [`model`] | the modelled time of a step |
//! | [`table`] | the tables, and the lines that `profile` prints |

mod model;
mod steps;
mod table;

pub use self::model::WorkersNetwork;
pub use self::steps::{RunOfWorkers, StepsOfWorkers, SumOfWorker, WorkerColumn};

use std::path::Path;

use cloth_core::error::Result;

use crate::program::output::BodyFrameRecord;
use crate::program::output::{RunHead, names, steps_jsonl};
pub(super) use crate::program::profile::workers::table::{lines, write};

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
