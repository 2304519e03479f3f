//! Collision handling: surfaces, 18-DOP hierarchies, tests, contacts, response.
//!
//! Collision sees surfaces, not cloth: positions at both ends of a step, faces,
//! inverse masses and distances.

pub mod bvh;
pub mod ccd;
pub mod contact;
pub mod culling;
pub mod detector;
pub mod dop;
pub mod failsafe;
pub mod intersect;
pub mod margin;
pub mod narrow;
pub mod pair;
pub mod parallel;
pub mod response;
pub mod screen;
pub mod surface;
pub mod task;

pub use bvh::Hierarchy;
pub use contact::{
    Contact, ContactDistance, ContactKind, Friction, find_contacts, keep_local_minima,
};
pub use detector::Detector;
pub use margin::stays_within;
pub use pair::{Pair, PairKind};
pub use parallel::{Origin, ProcessorUse, Processors, SearchSpan, TaskSpan, Theft};
pub use response::{VertexResponse, impulses, max_project, repulsions};
pub use surface::{Surface, Surfaces};
pub use task::{Sweep, Test, TestCounters};
