//! The laboratory: instruments for work on the program itself. The cargo feature `lab` brings it.
//!
//! | module | does |
//! |---|---|
//! | [`cli`], [`commands`] | its subcommands and their arguments |
//! | [`partitions`] | divides a cloth among ranks by several methods |
//! | [`replay`] | records test trees, and executes them on a modelled machine |
//!
//! A run meets it in `run::recording` alone.

pub mod cli;
mod commands;
mod partitions;
pub mod replay;

use cloth_sim::error::Result;

use self::cli::LabCommand;

/// Does what a subcommand of the laboratory asks for.
///
/// # Errors
/// As for the subcommands.
pub fn run(command: &LabCommand) -> Result<()> {
    match command {
        LabCommand::Partition(arguments) => commands::partition::partition(arguments),
        LabCommand::Replay(arguments) => commands::replay::replay_recordings(arguments),
        LabCommand::CcdQueries(arguments) => commands::ccd_queries::ccd_queries(arguments),
    }
}
