//! The subcommands.

pub mod ccd_queries;
pub mod check;
pub mod profile;
pub mod replay;
