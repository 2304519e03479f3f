//! Verifies a finished run by its folder alone, whatever the format of its frames.
//!
//! Each frame is read back from its file, measured, and judged ([`judge`]). Is it there and whole?
//! Are its numbers finite? What else is asked depends on what it shows: [`surfaces`] or [`bodies`].

pub mod bodies;
mod findings;
mod judge;
pub mod record;
pub mod surfaces;

pub use self::findings::{Fault, Findings, Verdict};
pub use self::judge::{Judge, Judges, Measure, Measured};
pub use self::record::Record;

use std::path::Path;

use cloth_core::error::Result;

/// What a check may use and what it allows.
#[derive(Debug, Clone, Copy)]
pub struct CheckSettings {
    /// Number of threads.
    pub threads: usize,
    /// The largest strain of an edge of cloth, as a share of its rest length.
    pub max_strain: f64,
    /// The deepest overlap of rigid bodies, as a share of half of the smaller body's width.
    pub max_overlap: f64,
    /// How far a rigid joint may be open or tilted, as a share of the radius of the smaller body.
    pub max_joint_gap: f64,
}

/// Checks all frames of the run in `folder`. Calls `done` after each frame.
///
/// # Errors
/// A folder that is no run. A scene, obstacles or frames that cannot be read at all. Faults of
/// single frames are part of the findings.
pub fn check_run(
    folder: &Path,
    settings: &CheckSettings,
    done: impl Fn() + Sync,
) -> Result<Findings> {
    let record = Record::read(folder)?;
    match record.scene.is_divided() {
        false => surfaces::check(record, settings, done),
        true => bodies::check(record, settings, done),
    }
}
