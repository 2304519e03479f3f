//! Where cloths lie in a frame of a run.

use std::path::Path;

use cloth_bodies::bodies::Setup;
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;

use cloth_sim::program::check::record::Record;
use cloth_sim::program::check::surfaces::folder::CheckedRun;
use cloth_sim::program::check::surfaces::frame;

/// Moves the cloths of `setup` to their places in a frame of the run in `folder`.
///
/// # Errors
/// A folder that is no run, a frame that the run does not have or that is not whole, an input mesh
/// that has changed since the run.
pub fn lay_as_in_frame(setup: &mut Setup, folder: &Path, frame: u64) -> Result<()> {
    let positions = positions(folder, frame)?;
    let mut rest = &positions[..];
    for cloth in &mut setup.cloths {
        let (own, others) = rest.split_at_checked(cloth.positions.len()).ok_or_else(|| {
            let cause = format!("frame {frame} has too few vertices for the cloths of scene.ron");
            Error::file(folder, cause, "repeat the run")
        })?;
        cloth.positions.copy_from_slice(own);
        rest = others;
    }
    Ok(())
}

/// Positions of frame `number` of the run in `folder`, m: cloths, then obstacles.
fn positions(folder: &Path, number: u64) -> Result<Vec<Vec3>> {
    let run = CheckedRun::open(Record::read(folder)?)?;
    let Record { meshes, frames, format, .. } = &run.record;
    if let Some((mesh, fault)) = meshes.first() {
        return Err(Error::file(folder.join(mesh), fault, "repeat the run"));
    }
    if !frames.contains(&number) {
        let (first, last) = (frames.start, frames.end.saturating_sub(1));
        let cause = format!("there is no frame {number}: the run has the frames {first} to {last}");
        return Err(Error::file(folder, cause, "choose one of them with --frame"));
    }
    let path = folder.join(format.file(number));
    frame::positions(&run, number).map_err(|fault| {
        Error::file(
            path,
            format!("frame {number}: {fault}"),
            "choose another frame, or repeat the run",
        )
    })
}
