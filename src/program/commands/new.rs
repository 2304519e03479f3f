//! The subcommand `new`: a commented scene to begin with.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use cloth_core::error::{Error, Result, shell_word};
use serde_json::json;

use crate::program::output::write_whole;
use crate::program::print::{self, ResultFormat};

/// Arguments of `new`.
#[derive(Debug, Clone, Args)]
pub struct NewArguments {
    /// The name of the scene: NAME.ron is written.
    pub name: PathBuf,

    /// What the scene begins with.
    #[arg(long, value_name = "KIND", value_enum, default_value_t = Template::Drape)]
    pub template: Template,

    /// Replace a file of this name.
    #[arg(long)]
    pub overwrite: bool,

    /// How it is printed.
    #[command(flatten)]
    pub result: ResultFormat,
}

/// The scenes to begin with. A new one is a line here and a file in `templates/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Template {
    /// A tablecloth falls onto a ball.
    Drape,
    /// A skirt is sewn of a flat panel around a waist, which turns.
    Garment,
    /// Boxes and a ball fall onto a sheet.
    Bodies,
    /// A rope bridge of planks, without cloth.
    Bridge,
}

impl Template {
    fn text(self) -> &'static str {
        match self {
            Self::Drape => include_str!("templates/drape.ron"),
            Self::Garment => include_str!("templates/garment.ron"),
            Self::Bodies => include_str!("templates/bodies.ron"),
            Self::Bridge => include_str!("templates/bridge.ron"),
        }
    }
}

/// Writes the scene and says what to do with it.
///
/// # Errors
/// A file that is there already or cannot be written.
pub fn new(arguments: &NewArguments) -> Result<()> {
    if arguments.name.file_name().is_none() {
        return Err(Error::input("NAME", "it is empty or a folder", "name the scene"));
    }
    let file = match arguments.name.extension() {
        Some(extension) if extension == OsStr::new("ron") => arguments.name.clone(),
        _ => arguments.name.with_added_extension("ron"),
    };
    if file.exists() && !arguments.overwrite {
        return Err(Error::file(&file, "it exists", "choose another name, or add --overwrite"));
    }
    write(&file, arguments.template.text())?;
    arguments.result.print(&json!({ "file": file }), || {
        print::line(format_args!("{} is written", file.display()))?;
        let shown = shell_word(file.display());
        print::line(format_args!("  to run    cloth-sim {shown}"))?;
        print::line(format_args!("  to ask    cloth-sim info {shown}    (how long a run takes)"))?;
        print::line("  to change docs/scene.md has all fields")
    })
}

fn write(file: &Path, text: &str) -> Result<()> {
    let written = write_whole(file, |to| {
        to.write_all(text.replace("NAME.ron", &shell_word(name(file))).as_bytes())
    });
    written.map_err(|cause| {
        Error::file(file, cause, "choose a folder that is there and can be written")
    })
}

/// The name of the file, for the first lines of the scene.
fn name(file: &Path) -> String {
    file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
