//! What ties bodies to each other, and what a step keeps of it for the next one.
//!
//! | module | |
//! |---|---|
//! | [`contact`] | where two bodies touch, with the settings of all contacts |
//! | [`kept`] | impulses that the next step begins with |
//!
//! How constraints change velocities is for `rigid::solver`.

pub mod contact;
pub mod kept;
