//! The subcommands.

pub mod check;
pub mod convert;
pub mod mesh;
pub mod profile;
