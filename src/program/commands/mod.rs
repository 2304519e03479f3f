//! The subcommands.

pub mod check;
pub mod profile;
