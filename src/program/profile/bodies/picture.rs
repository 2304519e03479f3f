//! The pictures of one run and of two runs of bodies.

use cloth_sim::rigid::report::{Phase, RigidReport};
use plotters::prelude::DrawingBackend;
use plotters::style::RGBColor;

use crate::program::profile::bodies::{BodyFrameProfile, BodyProfile};
use crate::program::profile::canvas::{Area, Drawn, Picture};
use crate::program::profile::panel::{
    BLUE, Curve, GREEN, HEADING, ORANGE, PURPLE, TimeAxes, VERMILION, heading_line,
};
use crate::program::profile::{heat_map, panel};

const PANEL: u32 = 240;
const WAITING: RGBColor = RGBColor(190, 190, 190);

/// Diagrams over the frames, from top to bottom: time of the phases, the heat map of the ranks,
/// bodies and contacts, what was communicated.
pub(super) struct BodyPicture<'a>(pub &'a BodyProfile);

/// Two columns with the time of the phases and the heat map of each run, on common scales.
pub(super) struct BodyComparison<'a> {
    pub profiles: [&'a BodyProfile; 2],
    pub labels: [String; 2],
}

impl Picture for BodyPicture<'_> {
    fn size(&self) -> (u32, u32) {
        (1200, HEADING + PANEL + 60 + heat_map::height(self.0.ranks) + 3 * PANEL)
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let profile = self.0;
        let (heading, rest) = area.split_vertically(HEADING);
        heading_line(&heading, &format!("{}: {}", profile.scene, profile.describe()))?;
        let (time, rest) = rest.split_vertically(PANEL + 60);
        phases(&time, profile, profile.longest_s())?;
        let (map, rest) = rest.split_vertically(heat_map::height(profile.ranks));
        heat_map::draw(&map, &profile.heat_map())?;
        let (bodies, rest) = rest.split_vertically(PANEL);
        counts(&bodies, profile, "Bodies and shadow copies at the frame, over all ranks", &BODIES)?;
        let (contacts, traffic) = rest.split_vertically(PANEL);
        counts(&contacts, profile, "Contacts and migrations a step, over all ranks", &CONTACTS)?;
        counts(&traffic, profile, "Messages and KiB sent a step, over all ranks", &TRAFFIC)
    }
}

impl Picture for BodyComparison<'_> {
    fn size(&self) -> (u32, u32) {
        let most = self.profiles.map(|profile| profile.ranks);
        (1600, HEADING + PANEL + 60 + heat_map::height(most[0].max(most[1])))
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let longest_s = self.profiles.map(BodyProfile::longest_s).into_iter().fold(0.0, f64::max);
        let columns = area.split_evenly((1, 2));
        for ((column, profile), label) in columns.iter().zip(self.profiles).zip(&self.labels) {
            let (heading, rest) = column.split_vertically(HEADING);
            let line = format!("{label} ({}: {})", profile.scene, profile.describe());
            heading_line(&heading, &line)?;
            let (time, map) = rest.split_vertically(PANEL + 60);
            phases(&time, profile, longest_s)?;
            heat_map::draw(&map, &profile.heat_map())?;
        }
        Ok(())
    }
}

fn color_of(phase: Phase) -> RGBColor {
    match phase {
        Phase::Forces => PURPLE,
        Phase::Motion => BLUE,
        Phase::Synchronisation => ORANGE,
        Phase::Contacts => GREEN,
        Phase::Response => VERMILION,
    }
}

/// Draws the time of all phases without waiting, and the waiting on top.
fn phases<B: DrawingBackend>(area: &Area<B>, profile: &BodyProfile, longest_s: f64) -> Drawn<B> {
    let title = "Time of the phases (average over the ranks)";
    let axes = TimeAxes { title, of: "a frame", frames: profile.frames.len(), longest_s };
    let (mut chart, per_s) = panel::time_axes(area, &axes)?;
    let over_frames = |value: &dyn Fn(&RigidReport) -> f64| {
        Vec::from_iter(profile.frames.iter().map(|frame| per_s * frame.mean(value)))
    };
    let of_phase = |phase: Phase| {
        let at = phase as usize;
        let values = over_frames(&|it| (it.seconds[at] - it.waited_s[at]).max(0.0));
        (phase.name(), color_of(phase), values)
    };
    let waiting = over_frames(&|it| it.waited_s.iter().sum());
    let parts = Phase::ALL.iter().map(|&it| of_phase(it)).chain([("waiting", WAITING, waiting)]);
    panel::stacked_bars(area, &mut chart, &Vec::from_iter(parts))
}

/// A number of each frame: its label, colour and value, in a run with so many steps a frame.
type Count = (&'static str, RGBColor, fn(&BodyFrameProfile, f64) -> f64);

const BODIES: [Count; 2] = [
    ("bodies", BLUE, |frame, _| frame.sum(|it| it.bodies) as f64),
    ("shadow copies", ORANGE, |frame, _| frame.sum(|it| it.copies) as f64),
];

const CONTACTS: [Count; 2] = [
    ("contacts", GREEN, |frame, steps| frame.sum(|it| it.contacts) as f64 / steps),
    ("migrations", VERMILION, |frame, steps| frame.sum(|it| it.traffic.migrated) as f64 / steps),
];

const TRAFFIC: [Count; 2] = [
    ("messages", PURPLE, |frame, steps| frame.sum(|it| it.traffic.messages) as f64 / steps),
    ("KiB", ORANGE, |frame, steps| frame.sum(|it| it.traffic.bytes) as f64 / 1024.0 / steps),
];

fn counts<B: DrawingBackend>(
    area: &Area<B>,
    profile: &BodyProfile,
    title: &str,
    counts: &[Count],
) -> Drawn<B> {
    let steps = profile.steps_per_frame.max(1) as f64;
    let curve = |&(label, color, value): &Count| Curve {
        label,
        color,
        values: profile.frames.iter().map(|frame| Some(value(frame, steps))).collect(),
    };
    let curves = Vec::from_iter(counts.iter().map(curve));
    panel::diagram(area, title, profile.frames.len(), &curves)
}
