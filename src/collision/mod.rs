//! Collision handling: surfaces, 18-DOP hierarchies, tests, contacts, response.
//!
//! Collision sees surfaces, not cloth: positions at both ends of a step, faces,
//! inverse masses and distances.

pub mod ccd;
pub mod contact;
pub mod margin;
pub mod narrow;
pub mod pair;
pub mod response;

pub use pair::{Pair, PairKind};
