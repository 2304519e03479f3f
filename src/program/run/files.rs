//! Which files a run will write, known before it begins.

use cloth_sim::bodies::Documents;
use cloth_sim::error::Result;
use cloth_sim::scene::Scene;
use cloth_sim::scene::bodies::RigidSetup;

use crate::program::output::bodies::{named, obstacles};
use crate::program::output::formats::Format;
use crate::program::output::frames::fixed_file;
use crate::program::output::names;
use crate::program::output::run_files::RunFiles;

/// Adds the files that only runs of cloth have, except materials. The tables of the profile are
/// added at the end of the run.
pub fn add_of_cloth(files: &mut RunFiles, format: &dyn Format, documents: &Documents) {
    files.each_frame = vec![names::all_frames(format.name())];
    files.add([names::PARTITION]);
    files.add(fixed_file(documents, format));
}

/// Adds the files that only runs of rigid bodies have.
///
/// # Errors
/// A format that is not known, or that cannot have so many bodies.
pub fn add_of_bodies(files: &mut RunFiles, scene: &Scene, setup: &RigidSetup) -> Result<()> {
    let format = named(&scene.output.format, setup.moving_count() as usize)?;
    files.each_frame = vec![names::all_frames(format.name()), names::all_owners()];
    files.add(obstacles::files(setup.fixed.bodies(), &setup.solids, &setup.domain));
    Ok(())
}
