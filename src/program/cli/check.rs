//! The arguments of `check`.

use std::path::PathBuf;

use clap::Args;

use crate::program::print::ResultFormat;

/// Arguments of `check`.
#[derive(Debug, Clone, Args)]
pub struct CheckArguments {
    /// The run folder.
    pub folder: PathBuf,

    /// Number of threads [default: the number of cores that this process may use].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,

    /// Also fail if an edge is stretched or compressed by more than this share of its rest length,
    /// e.g. 0.1.
    #[arg(long, value_name = "SHARE", value_parser = share, allow_hyphen_values = true)]
    pub max_strain: Option<f64>,

    /// Fail if two rigid bodies overlap by more than this share of half the width of the smaller
    /// one (for a ball: of its radius).
    #[arg(long, value_name = "SHARE", value_parser = share, allow_hyphen_values = true, default_value = "0.5")]
    pub max_overlap: f64,

    /// Fail if a rigid joint is open or tilted by more than this share of the radius of the smaller
    /// body.
    #[arg(long, value_name = "SHARE", value_parser = share, allow_hyphen_values = true, default_value = "0.02")]
    pub max_joint_gap: f64,

    /// Print only errors. The exit code is 0 if the run has no fault.
    #[arg(short, long, conflicts_with = "json")]
    pub quiet: bool,

    /// The exit code is the same.
    #[command(flatten)]
    pub result: ResultFormat,
}

/// A share of a length: a number from 0 up.
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share: &f64| share.is_finite() && *share >= 0.0);
    share.ok_or_else(|| "write a number from 0 up, such as 0.1 for 10 %".to_owned())
}
