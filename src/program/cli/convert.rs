//! The arguments of `convert`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `convert`.
#[derive(Debug, Clone, Args)]
pub struct ConvertArguments {
    /// The run folder. The new files are beside its frames.
    pub folder: PathBuf,

    /// The formats: obj, vtp, pc2, usd.
    #[arg(long, value_name = "FORMAT,...", value_delimiter = ',', required = true)]
    pub to: Vec<String>,

    /// Print only errors.
    #[arg(short, long)]
    pub quiet: bool,
}
