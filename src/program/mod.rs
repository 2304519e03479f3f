//! The program: it reads arguments, runs scenes, and works on run folders.
//!
//! | module | does |
//! |---|---|
//! | [`cli`] | the command line and its help texts |
//! | [`overrides`] | `--set path=value` |
//! | [`run`] | runs a scene and keeps its run folder |
//! | [`commands`] | the other subcommands |
//! | [`output`] | the files of a run folder: names, formats, reading and writing |
//! | [`check`] | verifies the frames of a run |
//! | [`profile`] | shows how processors spent the test part of a run |
//! | [`view`] | a run as one page for a browser |
//! | [`picture`] | frames as PNG and GIF files |
//! | [`print`], [`words`] | standard output, and words for messages |

pub mod check;
pub mod cli;
mod commands;
pub mod output;
pub mod overrides;
mod picture;
pub mod print;
pub mod profile;
pub mod run;
mod view;
pub mod words;

use std::ffi::OsString;

use clap::{CommandFactory, Parser};
use cloth_core::error::{Result, shell_word};

use self::cli::{Arguments, Command, CommandLine};

/// The exit code of a command line that is not understood.
const MISUSE: u8 = 2;

/// Runs what the command line `words` asks for, the name of the program included. Returns the exit
/// code.
pub fn main(words: impl Iterator<Item = OsString>) -> u8 {
    let words = Vec::from_iter(words);
    let first = words.get(1).and_then(|it| it.to_str()).unwrap_or_default();
    if let Some(meant) = cli::meant_subcommand(first) {
        let slip = format_args!("error: no file `{first}`; did you mean the subcommand `{meant}`?");
        print::message(slip);
        return MISUSE;
    }
    if let Some(scene) = cli::meant_scene(&words) {
        let remedy = format_args!("help: a scene is run by `cloth-sim {}`", shell_word(scene));
        print::message(format_args!("error: there is no subcommand `{first}`\n{remedy}"));
        return MISUSE;
    }
    let arguments = match CommandLine::try_parse_from(words) {
        Ok(arguments) => arguments,
        // Help and version are no errors.
        Err(error) if !error.use_stderr() => return u8::from(error.print().is_err()),
        Err(error) => {
            print::message(error.render().to_string().trim_end());
            return MISUSE;
        }
    };
    let outcome = match arguments {
        CommandLine { command: Some(command), .. } => subcommand(&command),
        CommandLine { command: None, run: Some(run), computing } => {
            run::run(&Arguments { computing, ..run })
        }
        // The parser refuses a line without a scene before this.
        CommandLine { command: None, run: None, .. } => {
            CommandLine::command().print_help().ok();
            return MISUSE;
        }
    };
    outcome.unwrap_or_else(|error| {
        print::message(format_args!("error: {error}"));
        1
    })
}

fn subcommand(command: &Command) -> Result<u8> {
    match command {
        // A run has exit codes of its own.
        Command::Resume(arguments) => return run::run(&arguments.clone().into()),
        // As of `diff`: 1 is for runs that differ.
        Command::Compare(arguments) => {
            return Ok(commands::compare::compare(arguments).unwrap_or_else(|error| {
                print::message(format_args!("error: {error}"));
                MISUSE
            }));
        }
        Command::New(arguments) => commands::new::new(arguments),
        Command::Info(arguments) => run::info::info(arguments),
        Command::Check(arguments) => commands::check::check(arguments),
        Command::Convert(arguments) => commands::convert::convert(arguments),
        Command::Mesh(arguments) => commands::mesh::mesh(arguments),
        Command::Profile(arguments) => profile::profile(arguments),
        Command::Completions { shell } => commands::shell::completions(*shell),
        Command::Man => commands::shell::man(),
        Command::View(arguments) => commands::view::view(arguments),
        Command::Picture(arguments) => commands::picture::picture(arguments),
    }?;
    Ok(0)
}
