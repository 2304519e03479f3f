//! Scenes of rigid bodies.
//!
//! | module | |
//! |---|---|
//! | [`spec`] | what the user writes |
//! | `check` | every number and name of it |
//! | [`build`] | the model that all ranks share, and the bodies of each rank |
//! | `resolve`, `read` | materials and sizes; places from files |
//! | [`division`] | subdomains for a number of ranks, and how they follow the work |

pub mod build;
mod check;
pub mod division;
mod read;
mod resolve;
pub mod spec;
#[cfg(test)]
mod tests;

pub use self::build::{Group, Movement, RigidSetup};
