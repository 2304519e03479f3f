//! Collision handling: surfaces, 18-DOP hierarchies, tests, contacts, response.
//!
//! Collision sees surfaces, not cloth: positions at both ends of a step, faces,
//! inverse masses and distances.

pub mod pair;

pub use pair::{Pair, PairKind};
