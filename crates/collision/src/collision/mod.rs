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
pub mod margin;
pub mod narrow;
pub mod pair;
pub mod radii;
pub mod screen;
pub mod search;
pub mod surface;
pub mod sweep;
pub mod test;

pub use bvh::Hierarchy;
pub use flatness::rest_shape::with_culling;
pub use margin::stays_within;
pub use pair::{Pair, PairKind};
pub use radii::Radii;
pub use search::CandidateFinder;
pub use surface::{Moves, Surface, Surfaces};
pub use sweep::Sweep;
pub use test::{Test, TestCounters};
