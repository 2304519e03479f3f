//! The subcommand `replay`: recorded collision phases on modelled machines.

use std::collections::BTreeSet;
use std::path::PathBuf;

use cloth_sim::error::{Error, Result};
use cloth_sim::stealing::StealingSettings;

use crate::program::cli::ReplayArguments;
use crate::program::overrides::override_collision;
use crate::program::print;
use crate::program::replay::model::{
    ModelledStep, PhaseSplit, RecordingSet, Times, Variant, compare, fit_unit_costs, replay,
};
use crate::program::replay::recording::Recording;
use crate::program::replay::recording::writer::check_writable;
use crate::program::replay::report::{self, Replayed};

/// Models the first recording on each number of processors, and compares each recording with a
/// model of the machine that it was made on. Prints tables.
///
/// # Errors
/// When a file is no recording, a setting is wrong, or a file cannot be written.
pub fn replay_recordings(arguments: &ReplayArguments) -> Result<()> {
    // 1. Recordings, settings and outputs are checked before anything takes long.
    let recordings = fastest(&arguments.files)?;
    let Some((_, first)) = recordings.first() else { return Ok(()) };
    if !first.is_of_one_processor() {
        return Err(Error::file(
            &arguments.files[0],
            "it was not made on one processor, and the model starts from the times of one",
            "give a recording made with --ranks 1 --threads 1 first",
        ));
    }
    let collision = settings(&first.header.collision, &arguments.overrides)?;
    check_outputs(arguments)?;
    let set = RecordingSet::new(recordings.iter().map(|(_, recording)| recording).collect());
    let times = Times { costs: fit_unit_costs(&set)?, split: PhaseSplit::fit(&set) };
    print::line(format_args!("{}: {} recorded steps\n", first.header.scene, first.steps.len()))?;
    print::line(report::times(&times))?;
    if !set.separates_tasks_from_tests() {
        print::line(
            "warning: the cost of a task cannot be separated from the cost of its tests, because all recordings of \
             one processor\nhave the same a and b. Do not vary a or b here, or add a recording made with --set \
             collision.a=0 --set collision.b=1.\n",
        )?;
    }

    // 2. Prediction beside measurement.
    let compared = recordings
        .iter()
        .map(|(names, recording)| Ok((names.clone(), compare(recording, &set, &times)?)));
    print::line(report::comparisons(&compared.collect::<Result<Vec<_>>>()?))?;

    // 3. The first recording on other machines.
    let network = arguments.network();
    let on = |processors: u32, collision| {
        let variant = Variant { processors: processors as usize, collision, network };
        let steps = replay(first, first.steps.iter(), &times, &variant)?;
        // The uses of 65,536 processors in each step are too much to keep.
        let steps = steps.map(|step| Ok(step?.0)).collect::<Result<Vec<_>>>()?;
        Ok::<_, Error>(Replayed { variant, steps, serial_s: 0.0 })
    };
    let serial_s = on(1, collision)?.sum(ModelledStep::phase_s);
    let on = |processors| Ok::<_, Error>(Replayed { serial_s, ..on(processors, collision)? });
    let processors = BTreeSet::from_iter(&arguments.processors);
    let modelled = processors.into_iter().map(|&count| on(count));
    let modelled = modelled.collect::<Result<Vec<Replayed>>>()?;
    print::line(report::curve(&modelled))?;
    if let Some(path) = &arguments.csv {
        report::write_csv(&modelled, path)?;
    }

    // 4. Pictures.
    let Some(out) = &arguments.plot else { return Ok(()) };
    let processors = arguments.plot_processors as usize;
    let each = |stealing| {
        let collision = StealingSettings { stealing, ..collision };
        let variant = Variant { processors, collision, network };
        replay(first, first.steps.iter(), &times, &variant)?.collect::<Result<Vec<_>>>()
    };
    let (scene, per_frame) = (&first.header.scene, first.header.steps_per_frame);
    let both = [&each(false)?[..], &each(true)?[..]];
    let mut files = report::draw_utilization(scene, per_frame, both, out)?;
    files.extend(report::draw_scaling(scene, &modelled, out)?);
    files.iter().try_for_each(|file| print::line(file.display()))
}

/// Finds out whether table and pictures can be written; makes the folder of the pictures.
fn check_outputs(arguments: &ReplayArguments) -> Result<()> {
    if let Some(csv) = &arguments.csv {
        let fail = |cause: String| Error::file(csv, cause, "choose another file (--csv)");
        // A file that does not exist yet is no recording.
        if let Ok(place) = csv.canonicalize()
            && arguments.files.iter().flat_map(|file| file.canonicalize()).any(|file| file == place)
        {
            return Err(fail("it is one of the recordings".to_owned()));
        }
        check_writable(csv).map_err(|cause| fail(cause.to_string()))?;
    }
    if let Some(out) = &arguments.plot {
        std::fs::create_dir_all(out)
            .and_then(|()| check_writable(&out.join("replay_scaling.svg")))
            .map_err(|cause| Error::file(out, cause, "choose another folder (--plot)"))?;
    }
    Ok(())
}

/// The recordings, each with its name. Recordings of the same run on the same number of
/// processors are joined: each search counts as long as in the fastest of them, because other
/// programs disturbed the others.
fn fastest(files: &[PathBuf]) -> Result<Vec<(String, Recording)>> {
    let mut fastest: Vec<(String, Recording)> = Vec::new();
    for file in files {
        let (name, recording) = (file.display().to_string(), Recording::read(file)?);
        let (held, all) = (recording.steps.len(), recording.header.steps);
        if (held as u64) < all {
            print::line(format_args!(
                "warning: {name} holds {held} of {all} steps: its run ended early or goes on, or the file is \
                 cut off or damaged\n"
            ))?;
        }
        match fastest.iter_mut().find(|(_, earlier)| earlier.repeats(&recording)) {
            Some((names, earlier)) => {
                earlier.keep_fastest(recording);
                *names += &format!(", {name}");
            }
            None => fastest.push((name, recording)),
        }
    }
    Ok(fastest)
}

/// The recorded settings, with some overridden as in a scene.
fn settings(recorded: &StealingSettings, overrides: &[String]) -> Result<StealingSettings> {
    if let Some(setting) = overrides.iter().find(|setting| !setting.starts_with("collision.")) {
        return Err(Error::input(
            format!("--set {setting}"),
            "a replay has no other settings than those of `collision`",
            "write for instance --set collision.b=4",
        ));
    }
    override_collision(*recorded, overrides)
}
