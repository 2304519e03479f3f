//! The subcommands `completions` and `man`: what shells and manuals know of the program.

use std::io::{ErrorKind, Write, stdout};

use clap::CommandFactory;
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use cloth_core::error::{Error, Result};

use crate::program::cli::CommandLine;

/// The name of the binary.
const NAME: &str = "cloth-sim";

/// Prints the completions of the command line for a `shell`.
///
/// # Errors
/// When standard output cannot be written.
pub fn completions(shell: Shell) -> Result<()> {
    let mut script = Vec::new();
    generate(shell, &mut CommandLine::command(), NAME, &mut script);
    print(&script)
}

/// Prints the manual page, then that of each subcommand, as roff.
///
/// # Errors
/// When standard output cannot be written.
pub fn man() -> Result<()> {
    let mut command = CommandLine::command();
    command.build(); // names the pages of subcommands `cloth-sim-check` and so on
    let subcommands = command.get_subcommands().filter(|it| it.get_name() != "help").cloned();
    let mut pages = Vec::new();
    for page in [command.clone()].into_iter().chain(subcommands) {
        Man::new(page).render(&mut pages).map_err(failed)?;
    }
    print(&pages)
}

/// Writes to standard output. A reader that stops early is no error.
fn print(bytes: &[u8]) -> Result<()> {
    match stdout().write_all(bytes) {
        Err(cause) if cause.kind() != ErrorKind::BrokenPipe => Err(failed(cause)),
        _ => Ok(()),
    }
}

fn failed(cause: std::io::Error) -> Error {
    Error::file("standard output", cause, "free some space or send it elsewhere")
}
