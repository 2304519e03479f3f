//! Many rigid bodies by domain decomposition (Iglberger & Rüde 2009).
//!
//! Space is divided into subdomains. A body belongs to the subdomain that contains its centre of
//! mass; a rank advances the bodies of its own subdomains. Other ranks that the body reaches into
//! hold a shadow copy of it: the same bits. No rank holds all bodies. Bodies that are immovable or
//! follow keyframes are few; every rank has all of them.
//!
//! # A tour
//!
//! | module | |
//! |---|---|
//! | [`simulation`] | one rank's [`RigidSimulation`]; `simulation::step` lists what a step does |
//! | [`horizon`] | how far ahead contacts are found |
//! | [`domain`] | how space is divided: a grid or power cells, open or periodic borders |
//! | [`balance`] | power cells that follow the measured work |
//! | [`sync`] | own bodies and shadow copies, kept in step by next neighbours or shadow owners |
//! | [`body`], [`solid`], [`material`] | what a body is |
//! | [`table`] | many bodies in memory |
//! | [`motion`] | how it moves between contacts |
//! | [`fixed`] | bodies that do not give way |
//! | [`broad`], [`narrow`] | which bodies touch |
//! | [`constraint`] | what that asks of them; impulses that are kept |
//! | [`solver`] | velocities after contacts |
//! | [`state`] | all that outlives a step: saved, restored, hashed |
//! | [`overlap`] | the deepest overlap of two bodies |
//! | [`generate`] | bodies by their numbers |
//! | [`report`], [`totals`] | what a rank did in a step; energy and momentum of all bodies |
//!
//! # The same bits on any number of ranks
//!
//! A body is advanced by its owner alone. Copies hold the bits of their owner. A contact is a
//! function of its two bodies, and treated once: by the rank whose subdomain has its point. Sums
//! over the contacts of a body run in the order of (partner, feature). Sums over all bodies are
//! exact.

pub mod balance;
pub mod body;
pub mod broad;
pub mod constraint;
pub mod domain;
pub mod fixed;
pub mod generate;
pub mod horizon;
pub mod material;
pub mod motion;
pub mod narrow;
pub mod overlap;
pub mod record;
pub mod report;
pub mod simulation;
pub mod solid;
pub mod solver;
pub mod state;
pub mod sync;
pub mod table;
#[cfg(test)]
mod tests;
pub mod totals;

pub use report::{Phase, RigidReport};
pub use simulation::{RigidModel, RigidSettings, RigidSimulation};
pub use solver::Response;
pub use sync::Synchronisation;

pub use body::{Body, BodyId, BodyState, Load, MaterialId, Shape, SolidId, Twist};
