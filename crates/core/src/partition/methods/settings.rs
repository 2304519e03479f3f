//! The settings of a scene for the division of patches among ranks.

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::partition::methods::{Hilbert, Metis, MetisKind, Partitioner, Power, PowerSettings};

/// A method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// METIS, all parts at once.
    #[default]
    Metis,
    /// METIS, by bisection.
    MetisRecursive,
    /// Pieces of a Hilbert curve.
    Hilbert,
    /// Cells of a power diagram.
    Power,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 4] = [Self::Metis, Self::MetisRecursive, Self::Hilbert, Self::Power];

    /// Its name, as in a scene.
    pub fn name(self) -> &'static str {
        match self {
            Self::Metis => "Metis",
            Self::MetisRecursive => "MetisRecursive",
            Self::Hilbert => "Hilbert",
            Self::Power => "Power",
        }
    }
}

/// Whether patches change their ranks during a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Repartition {
    /// They stay.
    #[default]
    Never,
    /// After a frame, when the time that was lost to uneven work pays for the move.
    Auto,
    /// After every frame, and all of them: for tests.
    Always,
}

/// How patches are divided among ranks. Results of a simulation do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PartitionSettings {
    /// The method.
    pub method: Method,
    /// Whether patches change their ranks during a run.
    pub repartition: Repartition,
}

impl Default for PartitionSettings {
    fn default() -> Self {
        Self { method: Method::Metis, repartition: Repartition::Never }
    }
}

impl PartitionSettings {
    /// The method, on one thread.
    ///
    /// # Errors
    /// Those of [`Power::new`].
    pub fn build(&self) -> Result<Box<dyn Partitioner>> {
        Ok(match self.method {
            Method::Metis => Box::new(Metis { kind: MetisKind::KWay }),
            Method::MetisRecursive => Box::new(Metis { kind: MetisKind::Recursive }),
            Method::Hilbert => Box::new(Hilbert),
            Method::Power => Box::new(Power::new(PowerSettings::default())?),
        })
    }
}
