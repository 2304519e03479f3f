//! Many rigid bodies by domain decomposition (Iglberger & Rüde 2009).
//!
//! Space is divided into subdomains. A body belongs to the subdomain that contains its centre of
//! mass; a rank advances the bodies of its own subdomains. Other ranks that the body reaches into
//! hold a shadow copy of it: the same bits. No rank holds all bodies. Bodies that are immovable or
//! follow keyframes are few; every rank has all of them.

pub mod body;
pub mod broad;
pub mod contact;
pub mod domain;
pub mod fixed;
pub mod generate;
pub mod material;
pub mod motion;
pub mod narrow;
pub mod response;
pub mod simulation;
pub mod solid;
pub mod step;
pub mod sync;
#[cfg(test)]
mod tests;
pub mod totals;

pub use simulation::{Response, RigidModel, RigidSettings, RigidSimulation};
pub use step::RigidReport;

pub use body::{Body, BodyId, MaterialId, Shape, SolidId, State, Twist};
