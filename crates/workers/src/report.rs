//! What a worker did in a step.

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

use cloth_rigid::BodyId;

/// What a worker says about a body that it has active.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// The body.
    pub id: BodyId,
    /// The worker.
    pub worker: u32,
    /// Its weight. Those of a body add up to 1.
    pub weight: f64,
}

/// What a worker did in a step. `steps.jsonl` has it by these names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable, Serialize, Deserialize)]
#[serde(default)]
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
    /// Sweeps over its constraints, or rounds of all workers.
    pub sweeps: u64,
    /// Time, s.
    pub seconds: f64,
}
