//! The picture of one run.

use cloth_sim::observe::ProcessorUse;
use cloth_sim::step::Phase;
use plotters::prelude::DrawingBackend;
use plotters::style::RGBColor;

use crate::program::profile::canvas::{Area, Drawn, Picture};
use crate::program::profile::panel::{
    Axes, BLUE, Curve, GREEN, HEADING, ORANGE, PURPLE, TimeAxes, VERMILION, heading_line,
};
use crate::program::profile::{FrameProfile, ProcessorProfile, Profile, heat_map, panel};

const IDLE: RGBColor = RGBColor(190, 190, 190);

const PANEL: u32 = 240;

/// Diagrams over the frames, from top to bottom: time of the collision phases, the heat map of the
/// processors, what the processors did, time of all phases, tasks, steals.
pub(super) struct RunPicture<'a>(pub &'a Profile);

impl Picture for RunPicture<'_> {
    fn size(&self) -> (u32, u32) {
        (1200, HEADING + 220 + heat_map::height(self.0.processors.len()) + 4 * PANEL + 60)
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let profile = self.0;
        let (heading, rest) = area.split_vertically(HEADING);
        heading_line(&heading, &format!("{}: {}", profile.scene, profile.describe()))?;
        let (time, rest) = rest.split_vertically(220);
        collision_time(&time, profile, longest_s(profile, FrameProfile::collision_s))?;
        let (map, rest) = rest.split_vertically(heat_map::height(profile.processors.len()));
        heat_map::draw(&map, &profile.heat_map())?;
        let (shares, rest) = rest.split_vertically(PANEL);
        shares_of_tests(&shares, profile)?;
        let (phases, rest) = rest.split_vertically(PANEL + 60);
        all_phases(&phases, profile)?;
        let (tasks, steals) = rest.split_vertically(PANEL);
        counts(&tasks, profile, "Tasks a frame, over all processors", &TASKS)?;
        counts(&steals, profile, "Steals, and requests between ranks, a frame", &STEALS)
    }
}

/// The longest frame, s.
pub(super) fn longest_s(profile: &Profile, seconds: fn(&FrameProfile) -> f64) -> f64 {
    profile.frames.iter().map(seconds).fold(0.0, f64::max)
}

/// One value for each frame. `None` for a frame without data.
pub(super) fn over_frames(
    profile: &Profile,
    value: impl Fn(&FrameProfile) -> f64,
) -> Vec<Option<f64>> {
    let is_known = |frame: &FrameProfile| !frame.processors.is_empty();
    profile.frames.iter().map(|frame| is_known(frame).then(|| value(frame))).collect()
}

/// Draws the time of the collision phases, on an axis up to `longest_s`.
pub(super) fn collision_time<B: DrawingBackend>(
    area: &Area<B>,
    profile: &Profile,
    longest_s: f64,
) -> Drawn<B> {
    let title = "Time of the collision phases";
    let axes = TimeAxes { title, of: profile.times_are(), frames: profile.frames.len(), longest_s };
    let (mut chart, per_s) = panel::time_axes(area, &axes)?;
    let curve = |label, color, seconds: fn(&FrameProfile) -> f64| Curve {
        label,
        color,
        values: over_frames(profile, |frame| per_s * seconds(frame)),
    };
    let curves = [
        curve("collision phase", BLUE, FrameProfile::collision_s),
        curve("its test part", VERMILION, FrameProfile::tests_s),
    ];
    panel::curves(area, &mut chart, &curves)
}

/// Draws how all processors together spent the test parts. A frame without tests stays empty.
fn shares_of_tests<B: DrawingBackend>(area: &Area<B>, profile: &Profile) -> Drawn<B> {
    let title = "What the processors did in the test parts, % of their time";
    let axes = Axes { title, frames: profile.frames.len(), max: 105.0 };
    let mut chart = panel::axes(area, &axes)?;
    let part = |label, color, seconds: fn(&ProcessorProfile) -> f64| {
        let percent = |frame: &FrameProfile| {
            let all: f64 = frame.processors.iter().map(|one| one.test_part_s).sum();
            let part: f64 = frame.processors.iter().map(seconds).sum();
            if frame.utilization().is_some() { 100.0 * part / all } else { 0.0 }
        };
        (label, color, profile.frames.iter().map(percent).collect())
    };
    let parts = [
        part("busy: tests", BLUE, |one| one.usage.busy_s),
        part("scheduling", GREEN, |one| one.usage.scheduling_s),
        part("waiting for ranks", ORANGE, |one| one.usage.waiting_s),
        part("idle, not running", IDLE, ProcessorProfile::idle_s),
    ];
    panel::stacked_bars(area, &mut chart, &parts)
}

/// The colour of a phase. Physical modelling is blue.
pub(crate) fn color_of(phase: Phase) -> RGBColor {
    match phase {
        Phase::Predict => RGBColor(150, 150, 150),
        Phase::Refit => RGBColor(255, 221, 113),
        Phase::Tests => VERMILION,
        Phase::Contacts => RGBColor(247, 182, 121),
        Phase::AllGather => RGBColor(148, 103, 189),
        Phase::Response => GREEN,
        Phase::Combination => RGBColor(0, 109, 44),
        Phase::FailSafe => RGBColor(152, 223, 138),
        Phase::Assembly => RGBColor(198, 219, 239),
        Phase::Solve => RGBColor(107, 174, 214),
        Phase::Advance => RGBColor(8, 69, 148),
    }
}

fn all_phases<B: DrawingBackend>(area: &Area<B>, profile: &Profile) -> Drawn<B> {
    let longest_s = longest_s(profile, |frame| frame.seconds.iter().sum());
    let title = "Time of all phases (average over the ranks)";
    let axes = TimeAxes { title, of: profile.times_are(), frames: profile.frames.len(), longest_s };
    let (mut chart, per_s) = panel::time_axes(area, &axes)?;
    let (physical, collision): (Vec<_>, Vec<_>) =
        Phase::ALL.iter().partition(|phase| phase.is_physical_modelling());
    let parts = collision.into_iter().chain(physical).map(|&phase| {
        let values = profile.frames.iter().map(|frame| per_s * frame.seconds[phase as usize]);
        (phase.name(), color_of(phase), values.collect())
    });
    panel::stacked_bars(area, &mut chart, &Vec::from_iter(parts))
}

/// A count of each processor: its label, colour and value.
type Count = (&'static str, RGBColor, fn(&ProcessorUse) -> u64);

const TASKS: [Count; 2] = [
    ("executed", BLUE, |usage| usage.tasks_executed),
    ("cut off a stack", GREEN, |usage| usage.tasks_created),
];

const STEALS: [Count; 3] = [
    ("tasks stolen", VERMILION, |usage| usage.tasks_stolen),
    ("requests", PURPLE, |usage| usage.requests),
    ("rejected", ORANGE, |usage| usage.rejections),
];

fn counts<B: DrawingBackend>(
    area: &Area<B>,
    profile: &Profile,
    title: &str,
    counts: &[Count],
) -> Drawn<B> {
    let curves = counts.iter().map(|&(label, color, count)| Curve {
        label,
        color,
        values: over_frames(profile, |frame| frame.sum(count) as f64),
    });
    let curves = Vec::from_iter(curves);
    panel::diagram(area, title, profile.frames.len(), &curves)
}
