//! Constraints between bodies, and what a step keeps of them for the next step.
//!
//! | module | |
//! |---|---|
//! | [`contact`] | where two bodies touch, with the settings of all contacts |
//! | [`kept`] | impulses that the next step begins with |
//!
//! `rigid::solver` decides how constraints change velocities.

pub mod contact;
pub mod kept;
