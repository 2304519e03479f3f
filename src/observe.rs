//! What may be observed of a step: who executed which tests, and when.
//!
//! Give [`Simulation::step_observed`](crate::Simulation::step_observed) a [`SearchObserver`].

pub use crate::contact::candidates::{SearchObserver, SearchOver};
pub use crate::stealing::trace::{Origin, SearchSpan, TaskSpan};
pub use crate::stealing::usage::{ProcessorUse, Theft, note_theft};
pub use crate::threads::clock::thread_time;
