//! The laboratory: instruments for work on cloth-sim itself.
//!
//! | module | does |
//! |---|---|
//! | [`cli`], [`commands`] | its subcommands and their arguments |
//! | [`partitions`] | divides a cloth among ranks by several methods |
//! | [`replay`] | reads recorded test trees, and executes them on a modelled machine |
//!
//! `cloth-sim SCENE --record-tasks FILE` writes the recordings.

// Its comments become help texts.
#[allow(rustdoc::invalid_html_tags)]
mod cli;
mod commands;
mod examples;
mod partitions;
mod replay;

use std::process::ExitCode;

use clap::Parser;
use cloth_core::error::Result;
use cloth_sim::program::print;

use self::cli::{CommandLine, LabCommand};

fn main() -> ExitCode {
    cloth_sim::ranks::report_panics_once();
    match run(&CommandLine::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print::message(format_args!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(command: &LabCommand) -> Result<()> {
    match command {
        LabCommand::Partition(arguments) => commands::partition::partition(arguments),
        LabCommand::Replay(arguments) => commands::replay::replay_recordings(arguments),
        LabCommand::CcdQueries(arguments) => commands::ccd_queries::ccd_queries(arguments),
    }
}
