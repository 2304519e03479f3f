//! From candidates to motion without collisions: contacts and their springs before the solve, impulses
//! and the fail-safe after it.

pub(crate) mod active;
pub(crate) mod clearance;
pub(crate) mod dynamics;
pub(crate) mod impulses;
mod layers;
pub(crate) mod search;
mod sharing;
pub(crate) mod squeeze;
mod stacks;
