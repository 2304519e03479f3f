//! What one rank did in a step.

use crate::rigid::sync::Traffic;

/// The parts of a step, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Phase {
    /// Forces on shadow copies go to their owners (communication 1).
    Forces,
    /// Half steps of positions, and velocities by forces.
    Motion,
    /// Owners and shadow copies (communications 2 and 4).
    Synchronisation,
    /// Broad and narrow phase.
    Contacts,
    /// Velocities by contacts (communication 3).
    Response,
}

/// Number of phases.
pub const PHASES: usize = 5;

impl Phase {
    /// All phases, in their order.
    pub const ALL: [Self; PHASES] =
        [Self::Forces, Self::Motion, Self::Synchronisation, Self::Contacts, Self::Response];

    /// Its name in files and pictures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forces => "forces",
            Self::Motion => "motion",
            Self::Synchronisation => "synchronisation",
            Self::Contacts => "contacts",
            Self::Response => "response",
        }
    }
}

/// What one rank did in a step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RigidReport {
    /// Time in each phase, s.
    pub seconds: [f64; PHASES],
    /// The part of `seconds` in which this rank waited for messages, s.
    pub waited_s: [f64; PHASES],
    /// Own bodies after the step.
    pub bodies: u64,
    /// Shadow copies after the step.
    pub copies: u64,
    /// Contacts that this rank treated. The sum over ranks does not depend on their number.
    pub contacts: u64,
    /// Constraints on own bodies. The sum over ranks does not depend on their number.
    pub constraints: u64,
    /// Own bodies that stopped because their constraints contradict each other. The sum over ranks
    /// does not depend on their number.
    pub stopped: u64,
    /// What was communicated.
    pub traffic: Traffic,
}

impl RigidReport {
    /// Time in which this rank worked, s: all but waiting for messages.
    pub fn work_s(&self) -> f64 {
        self.seconds.iter().sum::<f64>() - self.waited_s.iter().sum::<f64>()
    }
}
