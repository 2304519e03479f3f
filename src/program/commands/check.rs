//! The subcommand `check`: verifies the frames of a finished run.

use cloth_sim::error::{Error, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::program::check::check_run;
use crate::program::cli::CheckArguments;
use crate::program::print;
use crate::program::words::plural;

/// Checks a run folder and prints the report on standard output.
///
/// # Errors
/// A folder that is no run; a run with faults.
pub fn check(arguments: &CheckArguments) -> Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = arguments.threads.map_or(cores, |threads| threads as usize);
    // The bar appears on terminals only, after the first frame.
    let bar = if arguments.quiet { ProgressBar::hidden() } else { ProgressBar::new_spinner() };
    if let Ok(style) = ProgressStyle::with_template("{pos} frames checked") {
        bar.set_style(style);
    }
    let max_strain = arguments.max_strain.unwrap_or(f64::INFINITY);
    let report = check_run(&arguments.folder, threads, max_strain, || bar.inc(1))?;
    bar.finish_and_clear();
    if !arguments.quiet {
        print::line(&report)?;
    }
    if report.is_clean() {
        return Ok(());
    }
    let cause = match (report.faulty_frames(), &report.run.unfinished) {
        (0, Some(unfinished)) => unfinished.clone(),
        (0, None) if !report.run.meshes.is_empty() => {
            "an input mesh is not as it was in the run".to_owned()
        }
        (0, None) => format!("energy rose without work in {}", plural(report.rises.len(), "step")),
        (faulty, _) => format!("faults in {faulty} of {} frames", report.frames.len()),
    };
    let meets_itself = report.frames.iter().any(|frame| frame.intersections() > 0);
    let remedy = match (meets_itself, &report.run.unfinished) {
        (true, _) => {
            "see the list on standard output; more steps (steps_per_frame) or a larger \
             contact.distance_m keep cloth apart"
        }
        (false, Some(_)) => "wait if the run goes on, else repeat it with --overwrite",
        (false, None) if !report.rises.is_empty() => {
            "see the list on standard output; raise steps_per_frame, or look for cloth that is \
             pressed or pinned in contact there"
        }
        (false, None) => "see the list on standard output",
    };
    Err(Error::file(&arguments.folder, cause, remedy))
}
