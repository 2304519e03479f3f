//! Constraints between bodies, and the impulses that a step keeps for the next one.
//!
//! | module | |
//! |---|---|
//! | [`pair`] | the two bodies of a constraint |
//! | [`contact`] | where two bodies touch, with the settings of all contacts |
//! | [`joint`] | what holds two bodies together |
//! | [`kept`] | impulses with which the next step starts |
//!
//! `rigid::solver` decides how constraints change velocities.

pub mod contact;
pub mod joint;
pub mod kept;
pub mod pair;
