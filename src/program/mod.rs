//! The program: arguments, run folder, output formats, check, profile, machine model.

pub mod check;
pub mod cli;
pub mod commands;
#[cfg(feature = "fault-injection")]
pub mod fault;
pub mod gather;
pub mod job;
pub mod noted_step;
pub mod output;
pub mod overrides;
pub mod print;
pub mod profile;
pub mod progress;
pub mod recorder;
pub mod replay;
pub mod run;
pub mod step_watch;
pub mod summary;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use self::cli::{Command, CommandLine};

/// Reads the command line and does what it asks for.
pub fn main() -> ExitCode {
    cloth_sim::ranks::report_panics_once();
    let outcome = match CommandLine::parse() {
        CommandLine { command: Some(Command::Check(arguments)), .. } => {
            commands::check::check(&arguments)
        }
        CommandLine { command: Some(Command::Profile(arguments)), .. } => {
            commands::profile::profile(&arguments)
        }
        CommandLine { command: Some(Command::Replay(arguments)), .. } => {
            commands::replay::replay_recordings(&arguments)
        }
        CommandLine { command: Some(Command::CcdQueries(arguments)), .. } => {
            commands::ccd_queries::ccd_queries(&arguments)
        }
        CommandLine { command: None, run: Some(arguments) } => run::run(&arguments),
        // The parser asks for a scene before this.
        CommandLine { command: None, run: None } => {
            CommandLine::command().print_help().ok();
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
