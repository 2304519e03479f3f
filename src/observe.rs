//! What may be observed of a step: who executed which tests, and when.
//!
//! Give [`Simulation::step_observed`](crate::Simulation::step_observed) a [`SearchObserver`].

pub use cloth_collision::candidates::{SearchObserver, SearchOver};
pub use cloth_collision::stealing::usage::{Origin, SearchSpan, TaskSpan};
pub use cloth_collision::stealing::usage::{ProcessorUse, Theft, note_theft};
pub use cloth_core::threads::clock::thread_time;
