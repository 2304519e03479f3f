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
    /// What has risen without work lately, beyond the share of a second that is allowed, J. It is
    /// saved only if it is not zero.
    #[serde(skip)]
    pub risen_j: f64,
}
