//! Collision detection, shared among processors (Thomaszewski & Blochinger 2007).
//!
//! [`collision`] has the 18-DOP hierarchies and the tests of pairs. [`stealing`] shares tests of any
//! kind: sub-tasks are split from the bottom of the test stack and stolen by idle processors.
//! Neither of the two knows the other; [`candidates`] brings them together.

pub mod candidates;
pub mod collision;
pub mod stealing;
