//! Parallel cloth simulation after Thomaszewski & Blochinger (2007): the engine.
//!
//! The engine writes no file and reads no argument. The program `cloth-sim` (cargo features
//! `program`, `lab` and `png`, on by default) is built on it. With `default-features = false` a program of your own
//! gets the engine and few other crates.
//!
//! # A tour
//!
//! A [`Scene`] is what users write in RON. [`scene::build()`] makes bodies of it, [`Model`] is
//! what all ranks share, and each rank has a [`Simulation`]. Frames have the same bits for any
//! number of ranks and threads.
//!
#![doc = concat!("```\n", include_str!("../examples/tour.rs"), "```\n")]
//!
//! A simulation can also be kept in a struct, saved, and restored:
//!
#![doc = concat!("```\n", include_str!("../examples/embedded.rs"), "```\n")]
//!
//! # Rooms
//!
//! Imports go down only. `contact`, `stealing`, `collision`, `linear` and `threads` are an
//! implementation. They are private, unless the feature `internals` opens them to the tests, the
//! benches and the machine model of this package.
//!
//! | room | |
//! |---|---|
//! | [`engine`] | what computes a run, step by step: the trait of all engines |
//! | [`observe`], [`verify`] | what may be observed of a step; exact checks of surfaces |
//! | [`scene`] | RON, its checks, and the bodies that it describes |
//! | [`step`] | one rank's [`Simulation`] and its step |
//! | [`rigid`] | many rigid bodies by domain decomposition, with a tour of its own |
//! | [`workers`] | rigid bodies by workers with overlapping sets |
//! | [`bodies`] | cloth, prescribed bodies, and the trait of bodies of few nodes |
//! | `contact` | active contacts and their law, impulses, fail-safe |
//! | `stealing`, `collision` | sharing of any tests; pairs that come near |
//! | `linear` | block matrix, preconditioners, conjugate gradients |
//! | [`partition`], [`mesh`], [`ranks`] | patches and owners; meshes; ranks and their messages |
//! | [`report`] | what a rank did in a step, as a table that every engine fills |
//! | [`error`], [`ids`], [`input`], [`math`] | what all rooms use |

// Without the feature `internals`, what only tests and the machine model use has no user.
#![cfg_attr(not(feature = "internals"), allow(dead_code, unused_imports))]

pub mod bodies;
mod bounds;
mod choice;
pub mod engine;
pub mod error;
pub mod ids;
pub mod input;
pub mod math;
pub mod mesh;
pub mod observe;
pub mod partition;
pub mod ranks;
pub mod report;
pub mod rigid;
pub mod scene;
pub mod step;
pub mod verify;
pub mod workers;

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
