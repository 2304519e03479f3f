//! The pictures of a replay.

use std::path::{Path, PathBuf};

use cloth_sim::error::Result;
use cloth_sim::step::Phase;

use crate::program::lab::replay::model::{ModelledStep, Replay};
use crate::program::lab::replay::report::scaling::Scaling;
use crate::program::lab::replay::report::{PARTS, Replayed, ratio};
use crate::program::output::cloth_record::Cloth;
use crate::program::profile::canvas;
use crate::program::profile::cloth::TestParts;
use crate::program::profile::comparison_picture::ComparisonPicture;
use crate::program::profile::frames::{self, FrameProfile, ProcessorProfile, Profile, Sums};

/// The picture of a modelled machine over numbers of processors.
pub const SCALING_PICTURE: &str = "replay_scaling";
/// The picture of the modelled processors, with and without stealing.
const UTILIZATION_PICTURE: &str = "replay_utilization";

/// Draws the utilization of each processor, frame by frame, without stealing and with it
/// (Thomaszewski & Blochinger 2007, figure 8), into the folder `out`. Returns the files.
///
/// # Errors
/// When a file cannot be written.
pub fn draw_utilization(
    scene: &str,
    steps_per_frame: u64,
    [off, on]: [&[Replay]; 2],
    out: &Path,
) -> Result<Vec<PathBuf>> {
    let profiles = [off, on].map(|steps| profile(scene, steps_per_frame, steps));
    let labels = ["no stealing", "stealing"].map(str::to_owned);
    let picture = ComparisonPicture { profiles: [&profiles[0], &profiles[1]], labels };
    canvas::write(&picture, out, UTILIZATION_PICTURE)
}

/// Draws speed-up, utilization and the parts of the collision phase over the number of processors,
/// into the folder `out`. Returns the files.
///
/// # Errors
/// When a file cannot be written.
pub fn draw_scaling(scene: &str, replayed: &[Replayed], out: &Path) -> Result<Vec<PathBuf>> {
    let values = |value: &dyn Fn(&Replayed) -> Option<f64>| replayed.iter().map(value).collect();
    let percents = |value: &dyn Fn(&Replayed) -> Option<f64>| {
        replayed.iter().map(|replayed| Some(100.0 * value(replayed)?)).collect()
    };
    let share = |part: fn(&ModelledStep) -> f64| {
        percents(&|replayed| ratio(replayed.sum(part), replayed.sum(ModelledStep::phase_s)))
    };
    let scaling = Scaling {
        heading: format!("{scene}: collision phase, modelled"),
        processors: replayed.iter().map(|replayed| replayed.variant.processors).collect(),
        speed_ups: vec![
            ("ideal", values(&|r| Some(r.variant.processors as f64))),
            ("tests, best possible", values(&Replayed::best_speed_up)),
            ("tests", values(&Replayed::speed_up_of_tests)),
            ("whole phase", values(&Replayed::speed_up)),
        ],
        percents: vec![
            ("mean of frames", percents(&Replayed::utilization)),
            ("mean over time", percents(&Replayed::utilization_of_all)),
            ("worst frame", percents(&Replayed::worst_utilization)),
            ("efficiency, phase", percents(&|r| r.efficiency(r.speed_up()))),
        ],
        shares: PARTS.iter().map(|&(name, part)| (name, share(part))).collect(),
    };
    canvas::write(&scaling, out, SCALING_PICTURE)
}

/// The profile of modelled steps. Times are means over the steps of a frame.
fn profile(scene: &str, steps_per_frame: u64, steps: &[Replay]) -> Profile {
    let ranks = steps.first().map_or(0, |(_, uses)| uses.len());
    let last = steps.iter().map(|(step, _)| step.frame).max().unwrap_or(0);
    let frames = (1..=last).map(|frame| {
        let steps = Vec::from_iter(steps.iter().filter(|(step, _)| step.frame == frame));
        let mut seconds = [0.0; Phase::ALL.len()];
        for (step, _) in &steps {
            let parts = step.seconds.map(|part| part / steps.len() as f64);
            seconds.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
        }
        // A frame without a recorded step has no data.
        let ranks = if steps.is_empty() { 0 } else { ranks };
        let (seconds, processors) = (seconds.to_vec(), processors(&steps, ranks));
        FrameProfile { frame, steps: steps_per_frame, seconds, waited_s: None, processors }
    });
    let empty = Profile::new::<Cloth>(format!("{scene}, modelled"), ranks, 1, steps_per_frame);
    Profile {
        recorded: Some(steps.len()),
        frames: frames.collect(),
        processors: processors(&Vec::from_iter(steps), ranks),
        ..empty
    }
}

/// The profile of each processor over some steps. The length of their test part is the mean.
fn processors(steps: &[&Replay], ranks: usize) -> Vec<ProcessorProfile> {
    let processor = |rank: usize| {
        let mut sum = TestParts::default();
        steps.iter().for_each(|(step, uses)| sum.add(&uses[rank], step.test_part_s, true));
        sum.length_s /= steps.len().max(1) as f64;
        ((rank, 0), sum)
    };
    frames::processors::<Cloth>(&Sums::from_iter((0..ranks).map(processor)))
}

#[cfg(test)]
mod tests {
    use cloth_sim::stealing::ProcessorUse;

    use super::*;

    fn step(step: u64, frame: u64, busy_s: [f64; 2]) -> Replay {
        let uses = busy_s.map(|busy_s| ProcessorUse { busy_s, ..ProcessorUse::default() });
        let mut seconds = [0.0; Phase::ALL.len()];
        seconds[Phase::Refit as usize] = 2.0;
        let modelled = ModelledStep {
            step,
            frame,
            seconds,
            above_s: 0.0,
            test_part_s: 4.0,
            serial_s: 0.0,
            best_s: 0.0,
            chain_s: 0.0,
            termination_s: 0.0,
            sums: 0,
            processors: 2,
            usage: ProcessorUse::default(),
        };
        (modelled, uses.to_vec())
    }

    #[test]
    fn times_are_those_of_a_step_and_frames_without_one_are_left_out() {
        let steps = [step(10, 1, [4.0, 2.0]), step(20, 1, [2.0, 2.0]), step(90, 3, [1.0, 1.0])];
        let profile = profile("small", 40, &steps);
        assert_eq!((profile.recorded, profile.frames.len()), (Some(3), 3));
        let [first, second, _] = &profile.frames[..] else { panic!("three frames") };
        assert_eq!((profile.collision_s(first), profile.length_s(first)), (2.0, 4.0));
        assert_eq!(
            first.processors.iter().map(|one| profile.share(one)).collect::<Vec<_>>(),
            [Some(0.75), Some(0.5)]
        );
        assert!(second.processors.is_empty() && profile.mean_share(second).is_none());
    }
}
