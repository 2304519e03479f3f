//! Verifies the frames of a run of rigid bodies.
//!
//! Are the numbers of a frame finite? Is each body there once, unless the run has recorded that it
//! left the domain? How deep do bodies overlap? The overlap is that of the library's broad and
//! narrow phase on one rank, from the poses in the file alone. How far are joints open? Are the
//! bits those that the run has recorded? Did energy rise without work?

mod energy;
pub mod folder;
mod frame;
mod joints;
mod judges;

pub use self::energy::{Energy, OfBody, Rise, Watch};
pub use self::folder::{BodyRun, Expected, Wrong};
pub use self::frame::{BodyCheck, BodyFacts, Found};
pub use self::joints::{JointCheck, Opening};

use cloth_core::error::Result;

use self::frame::Recorded;
use self::judges::{EnergyRises, Openings, Overlaps, Presence};
use crate::program::check::judge::walk;
use crate::program::check::{CheckSettings, Findings, Judges, Record};

/// Checks one frame after the other, because each may fill the memory. Calls `done` after each.
///
/// # Errors
/// The errors of [`super::check_run`].
pub fn check(record: Record, settings: &CheckSettings, done: impl Fn() + Sync) -> Result<Findings> {
    let run = BodyRun::open(record)?;
    let recorded = Recorded::read(&run.record.folder)?;
    let judges: Judges<_> = vec![
        Box::new(Presence::default()),
        Box::new(Overlaps { most: settings.max_overlap, deepest: None }),
        Box::new(Openings { most: settings.max_joint_gap, widest: None, lost: None }),
        Box::new(EnergyRises::default()),
    ];
    walk(&BodyCheck { run, recorded, threads: settings.threads }, judges, 1, done)
}
