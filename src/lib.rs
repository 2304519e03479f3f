//! Parallel cloth simulation after Thomaszewski & Blochinger (2007).
//!
//! A guided tour, from the bottom up (imports go down only):
//!
//! - [`error`], [`ids`], [`math`], [`threads`]: what every layer uses;
//! - [`comm`]: ranks as processes (MPI) or threads behind one [`comm::World`];
//! - [`mesh`]: OBJ files, topology, generated shapes;
//! - [`scene`]: the RON scene, its validation and what it builds;
//! - [`partition`]: patches, ranks, the parallel numbering and ghost points;
//! - [`linalg`]: 3x3-block matrix, reproducible sums, conjugate gradients;
//! - [`cloth`]: membrane, bending, air, pins, assembly of the implicit step;
//! - [`collision`]: 18-DOP hierarchies, tests, continuous tests, response;
//! - [`sim`]: one rank's [`sim::Simulation`] and its step;
//! - [`output`], [`report`]: frames and the summary of a run.

pub mod cloth;
pub mod collision;
pub mod comm;
pub mod error;
pub mod ids;
pub mod linalg;
pub mod math;
pub mod mesh;
pub mod output;
pub mod partition;
pub mod profile;
pub mod report;
pub mod scene;
pub mod sim;
pub mod threads;
