//! The arguments of `convert`.

use std::path::PathBuf;

use clap::Args;

use crate::program::print::ResultFormat;

/// Arguments of `convert`.
#[derive(Debug, Clone, Args)]
pub struct ConvertArguments {
    /// The run folder. The new files are beside its frames.
    pub folder: PathBuf,

    /// One or several formats.
    #[arg(long, value_name = "obj,vtp,pc2,usd", value_delimiter = ',', required = true)]
    pub to: Vec<String>,

    /// Print only errors.
    #[arg(short, long, conflicts_with = "json")]
    pub quiet: bool,

    /// How the result is printed.
    #[command(flatten)]
    pub result: ResultFormat,
}
