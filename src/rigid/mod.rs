//! Many rigid bodies by domain decomposition (Iglberger & Rüde 2009).
//!
//! Space is divided into subdomains. A body belongs to the subdomain that contains its centre of
//! mass; a rank advances the bodies of its own subdomains. Other ranks that the body reaches into
//! hold a shadow copy of it: the same bits. No rank holds all bodies. Bodies that are immovable or
//! follow keyframes are few; every rank has all of them.
//!
//! # A tour
//!
#![doc = concat!("```\n", include_str!("../../examples/bodies.rs"), "```\n")]
//!
//! | module | |
//! |---|---|
//! | [`simulation`] | one rank's [`RigidSimulation`], its model and its settings |
//! | [`body`], [`shape`], [`solid`], [`material`] | what a body is |
//! | [`fixed`] | bodies that do not give way |
//! | [`domain`] | how space is divided: a grid or power cells, open or periodic borders |
//! | [`balance`] | power cells that follow the measured work |
//! | [`constraint`] | contacts, and their settings |
//! | [`report`], [`totals`], [`overlap`] | what a rank did in a step; energy, momentum; deepest overlap |
//!
//! The others are an implementation, and private without the feature `internals`:
//!
//! | module | |
//! |---|---|
//! | `state`, `record` | all that outlives a step: saved, restored, hashed; bodies as plain words |
//! | `sync` | own bodies and shadow copies, kept in step by next neighbours or shadow owners |
//! | `table` | many bodies in memory |
//! | `motion` | how a body moves between contacts |
//! | `broad`, `narrow`, `horizon` | which bodies touch, and how far ahead that is found |
//! | `solver` | velocities after contacts |
//! | `generate` | bodies by their numbers |
//!
//! # The same bits on any number of ranks
//!
//! A body is advanced by its owner alone. Copies hold the bits of their owner. A contact is a
//! function of its two bodies, and treated once: by the rank whose subdomain has its point. Sums
//! over the contacts of a body run in the order of (partner, feature). Sums over all bodies are
//! exact.

pub mod balance;
pub mod body;
pub mod constraint;
pub mod domain;
pub mod fixed;
pub mod material;
pub mod overlap;
pub mod report;
pub mod shape;
pub mod simulation;
pub mod solid;
pub mod totals;

#[cfg(not(feature = "internals"))]
pub(crate) mod broad;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod broad;
#[cfg(not(feature = "internals"))]
pub(crate) mod generate;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod generate;
#[cfg(not(feature = "internals"))]
pub(crate) mod horizon;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod horizon;
mod mass;
#[cfg(not(feature = "internals"))]
pub(crate) mod motion;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod motion;
#[cfg(not(feature = "internals"))]
pub(crate) mod narrow;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod narrow;
#[cfg(not(feature = "internals"))]
pub(crate) mod record;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod record;
#[cfg(not(feature = "internals"))]
pub(crate) mod solver;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod solver;
#[cfg(not(feature = "internals"))]
pub(crate) mod state;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod state;
#[cfg(not(feature = "internals"))]
pub(crate) mod sync;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod sync;
#[cfg(not(feature = "internals"))]
pub(crate) mod table;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod table;
#[cfg(test)]
mod tests;

pub use body::{Body, BodyId, BodyState, Load, MaterialId, Twist};
pub use report::{Phase, RigidReport};
pub use shape::{Shape, SolidId};
pub use simulation::{RigidModel, RigidSettings, RigidSimulation};
pub use solver::Response;
pub use sync::checks::Census;
pub use sync::{Link, Population, Synchronisation, Traffic};
pub use table::BodyList;
