//! The subcommands of the laboratory.

pub mod ccd_queries;
pub mod partition;
pub mod replay;
