//! Verifies the surfaces of frames: cloths, rigid bodies and obstacles.
//!
//! Does an edge meet a face, as a viewer draws them? (Cloth that passes an obstacle in a pinch, as
//! the run has recorded it, is counted apart.) How far are edges from their rest lengths? Did
//! energy rise without work, in a step or in sum? How far did joints open?

mod drawn;
pub mod folder;
pub mod frame;
mod judges;
mod pieces;
mod recorded;

pub use self::drawn::{Folded, Quad};
pub use self::folder::CheckedRun;
pub use self::frame::{SeamState, SurfaceCheck, SurfaceFacts};
pub use self::pieces::PieceMesh;
pub use self::recorded::AtStep;

use cloth_core::error::Result;

use self::judges::{Crossings, EnergyOfSteps, Folds, JointsOfSteps, Lengths, Seams};
use self::recorded::Recorded;
use crate::program::check::judge::walk;
use crate::program::check::{CheckSettings, Findings, Judges, Record};

/// Checks as many frames at a time as there are threads. Calls `done` after each frame.
///
/// # Errors
/// The errors of [`super::check_run`].
pub fn check(record: Record, settings: &CheckSettings, done: impl Fn() + Sync) -> Result<Findings> {
    let run = CheckedRun::open(record)?;
    let recorded = Recorded::read(&run)?;
    let judges: Judges<_> = vec![
        Box::new(Crossings::default()),
        Box::new(Lengths { most: settings.max_strain }),
        Box::new(Folds::default()),
        Box::new(EnergyOfSteps),
        Box::new(JointsOfSteps { most: settings.max_joint_gap }),
        Box::new(Seams::default()),
    ];
    walk(&SurfaceCheck { run, recorded }, judges, settings.threads, done)
}
