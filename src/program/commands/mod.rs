//! The subcommands.

pub mod check;
pub mod mesh;
pub mod profile;
pub mod view;
