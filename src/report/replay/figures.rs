//! Pictures of modelled phases.

use std::path::{Path, PathBuf};

use super::{PARTS, Replayed};
use crate::collision::ProcessorUse;
use crate::collision::parallel::replay::ModelledStep;
use crate::error::Result;
use crate::profile::Phase;
use crate::report::profile::{
    FrameProfile, ProcessorProfile, Profile, Scaling, draw_profiles, draw_scaling as draw,
};

/// Draws the utilization of each processor, frame by frame, without stealing and with it
/// (Thomaszewski & Blochinger 2007, figure 8), into `out`. Returns the files.
///
/// # Errors
/// When a file cannot be written.
pub fn draw_utilization(
    scene: &str,
    [off, on]: [&Replayed; 2],
    out: &Path,
) -> Result<Vec<PathBuf>> {
    let profiles = [profile(scene, off), profile(scene, on)];
    let names = ["no stealing", "stealing"].map(str::to_owned);
    draw_profiles([&profiles[0], &profiles[1]], names, out, "replay_utilization")
}

/// Draws speed-up, utilization and the parts of the phase over the number of processors
/// into `out`. Returns the files.
///
/// # Errors
/// When a file cannot be written.
pub fn draw_scaling(scene: &str, replayed: &[Replayed], out: &Path) -> Result<Vec<PathBuf>> {
    let values = |value: &dyn Fn(&Replayed) -> f64| replayed.iter().map(value).collect();
    let share = |part: fn(&ModelledStep) -> f64| {
        values(&|replayed| 100.0 * replayed.sum(part) / replayed.sum(ModelledStep::phase_s))
    };
    let scaling = Scaling {
        heading: format!("{scene}: collision phase, modelled"),
        processors: replayed.iter().map(|replayed| replayed.variant.processors).collect(),
        speed_ups: vec![
            ("ideal", values(&|r| r.variant.processors as f64)),
            ("tests, best possible", values(&Replayed::best_speed_up)),
            ("tests", values(&Replayed::speed_up_of_tests)),
            ("whole phase", values(&Replayed::speed_up)),
        ],
        percents: vec![
            ("mean of frames", values(&|r| 100.0 * r.utilization().0)),
            ("mean over time", values(&|r| 100.0 * r.utilization_of_all())),
            ("worst frame", values(&|r| 100.0 * r.utilization().1)),
            ("efficiency, phase", values(&|r| 100.0 * r.speed_up() / r.variant.processors as f64)),
        ],
        shares: PARTS.iter().map(|&(name, part)| (name, share(part))).collect(),
    };
    draw(&scaling, out, "replay_scaling")
}

/// Modelled phases as the profile of a run.
fn profile(scene: &str, replayed: &Replayed) -> Profile {
    let (steps, ranks) = (&replayed.steps, replayed.variant.processors);
    let last = steps.iter().map(|step| step.frame).max().unwrap_or(0);
    let of_frame = |frame: u64| Vec::from_iter(steps.iter().filter(|step| step.frame == frame));
    let frames = (1..=last).map(|frame| {
        let steps = of_frame(frame);
        let mut seconds = [0.0; Phase::ALL.len()];
        for step in &steps {
            seconds.iter_mut().zip(step.seconds).for_each(|(sum, part)| *sum += part);
        }
        FrameProfile { frame, seconds, processors: processors(&steps, ranks) }
    });
    Profile {
        scene: format!("{scene}, modelled"),
        ranks,
        threads: 1,
        steps_per_frame: steps.len() as u64 / last.max(1),
        frames: frames.collect(),
        processors: processors(&Vec::from_iter(steps), ranks),
    }
}

/// Each processor over some steps.
fn processors(steps: &[&ModelledStep], ranks: usize) -> Vec<ProcessorProfile> {
    let processor = |rank: usize| {
        let mut usage = ProcessorUse::default();
        steps.iter().for_each(|step| usage.add(&step.uses[rank]));
        let known = steps.iter().filter(|step| step.test_part_s > 0.0);
        let known = Vec::from_iter(known.map(|step| step.uses[rank].busy_s / step.test_part_s));
        ProcessorProfile {
            rank,
            thread: 0,
            usage,
            test_part_s: steps.iter().map(|step| step.test_part_s).sum(),
            utilization: (!known.is_empty())
                .then(|| known.iter().sum::<f64>() / known.len() as f64),
        }
    };
    (0..ranks).map(processor).collect()
}
