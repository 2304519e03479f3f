//! The laboratory: instruments for work on the program itself. It is part of the program with the
//! cargo feature `lab`.
//!
//! | module | does |
//! |---|---|
//! | [`cli`], [`commands`] | its subcommands and their arguments |
//! | [`partitions`] | divides a cloth among ranks by several methods |
//! | [`replay`] | records test trees, and executes them on a modelled machine |
//!
//! A run uses it only through `run::recording`.

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
