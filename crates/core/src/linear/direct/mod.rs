//! Elimination of a sparse symmetric matrix of blocks of six rows: one block a rigid body or joint.
//!
//! | module | |
//! |---|---|
//! | [`order`] | in which order blocks are eliminated, and which blocks of the factor arise |
//! | [`factor`] | numbers |

pub mod factor;
pub mod order;
