//! Parallel cloth simulation after Thomaszewski & Blochinger (2007): the engine.
//!
//! The engine writes no file and reads no argument. The [`program`] (cargo feature `program`, on by
//! default) is built on it. With `default-features = false` a program of your own gets the engine
//! and few other crates.
//!
//! # A tour
//!
//! A [`Scene`] is what users write in RON. [`cloth_scene::build()`] makes bodies of it, [`Model`]
//! is what all ranks share, and each rank has a [`Simulation`]. Frames have the same bits for any
//! number of ranks and threads.
//!
#![doc = concat!("```\n", include_str!("../examples/tour.rs"), "```\n")]
//!
//! A simulation can also be kept in a struct, saved, and restored:
//!
#![doc = concat!("```\n", include_str!("../examples/embedded.rs"), "```\n")]
//!
//! A body of your own among cloth implements [`bodies::body::Body`]. This one moves and does not
//! turn:
//!
#![doc = concat!("```\n", include_str!("../examples/ball.rs"), "```\n")]
//!
//! Many rigid bodies have an engine of their own:
//!
#![doc = concat!("```\n", include_str!("../examples/bodies.rs"), "```\n")]
//!
//! # Crates
//!
//! A crate of the workspace imports only those below it. This crate is their face.
//!
//! | module | |
//! |---|---|
//! | [`engine`] | what computes a run, step by step: the trait of all engines |
//! | [`observe`], [`verify`] | what may be observed of a step; exact checks of surfaces |
//! | [`scene`] | RON, its checks, and the bodies that it describes |
//! | [`step`] | one rank's [`Simulation`] and its step |
//! | [`rigid`] | many rigid bodies by domain decomposition |
//! | [`workers`] | rigid bodies by workers with overlapping sets |
//! | [`bodies`] | cloth, prescribed bodies, and the trait of bodies of few nodes |
//! | [`partition`], [`mesh`], [`ranks`] | patches and owners; meshes; ranks and their messages |
//! | [`report`] | what a rank did in a step, as a table that every engine fills |
//! | [`error`], [`ids`], [`input`], [`math`] | what all crates use |

pub mod engine;
pub mod observe;
// Its comments become help texts, with <names> and [defaults].
#[allow(rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags)]
#[cfg(feature = "program")]
pub mod program;
pub mod verify;

pub use cloth_bodies::bodies;
pub use cloth_core::error::{Error, Result};
pub use cloth_core::ranks::World;
pub use cloth_core::{error, ids, input, math, mesh, partition, ranks, report};
pub use cloth_scene::{self as scene, Scene};
pub use cloth_step::{self as step, Model, Simulation, StepReport};
pub use {cloth_rigid as rigid, cloth_workers as workers};
