//! The subcommand `check`: verifies the frames of a finished run.

use cloth_core::error::{Error, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::program::check::{CheckSettings, Fault, check_run};
use crate::program::cli::CheckArguments;
use crate::program::print;

/// Checks a run folder and prints the report on standard output.
///
/// # Errors
/// A folder that is no run; a run with faults.
pub fn check(arguments: &CheckArguments) -> Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // The bar appears on terminals only, after the first frame.
    let bar = if arguments.quiet || arguments.result.json {
        ProgressBar::hidden()
    } else {
        ProgressBar::new_spinner()
    };
    if let Ok(style) = ProgressStyle::with_template("frames checked: {pos}") {
        bar.set_style(style);
    }
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
