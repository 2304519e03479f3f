//! Collision handling: surfaces, 18-DOP hierarchies, tests, contacts, response.
//!
//! Collision sees surfaces, not cloth: positions at both ends of a step, faces,
//! inverse masses and distances.

pub mod bvh;
pub mod detector;
pub mod dop;
pub mod pair;
pub mod surface;
pub mod task;

pub use bvh::Hierarchy;
pub use detector::{Detector, root_tests};
pub use pair::{Pair, PairKind};
pub use surface::{Surface, Surfaces};
pub use task::{Test, TestCounters};
