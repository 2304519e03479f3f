//! What all other crates of cloth-sim use.
//!
//! | module | |
//! |---|---|
//! | [`error`], [`ids`], [`math`], [`bounds`], [`choice`], [`input`] | errors, numbers, limits of settings |
//! | [`threads`] | teams of threads and their shares of work |
//! | [`ranks`] | ranks and their messages, sums with the same bits for any number of ranks |
//! | [`mesh`] | triangle meshes: reading, shapes, topology |
//! | [`partition`] | patches and their owners, by several methods |
//! | [`linear`] | the distributed block matrix, preconditioners, conjugate gradients |
//! | [`report`] | what a rank did in a step, as a table that every engine fills |

pub mod bounds;
pub mod choice;
pub mod error;
pub mod ids;
pub mod input;
pub mod linear;
pub mod math;
pub mod mesh;
pub mod partition;
pub mod ranks;
pub mod report;
pub mod settings;
pub mod threads;

pub use error::{Error, Place, Result};
pub use ids::{FaceId, NONE, NodeId, PatchId, VertexId};
pub use math::{Mat2, Mat3, Mat3x2, Vec2, Vec3, mix};
pub use ranks::{ExactSums, World, message};
pub use threads::{Blocks, ByPatch, EachPatch, Threads};
