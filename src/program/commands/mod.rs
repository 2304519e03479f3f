//! The subcommands.

pub mod ccd_queries;
pub mod check;
pub mod partition;
pub mod profile;
pub mod replay;
