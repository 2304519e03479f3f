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
//! needs no pivots ([`crate::linear::direct`]). Bodies and joints are its blocks of six rows. A chain or a tree costs as much
//! as it has links (Baraff 1996).
//!
//! Bodies come before their joints. What is left then, `J M^-1 J^T + C`, is positive definite, and
//! elimination keeps its digits (as not in any order: Gill, Saunders & Shinnerl 1996, *On the
//! stability of Cholesky factorization for symmetric quasidefinite systems*). The order alone of
//! the fewest neighbours was tried: a grid of boxes that are fixed to each other flew apart.
//!
//! **Workers.** A worker eliminates its bodies and the joints between them. What is left is a small
//! system of the joints between bodies of two homes. All ranks solve it alike. Then each worker
//! finds its impulses. This is exact for any number of workers. (Bodies between workers instead of
//! joints were tried: with their velocities given, a body that two rigid joints hold to them has no
//! freedom left, and elimination loses all digits.)
//!
//! | module | |
//! |---|---|
//! | [`plan`] | who eliminates what |
//! | [`between`] | the system between workers |

pub mod between;
pub mod plan;
