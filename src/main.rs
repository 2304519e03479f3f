//! The command-line program; everything it does is in the library.

mod cli;
#[cfg(feature = "fault-injection")]
mod fault;
mod job;
mod progress;
mod recorder;
mod run;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    cloth_sim::comm::report_panics_once();
    let arguments = cli::Arguments::parse();
    match run::run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
