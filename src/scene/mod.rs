//! The scene: what the user writes in RON, and what the simulation is built from.
//!
//! [`load::load`] reads and checks a [`Scene`], [`build::build`] makes its [`Setup`].

mod bounds;
pub mod build;
mod check;
pub mod load;
pub mod materials;
mod objects;
mod rest;
pub mod spec;

pub use bounds::did_you_mean;
pub use build::build;
pub use load::load;
pub use spec::Scene;
