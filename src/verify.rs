//! Exact checks of surfaces, beside the simulation: intersections, and continuous collision tests.

pub use crate::collision::ccd::time_of_impact;
pub use crate::collision::intersect::{Intersection, intersections};
pub use crate::collision::{Moves, PairKind, Surface, Surfaces};
pub use crate::threads::Threads;
