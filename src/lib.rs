//! Parallel cloth simulation after Thomaszewski & Blochinger (2007): the engine.
//!
//! The engine writes no file and reads no argument. The program `cloth-sim` (cargo feature
//! `program`, on by default) is built on it. With `default-features = false` a program of your own
//! gets the engine and few other crates.
//!
//! # A tour
//!
//! A [`Scene`] is what users write in RON. [`scene::build()`] makes bodies of it, [`Model`] is what
//! all ranks share, and each rank has a [`Simulation`]. Frames are the same bits for any number of
//! ranks and threads.
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//!
//! use cloth_sim::math::Vec3;
//! use cloth_sim::ranks::in_process;
//! use cloth_sim::{Model, Simulation, scene};
//!
//! # fn main() -> cloth_sim::Result<()> {
//! // 1. A scene: from a file with scene::load, or from text.
//! let text = r#"(
//!     cloths: [(
//!         shape: Sheet(width_m: 0.2, length_m: 0.2, columns: 8, rows: 8),
//!         material: Fabric("cotton"),
//!         pins: [(select: Box(min_m: (-1, -1, -0.11), max_m: (1, 1, -0.09)))],
//!     )],
//!     obstacles: [(shape: Sphere(radius_m: 0.03), transform: (translation_m: (0, -0.05, 0.05)))],
//! )"#;
//! let here = Path::new("tour.ron"); // names the scene; meshes are sought beside it
//! let scene = scene::complete(scene::parse(text, "tour.ron")?, here)?;
//!
//! // 2. Bodies, and what all ranks know alike.
//! let bodies = scene::build(&scene, Path::new("."))?;
//! let model = Arc::new(Model::new(scene.settings(), bodies, |partition| partition(2))?);
//!
//! // 3. Two ranks as threads of this process; under MPI a rank is a process.
//! let lowest = in_process::run(2, |world| {
//!     let mut simulation = Simulation::new(model.clone(), world, 1)?;
//!     let mut lowest = f64::INFINITY;
//!     // 4. Steps, with a hook after each: here it watches the cloth and lifts its held edge.
//!     simulation.run(50, |simulation, report| {
//!         let heights = simulation.positions().iter().map(|x| x.y);
//!         lowest = heights.fold(lowest, f64::min);
//!         assert!(report.get(cloth_sim::step::Counter::Solves) > 0);
//!         let lifted: Vec<Vec3> =
//!             simulation.handle(0).iter().map(|x| x + Vec3::y() * 1e-4).collect();
//!         simulation.set_handle(0, &lifted)
//!     })?;
//!     assert!((simulation.handle(0)[0].y - 50.0 * 1e-4).abs() < 1e-12);
//!     Ok(lowest)
//! })?;
//! assert!(lowest[0] < -1e-3 && lowest[0] == lowest[1]);
//! # Ok(())
//! # }
//! ```
//!
//! # Rooms
//!
//! Imports go down only. `contact`, `stealing`, `collision`, `linear` and `threads` are an
//! implementation. They are private, unless the feature `internals` opens them to the tests, the
//! benches and the machine model of this package.
//!
//! | room | |
//! |---|---|
//! | [`observe`], [`verify`] | what may be observed of a step; exact checks of surfaces |
//! | [`scene`] | RON, its checks, and the bodies that it describes |
//! | [`step`] | one rank's [`Simulation`] and its step |
//! | [`bodies`] | cloth, prescribed bodies, and the trait of bodies of few nodes |
//! | `contact` | active contacts and their law, impulses, fail-safe |
//! | `stealing`, `collision` | sharing of any tests; pairs that come near |
//! | `linear` | block matrix, preconditioners, conjugate gradients |
//! | [`partition`], [`mesh`], [`ranks`] | patches and owners; meshes; ranks and their messages |
//! | [`error`], [`ids`], [`input`], [`math`] | what all rooms use |

// Without the feature `internals`, what only tests and the machine model use has no user.
#![cfg_attr(not(feature = "internals"), allow(dead_code, unused_imports))]

pub mod bodies;
mod bounds;
mod choice;
pub mod error;
pub mod ids;
pub mod input;
pub mod math;
pub mod mesh;
pub mod observe;
pub mod partition;
pub mod ranks;
pub mod rigid;
pub mod scene;
pub mod step;
pub mod verify;

#[cfg(not(feature = "internals"))]
mod collision;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod collision;
#[cfg(not(feature = "internals"))]
mod contact;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod contact;
#[cfg(not(feature = "internals"))]
mod linear;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod linear;
#[cfg(not(feature = "internals"))]
mod stealing;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod stealing;
#[cfg(not(feature = "internals"))]
mod threads;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod threads;

pub use error::{Error, Result};
pub use ranks::World;
pub use scene::Scene;
pub use step::{Model, Simulation, StepReport};
