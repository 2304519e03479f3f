//! The arguments of `view`.

use std::path::PathBuf;

use clap::Args;

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

    /// The largest size of the page, in millions of bytes. Above it fewer frames are shown, then
    /// fewer faces.
    #[arg(long, value_name = "N", default_value = "64", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub limit_mb: u32,
}
