//! What makes the next attempt succeed where one failed: a smaller step, bodies that wait or retreat,
//! skin that gives way; or the error that says why none is left.

pub(crate) mod failed;
pub(crate) mod pinch;
pub(crate) mod release;
mod retreat;
pub(crate) mod step_error;
