//! The subcommand `check`: verifies the frames of a finished run.

use std::path::PathBuf;

use clap::Args;
use cloth_core::error::{Error, Result};

use crate::program::check::{CheckSettings, Fault, check_run};
use crate::program::print::{self, ResultFormat};

/// Checks a run folder and prints the report on standard output.
///
/// # Errors
/// A folder that is no run; a run with faults.
pub fn check(arguments: &CheckArguments) -> Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let is_hidden = arguments.quiet || arguments.result.json;
    let bar = print::counter(is_hidden, None, "frames checked: {pos}");
    let settings = CheckSettings {
        threads: arguments.threads.map_or(cores, |threads| threads as usize),
        max_strain: arguments.max_strain.unwrap_or(f64::INFINITY),
        max_overlap: arguments.max_overlap,
        max_joint_gap: arguments.max_joint_gap,
    };
    let report = check_run(&arguments.folder, &settings, || bar.inc(1))?;
    bar.finish_and_clear();
    if !arguments.quiet {
        arguments.result.print(&report.json(), || print::line(&report))?;
    }
    match report.fault() {
        None => Ok(()),
        Some(Fault { cause, remedy }) => Err(Error::file(&arguments.folder, cause, remedy)),
    }
}

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
fn share(text: &str) -> std::result::Result<f64, String> {
    let share = text.parse().ok().filter(|share: &f64| share.is_finite() && *share >= 0.0);
    share.ok_or_else(|| "write a number from 0 up, such as 0.1 for 10 %".to_owned())
}
