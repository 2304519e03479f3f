//! Parallel cloth simulation after Thomaszewski & Blochinger (2007).

pub mod bodies;
mod bounds;
mod choice;
pub mod collision;
pub mod contact;
pub mod error;
pub mod ids;
pub mod linear;
pub mod math;
pub mod mesh;
pub mod partition;
pub mod ranks;
pub mod scene;
pub mod stealing;
pub mod step;
pub mod threads;
