//! The picture of one run.

use plotters::prelude::DrawingBackend;
use plotters::style::RGBColor;

use crate::program::profile::canvas::{Area, Drawn, Picture};
use crate::program::profile::frames::{FrameProfile, ProcessorProfile, Profile};
use crate::program::profile::heat_map::{self, HeatMap};
use crate::program::profile::look::{Count, Diagram};
use crate::program::profile::panel::{
    self, Axes, BLUE, Curve, GREY, HEADING, TimeAxes, VERMILION, heading_line,
};

/// The diagrams of its kind over the frames, from top to bottom.
pub(super) struct RunPicture<'a>(pub &'a Profile);

impl Picture for RunPicture<'_> {
    fn size(&self) -> (u32, u32) {
        let heights = self.0.look.diagrams.iter().map(|diagram| height(diagram, self.0));
        (1200, HEADING + heights.sum::<u32>())
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let profile = self.0;
        let (heading, mut rest) = area.split_vertically(HEADING);
        heading_line(&heading, &format!("{}: {}", profile.scene, profile.describe()))?;
        for diagram in profile.look.diagrams {
            let (area, below) = rest.split_vertically(height(diagram, profile));
            draw(&area, diagram, profile, longest_s(diagram, profile))?;
            rest = below;
        }
        Ok(())
    }
}

/// The height of a diagram, pixels.
pub(super) fn height(diagram: &Diagram, profile: &Profile) -> u32 {
    match diagram {
        Diagram::Collisions { .. } => 220,
        Diagram::HeatMap => heat_map::height(profile.processors.len()),
        Diagram::Phases { .. } => 300,
        Diagram::Shares { .. } | Diagram::Counts { .. } => 240,
    }
}

/// The longest time in a diagram, s; 0 in one without times.
pub(super) fn longest_s(diagram: &Diagram, profile: &Profile) -> f64 {
    match diagram {
        Diagram::Collisions { .. } => profile.longest_s(Profile::collision_s),
        Diagram::Phases { .. } => profile.longest_s(|_, frame| frame.seconds.iter().sum()),
        Diagram::HeatMap | Diagram::Shares { .. } | Diagram::Counts { .. } => 0.0,
    }
}

/// Draws a diagram. An axis of times ends at `longest_s`.
pub(super) fn draw<B: DrawingBackend>(
    area: &Area<B>,
    diagram: &Diagram,
    profile: &Profile,
    longest_s: f64,
) -> Drawn<B> {
    let (of, frames) = (profile.times_are(), profile.frames.len());
    match *diagram {
        Diagram::Collisions { title, length } => {
            collisions(area, profile, &TimeAxes { title, of, frames, longest_s }, length)
        }
        Diagram::HeatMap => heat_map::draw(area, &shares_of_processors(profile)),
        Diagram::Shares { title, parts } => shares(area, profile, title, parts),
        Diagram::Phases { title } => {
            phases(area, profile, &TimeAxes { title, of, frames, longest_s })
        }
        Diagram::Counts { title, curves } => counts(area, profile, title, curves),
    }
}

fn collisions<B: DrawingBackend>(
    area: &Area<B>,
    profile: &Profile,
    axes: &TimeAxes,
    length: &str,
) -> Drawn<B> {
    let (mut chart, per_s) = panel::time_axes(area, axes)?;
    let curve = |label, color, seconds: fn(&Profile, &FrameProfile) -> f64| Curve {
        label,
        color,
        values: profile.over_frames(|frame| per_s * seconds(profile, frame)),
    };
    let curves = [
        curve("collision phase", BLUE, Profile::collision_s),
        curve(length, VERMILION, Profile::length_s),
    ];
    panel::curves(area, &mut chart, &curves)
}

/// The share of each processor of the run in each frame.
fn shares_of_processors(profile: &Profile) -> HeatMap<'_> {
    let shares = |frame: &FrameProfile| {
        let share = |(rank, thread)| {
            let same = |one: &&ProcessorProfile| (one.rank, one.thread) == (rank, thread);
            profile.share(frame.processors.iter().find(same)?)
        };
        let places = profile.processors.iter().map(|one| (one.rank, one.thread));
        places.map(share).collect()
    };
    HeatMap {
        title: profile.look.heat_map,
        names: profile.processors.iter().map(|one| profile.name_of(one)).collect(),
        multiple: if profile.look.by_thread { profile.threads } else { 1 },
        frames: profile.frames.iter().map(shares).collect(),
        no_value: profile.look.no_share,
    }
}

/// Draws how all processors together spent their time. A frame without shares stays empty.
fn shares<B: DrawingBackend>(
    area: &Area<B>,
    profile: &Profile,
    title: &str,
    parts: &[(&str, RGBColor, &str)],
) -> Drawn<B> {
    let axes = Axes { title, frames: profile.frames.len(), max: 105.0 };
    let mut chart = panel::axes(area, &axes)?;
    let part = |&(label, color, column)| {
        let percent = |frame: &FrameProfile| {
            let all = profile.sum(frame, profile.look.length);
            let known = profile.mean_share(frame);
            known.map_or(0.0, |_| 100.0 * profile.sum(frame, column) / all)
        };
        (label, color, profile.frames.iter().map(percent).collect())
    };
    panel::stacked_bars(area, &mut chart, &Vec::from_iter(parts.iter().map(part)))
}

/// Draws the time of all phases, those that handle collisions below the others. If ranks measure
/// how long they wait, the phases are without waiting, and all waiting is on top.
fn phases<B: DrawingBackend>(area: &Area<B>, profile: &Profile, axes: &TimeAxes) -> Drawn<B> {
    let (mut chart, per_s) = panel::time_axes(area, axes)?;
    let (collision, physical): (Vec<_>, Vec<_>) =
        profile.phases.iter().enumerate().partition(|(_, row)| row.handles_collisions);
    let waited_s =
        |frame: &FrameProfile, at: usize| frame.waited_s.as_ref().map_or(0.0, |it| it[at]);
    let of_phases = collision.into_iter().chain(physical).map(|(at, row)| {
        let work_s = |frame: &FrameProfile| (frame.seconds[at] - waited_s(frame, at)).max(0.0);
        let values = profile.frames.iter().map(|frame| per_s * work_s(frame));
        (row.name, (profile.look.color)(at), values.collect())
    });
    let mut parts = Vec::from_iter(of_phases);
    let waiting = profile.frames.iter().map(|frame| frame.waited_s.as_ref());
    let waiting = waiting.map(|waited_s| Some(per_s * waited_s?.iter().sum::<f64>()));
    parts.extend(waiting.collect::<Option<_>>().map(|values| ("waiting", GREY, values)));
    panel::stacked_bars(area, &mut chart, &parts)
}

fn counts<B: DrawingBackend>(
    area: &Area<B>,
    profile: &Profile,
    title: &str,
    counts: &[Count],
) -> Drawn<B> {
    let curve = |&Count { label, color, column, a_step, unit }: &Count| {
        let times = |frame: &FrameProfile| if a_step { frame.steps.max(1) } else { 1 } as f64;
        let value = |frame: &FrameProfile| profile.sum(frame, column) / unit / times(frame);
        Curve { label, color, values: profile.over_frames(value) }
    };
    let curves = Vec::from_iter(counts.iter().map(curve));
    panel::diagram(area, title, profile.frames.len(), &curves)
}
