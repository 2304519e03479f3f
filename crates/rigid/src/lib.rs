//! Many rigid bodies by domain decomposition (Iglberger & Rüde 2009).
//!
//! Space is divided into subdomains. A body belongs to the subdomain that contains its centre of
//! mass. A rank owns and advances the bodies of its own subdomains. Every other rank whose
//! subdomains a body reaches into holds a shadow copy with the same bits. No rank needs all bodies.
//! Fixed bodies, which are immovable or follow keyframes, are few, and every rank has all of them.
//!
//! | module | |
//! |---|---|
//! | [`simulation`] | one rank's [`RigidSimulation`], its model and its settings |
//! | [`body`], [`shape`], [`solid`], [`material`] | a body: state, geometry, material |
//! | [`fixed`] | fixed bodies: immovable, or moved by keyframes |
//! | [`domain`] | how space is divided: a grid or power cells, open or periodic borders |
//! | [`balance`] | power cells that follow the measured work |
//! | [`constraint`] | contacts and joints, and their settings |
//! | [`report`], [`totals`] | what a rank did in a step; energy, momentum |
//!
//! The other modules are the implementation. They are private without the feature `internals`:
//!
//! | module | |
//! |---|---|
//! | `state`, `record` | the state between steps: saved, restored, hashed; bodies as plain words |
//! | `sync` | shadow copies, kept equal to own bodies by next neighbours or shadow owners |
//! | `table` | many bodies in memory |
//! | `motion` | how a body moves between contacts |
//! | `broad`, `narrow`, `horizon` | which bodies touch, and how far ahead contacts are found |
//! | `solver` | velocities after contacts |
//! | `generate` | generates each body from its number |
//!
//! # The same bits on any number of ranks
//!
//! Only the owner advances a body, and shadow copies hold the owner's bits. A contact is a function
//! of its two bodies. One rank treats it: the rank whose subdomain contains the contact point. Sums
//! over the contacts of a body run in the order of (partner, feature). Sums over all bodies are
//! exact.

pub mod balance;
pub mod body;
pub mod constraint;
pub mod domain;
pub mod fixed;
pub mod material;
pub mod report;
pub mod shape;
pub mod simulation;
pub mod solid;
pub mod surfaces;
pub mod totals;

pub mod broad;
pub mod generate;
pub mod horizon;
pub mod motion;
pub mod narrow;
pub mod record;
pub mod solver;
pub mod state;
pub mod sync;
pub mod table;
#[cfg(test)]
mod tests;

pub use body::{Body, BodyId, BodyState, Load, MaterialId, Placed, Twist};
pub use fixed::{FixedBodies, FixedBody, FixedShape};
pub use material::{Materials, Surface};
pub use motion::Mobility;
pub use record::FrameBody;
pub use report::{Phase, RigidReport};
pub use shape::{Shape, SolidId};
pub use simulation::{RigidModel, RigidSettings, RigidSimulation};
pub use solid::{Solid, Solids};
pub use solver::Response;
pub use sync::checks::Census;
pub use sync::{Link, Population, Synchronisation, Traffic};
pub use table::BodyList;
