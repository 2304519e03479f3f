//! The energy of cloths and bodies at one time.

use serde::{Deserialize, Serialize};

/// The energy of cloths and bodies. Part of the state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// Kinetic, elastic and gravitational energy, J.
    pub total_j: f64,
    /// The same without the energy of the weight, J.
    pub internal_j: f64,
    /// What earlier steps have lost and this scheme may give back, J.
    pub late_j: f64,
}
