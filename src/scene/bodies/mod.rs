//! Scenes of rigid bodies.
//!
//! | module | |
//! |---|---|
//! | [`spec`] | what the user writes |
//! | `check` | checks all its numbers and names |
//! | [`RigidSetup`] | the model that all ranks share |
//! | [`build`] | builds it from the scene |
//! | `geometry` | shapes, from files too |
//! | `resolve`, `read`, `csv_bytes` | materials and sizes; places from files |
//! | [`joints`] | what holds bodies together |
//! | [`workers`] | workers with overlapping sets, and the homes of bodies |
//! | [`division`] | subdomains for a number of ranks, and how they follow the work |

pub mod build;
mod check;
mod csv_bytes;
pub mod division;
mod geometry;
pub mod joints;
mod read;
mod resolve;
mod setup;
pub mod spec;
#[cfg(test)]
mod tests;
pub mod workers;

pub(in crate::scene) use self::check::check_turn;
pub use self::setup::{Group, Movement, RigidSetup};
