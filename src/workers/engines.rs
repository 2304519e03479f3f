//! Which worker has which engine, and what `Rapier` cannot have.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::rigid::constraint::joint::JointSettings;
use crate::rigid::constraint::joint::kind::JointKind;
use crate::workers::settings::{Coupling, WorkerSettings};

/// What advances the bodies of a worker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EngineKind {
    /// The solver of the domain run.
    #[default]
    Own,
    /// The engine of the crate `rapier3d`. It needs the feature `rapier`.
    Rapier,
}

impl WorkerSettings {
    /// The engine of a worker.
    pub fn engine_of(&self, worker: usize) -> EngineKind {
        let given = self.engines.get(worker).or(self.engines.first());
        given.copied().unwrap_or_default()
    }

    /// True if some worker has the engine `Rapier`.
    pub fn has_rapier(&self) -> bool {
        self.engines.contains(&EngineKind::Rapier)
    }

    /// Fails if the engines do not fit to the workers or to this program. `at` names the settings.
    pub(super) fn check_engines(&self, at: &str) -> Result<()> {
        let given = self.engines.len();
        let fails =
            |cause: &str, remedy: &str| Err(Error::input(format!("{at}.engines"), cause, remedy));
        if given > 1 && given != self.count as usize {
            let cause = format!("{given} engines for {} workers", self.count);
            return fails(&cause, "write one for each worker, or one for all");
        }
        if self.has_rapier() && self.coupling == Coupling::Impulses {
            let cause = "`Rapier` gives states alone, and no impulses to agree on";
            return fails(cause, "use `coupling: States`, or `engines: [Own]`");
        }
        if self.has_rapier() && !cfg!(feature = "rapier") {
            let cause = "this program is built without the feature `rapier`";
            let remedy = "build it with `cargo build --release --features rapier`, or write \
                          `engines: [Own]`";
            return fails(cause, remedy);
        }
        Ok(())
    }
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
