//! The joints of a step, solved at once.
//!
//! The unknowns are the changes `v` of the velocities of bodies and the impulses `l` of the locked
//! motions of joints. With `J`, which gives the motions of a joint from velocities, and the
//! softness `C`:
//!
//! ```text
//! M v - J^T l = 0
//! J v + C l = -g
//! ```
//!
//! The matrix `(M, -J^T; -J, -C)` is symmetric and quasi-definite (Vanderbei 1995), so elimination
//! needs no pivots. Bodies and joints are its blocks of six rows. A chain or a tree costs as much
//! as it has links (Baraff 1996).
//!
//! **Workers.** A worker eliminates its own joints and the bodies that no other worker's joints
//! touch. What is left is a small system of the bodies *between* workers. All ranks solve it alike.
//! Then each worker finds its impulses. This is exact for any number of workers.
//!
//! | module | |
//! |---|---|
//! | [`order`] | in which order blocks are eliminated, and which blocks of the factor arise |
//! | [`factor`] | numbers |

pub mod factor;
pub mod order;
