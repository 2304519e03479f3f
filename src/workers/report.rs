//! What a worker did in a step.

use bytemuck::{Pod, Zeroable};

/// What a worker did in a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct WorkerReport {
    /// Its number.
    pub worker: u64,
    /// Bodies whose home it is.
    pub home: u64,
    /// Active bodies.
    pub active: u64,
    /// Active bodies that other workers have too.
    pub shared: u64,
    /// Contacts of active bodies with each other and with fixed bodies.
    pub contacts: u64,
    /// Joints of active bodies.
    pub joints: u64,
    /// Constraints of its bodies: one between two bodies counts twice.
    pub constraints: u64,
    /// Sweeps over its constraints.
    pub sweeps: u64,
    /// Time, s.
    pub seconds: f64,
}
