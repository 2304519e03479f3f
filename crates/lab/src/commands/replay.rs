//! The subcommand `replay`: models recorded collision phases on other machines.

use std::collections::BTreeSet;
use std::path::PathBuf;

use cloth_collision::stealing::StealingSettings;
use cloth_core::error::{Error, Result};

use crate::cli::ReplayArguments;
use crate::replay::model::{
    ModelledStep, Network, PhaseSplit, RecordingSet, Times, Variant, compare, fit_unit_costs,
    replay,
};
use crate::replay::recording::Recording;
use crate::replay::report::{self, Replayed};
use crate::replay::settings;
use cloth_sim::program::print;
use cloth_sim::program::run::recording::check_writable;

/// Models the first recording on each number of processors. Compares each recording with a model
/// of the machine that it was made on. Prints tables, and writes them as CSV.
///
/// # Errors
/// When a file is no recording, a setting is wrong, or a file cannot be written.
pub fn replay_recordings(arguments: &ReplayArguments) -> Result<()> {
    // 1. Recordings, settings and outputs are checked before anything takes long.
    let recordings = fastest(&arguments.files)?;
    let Some(NamedRecording { recording: first, .. }) = recordings.first() else { return Ok(()) };
    if !first.is_of_one_processor() {
        return Err(Error::file(
            &arguments.files[0],
            "it was not made on one processor, and the model starts from times on one processor",
            "give a recording made with --ranks 1 --threads 1 first",
        ));
    }
    let collision = settings::changed(first.header.collision, &arguments.overrides)?;
    check_outputs(arguments)?;
    // 2. Costs, fitted to the recordings.
    let set = RecordingSet::new(recordings.iter().map(|named| &named.recording).collect());
    let times = Times { costs: fit_unit_costs(&set)?, split: PhaseSplit::fit(&set) };
    print::line(format_args!("{}: {} recorded steps\n", first.header.scene, first.steps.len()))?;
    print::line(report::times(&times))?;
    let StealingSettings { a, b, .. } = first.header.collision;
    if (collision.a, collision.b) != (a, b) {
        print::line(NO_COST_OF_TASKS)?;
    }
    // 3. Prediction beside measurement.
    let compared = recordings
        .iter()
        .map(|one| Ok((one.names.clone(), compare(&one.recording, &set, &times)?)));
    print::line(report::comparisons(&compared.collect::<Result<Vec<_>>>()?))?;
    // 4. The first recording on other machines.
    let machines = Machines { first, times, collision, network: arguments.network() };
    let modelled = machines.over_processors(&arguments.processors)?;
    print::line(report::curve(&modelled))?;
    if let Some(path) = &arguments.csv {
        report::write_csv(&modelled, path)?;
    }
    Ok(())
}

const NO_COST_OF_TASKS: &str = "\
    warning: tasks of other sizes are modelled, but the cost of a task cannot be separated from the cost of its \
    tests,\nbecause all recordings have the same a and b.\n";

/// Modelled machines that execute one recording.
struct Machines<'a> {
    first: &'a Recording,
    times: Times,
    collision: StealingSettings,
    network: Network,
}

impl Machines<'_> {
    /// The recording on each number of processors, in rising order.
    fn over_processors(&self, processors: &[u32]) -> Result<Vec<Replayed>> {
        let serial_s = self.replayed(1, 0.0)?.sum(ModelledStep::phase_s);
        let processors = BTreeSet::from_iter(processors);
        processors.into_iter().map(|&count| self.replayed(count, serial_s)).collect()
    }

    /// The recording on one machine. `serial_s` is its time on one processor.
    fn replayed(&self, processors: u32, serial_s: f64) -> Result<Replayed> {
        let Self { first, times, collision, network } = self;
        let (collision, network) = (*collision, *network);
        let variant = Variant { processors: processors as usize, collision, network };
        let steps = replay(first, first.steps.iter(), times, &variant)?;
        // The uses of 65,536 processors in each step are too much to keep.
        let steps = steps.map(|step| Ok(step?.0)).collect::<Result<Vec<_>>>()?;
        Ok(Replayed { variant, steps, serial_s })
    }
}

/// Checks that the table can be written.
fn check_outputs(arguments: &ReplayArguments) -> Result<()> {
    if let Some(csv) = &arguments.csv {
        let fail = |cause: String| Error::file(csv, cause, "choose another file (--csv)");
        // A file that does not exist cannot be a recording.
        if let Ok(place) = csv.canonicalize()
            && arguments.files.iter().flat_map(|file| file.canonicalize()).any(|file| file == place)
        {
            return Err(fail("it is one of the recordings".to_owned()));
        }
        check_writable(csv).map_err(|cause| fail(cause.to_string()))?;
    }
    Ok(())
}

/// A recording, with the names of its files.
struct NamedRecording {
    names: String,
    recording: Recording,
}

/// Reads the recordings. Joins recordings of the same run on the same number of processors. Each
/// search then takes as long as in the fastest of them, because other programs disturbed the
/// others.
fn fastest(files: &[PathBuf]) -> Result<Vec<NamedRecording>> {
    let mut fastest: Vec<NamedRecording> = Vec::new();
    for file in files {
        let (name, recording) = (file.display().to_string(), Recording::read(file)?);
        let (held, all) = (recording.steps.len(), recording.header.steps);
        if (held as u64) < all {
            print::line(format_args!(
                "warning: {name} holds {held} of {all} steps: its run ended early or still goes on, or the \
                 file is cut off or damaged\n"
            ))?;
        }
        match fastest.iter_mut().find(|earlier| earlier.recording.repeats(&recording)) {
            Some(earlier) => {
                earlier.recording.keep_fastest(recording);
                earlier.names += &format!(", {name}");
            }
            None => fastest.push(NamedRecording { names: name, recording }),
        }
    }
    Ok(fastest)
}
