//! The command-line program; everything it does is in the library.

mod check;
mod cli;
#[cfg(feature = "fault-injection")]
mod fault;
mod gather;
mod job;
mod plots;
mod print;
mod progress;
mod queries;
mod recorder;
mod replay;
mod run;
mod time_line;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use cli::{Command, CommandLine};

fn main() -> ExitCode {
    cloth_sim::comm::report_panics_once();
    let outcome = match CommandLine::parse() {
        CommandLine { command: Some(Command::Check(arguments)), .. } => check::check(&arguments),
        CommandLine { command: Some(Command::Profile(arguments)), .. } => {
            plots::profile(&arguments)
        }
        CommandLine { command: Some(Command::Replay(arguments)), .. } => {
            replay::replay_recordings(&arguments)
        }
        CommandLine { command: Some(Command::CcdQueries(arguments)), .. } => {
            queries::ccd_queries(&arguments)
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
