//! The subcommands.

pub mod check;
pub mod compare;
pub mod convert;
mod described_mesh;
pub mod mesh;
pub mod new;
pub mod picture;
pub mod shell;
pub mod view;
