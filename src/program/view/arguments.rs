//! The arguments of `view`.

use std::path::PathBuf;

use clap::Args;

use crate::program::print::ResultFormat;

/// Arguments of `view`.
#[derive(Debug, Clone, Args)]
pub struct ViewArguments {
    /// The run folder. The run may still be going on, or have ended early.
    pub folder: PathBuf,

    /// The file of the page [default: view.html in the run folder].
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Only write the page.
    #[arg(long)]
    pub no_open: bool,

    /// Serve the page to this machine alone, and add frames as they come, until Ctrl-C. Frames are
    /// not thinned.
    #[arg(long, conflicts_with_all = ["output", "limit_mb"])]
    pub live: bool,

    /// The port of `--live` [default: one that is free].
    #[arg(
        long,
        value_name = "PORT",
        requires = "live",
        default_value = "0",
        hide_default_value = true
    )]
    pub port: u16,

    /// The largest size of the page, in millions of bytes. Above it fewer frames are shown, then
    /// fewer faces.
    #[arg(long, value_name = "N", default_value = "64", value_parser = size)]
    pub limit_mb: f64,

    /// Print only errors.
    #[arg(short, long, conflicts_with = "json")]
    pub quiet: bool,

    /// How the result is printed.
    #[command(flatten)]
    pub result: ResultFormat,
}

/// A size in millions of bytes.
fn size(text: &str) -> Result<f64, String> {
    let size = text.parse().ok().filter(|size: &f64| size.is_finite() && *size > 0.0);
    size.ok_or_else(|| "write a number above 0, such as 64".to_owned())
}
