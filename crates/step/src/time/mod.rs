//! Time: its ticks, its scheme, and the sizes of steps.

pub mod clock;
pub mod scheme;
pub mod sizes;
