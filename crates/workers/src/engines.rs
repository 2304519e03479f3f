//! The engines that a worker can have, and the joints that `Rapier` cannot have.

use serde::{Deserialize, Serialize};

use cloth_bodies::bodies::joints::kind::JointKind;
use cloth_core::{Error, Result};
use cloth_rigid::constraint::joint::JointSettings;

/// What advances the bodies of a worker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EngineKind {
    /// The solver of the domain run.
    #[default]
    Own,
    /// The engine of the crate `rapier3d`. It needs the feature `rapier`.
    Rapier,
}

/// Fails if `Rapier` cannot have a joint. `at` names it.
///
/// # Errors
/// The field that is in the way.
pub fn check_joint(settings: &JointSettings, at: &str) -> Result<()> {
    let [low, high] = settings.range;
    if settings.kind != JointKind::Distance || low == high {
        return Ok(());
    }
    let (field, cause) = if low > 0.0 {
        ("kind.min_m", "`Rapier` has no least distance")
    } else if settings.compliance > 0.0 {
        ("compliance_m_per_n", "`Rapier` has no ropes that give way")
    } else {
        return Ok(());
    };
    let remedy = "leave it out, or write `engines: [Own]`";
    Err(Error::input(format!("{at}.{field}"), cause, remedy))
}
