//! Exact checks of surfaces, beside the simulation: intersections, and continuous collision tests.

pub use cloth_collision::collision::ccd::time_of_impact;
pub use cloth_collision::collision::intersect::{Intersection, intersections};
pub use cloth_collision::collision::{Moves, PairKind, Surface, Surfaces};
pub use cloth_core::threads::Threads;
