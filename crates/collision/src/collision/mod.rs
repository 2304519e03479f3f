//! Finds pairs that come near: surfaces, 18-DOP hierarchies, tests, candidates.
//!
//! Collision sees surfaces, not bodies: faces and positions at both ends of a step. It knows no
//! contact law.

pub mod bvh;
pub mod ccd;
pub mod dop;
pub mod elementary;
pub mod enclosure;
pub mod flatness;
pub mod intersect;
pub mod leaves;
pub mod narrow;
pub mod pair;
pub mod screen;
pub mod search;
pub mod surface;
pub mod sweep;
pub mod test;

pub use bvh::Hierarchy;
pub use flatness::rest_shape::with_culling;
pub use pair::{Pair, PairKind};
pub use search::CandidateFinder;
pub use surface::{Moves, Radii, Surface, Surfaces};
pub use sweep::{Sweep, stays_within};
pub use test::{Test, TestCounters};
