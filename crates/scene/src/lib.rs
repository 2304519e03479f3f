//! Scenes: what the user writes in RON, and how the bodies are built from it.
//!
//! [`load::load`] reads and checks a [`Scene`]. [`build::build`] makes its
//! [`Setup`](cloth_bodies::bodies::Setup). A scene of rigid bodies instead has a
//! [`RigidSetup`](bodies::RigidSetup), by [`bodies::build::build_bodies`].

mod apart;
mod attach;
pub mod bends;
pub mod bodies;
pub mod build;
pub mod check;
mod distances;
mod fast_pins;
pub mod imperfection;
pub mod load;
mod loads;
mod maps;
mod obstacles;
mod pattern;
mod pins;
mod rest;
mod samples;
mod scale;
mod seam_order;
mod seams;
mod select;
pub mod spec;
mod stray_lines;
mod surfaces;
mod touch;

pub use build::{build, build_if};
pub use cloth_core::bounds::{choice_meant, did_you_mean};
pub use load::{complete, in_file, load, parse};
pub use scale::scale_warnings;
pub use spec::Scene;

pub use cloth_bodies::contact::settings::{ContactSettings, DirtyStart, OnPinch, Response};
pub use cloth_core::linear::PreconditionerKind;
pub use cloth_step::Solver;
