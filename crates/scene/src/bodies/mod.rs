//! Scenes of rigid bodies.
//!
//! | module | |
//! |---|---|
//! | [`spec`] | what the user writes |
//! | `among_cloth` | bodies in a scene of cloth |
//! | `check` | checks all its numbers and names |
//! | [`RigidSetup`] | the model that all ranks share |
//! | [`build`] | builds it from the scene |
//! | `resolve`, `read`, `csv_bytes` | shapes, materials and sizes; places from files |
//! | [`joints`] | what holds bodies together |
//! | [`workers`] | workers with overlapping sets, and the homes of bodies |
//! | [`division`] | subdomains for a number of ranks, and how they follow the work |

pub(crate) mod among_cloth;
pub mod build;
mod check;
pub(super) mod csv_bytes;
pub mod division;
pub mod joints;
mod read;
mod resolve;
mod setup;
pub mod spec;
#[cfg(test)]
mod tests;
pub mod workers;

pub(crate) use self::check::{base_name, check_turn};
pub(crate) use self::resolve::materials;
pub use self::setup::{Group, Movement, RigidSetup};
