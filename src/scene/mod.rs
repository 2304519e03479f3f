//! Scenes: what the user writes in RON, and how the bodies are built from it.
//!
//! [`load::load`] reads and checks a [`Scene`]. [`build::build`] makes its
//! [`Setup`](crate::bodies::Setup). A scene of rigid bodies instead has a
//! [`RigidSetup`](bodies::RigidSetup), by [`bodies::build::build_bodies`].

mod apart;
mod attach;
pub mod bends;
pub mod bodies;
pub mod build;
mod check;
mod distances;
mod fast_pins;
pub mod imperfection;
mod keyframe;
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

pub use crate::bounds::{choice_meant, did_you_mean};
pub use build::{build, build_if};
pub use load::{complete, in_file, load, parse};
pub use scale::scale_warnings;
pub use spec::Scene;

pub use crate::contact::settings::{ContactSettings, DirtyStart, OnPinch, Response};
pub use crate::linear::PreconditionerKind;
pub use crate::stealing::settings::{
    Share, StealingSettings as CollisionSettings, TopLevelShare, VictimOrder,
};
pub use crate::step::settings::Solver;
