//! The picture of two runs beside each other.

use plotters::prelude::DrawingBackend;

use crate::program::profile::canvas::{Area, Drawn, Picture};
use crate::program::profile::panel::{Axes, BLUE, Curve, HEADING, ORANGE, TimeAxes, heading_line};
use crate::program::profile::run_picture::{self, over_frames};
use crate::program::profile::{FrameProfile, Profile, heat_map, panel};

const TIME: u32 = 220;
const PANEL: u32 = 280;

/// Two columns with the time of the phases and the heat map of each run, on common scales. Below
/// them two diagrams in which both runs have a curve: utilization and time.
pub(crate) struct ComparisonPicture<'a> {
    pub(crate) profiles: [&'a Profile; 2],
    pub(crate) labels: [String; 2],
}

impl ComparisonPicture<'_> {
    fn map_height(&self) -> u32 {
        let most = self.profiles.map(|profile| profile.processors.len());
        heat_map::height(most[0].max(most[1]))
    }

    /// The longest frame of both runs, s.
    fn longest_s(&self, seconds: fn(&FrameProfile) -> f64) -> f64 {
        let [a, b] = self.profiles.map(|profile| run_picture::longest_s(profile, seconds));
        a.max(b)
    }
}

impl Picture for ComparisonPicture<'_> {
    fn size(&self) -> (u32, u32) {
        (1600, HEADING + TIME + self.map_height() + PANEL)
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let (above, below) = area.split_vertically(HEADING + TIME + self.map_height());
        let columns = above.split_evenly((1, 2));
        for ((column, profile), label) in columns.iter().zip(self.profiles).zip(&self.labels) {
            let (heading, rest) = column.split_vertically(HEADING);
            let line = format!("{label} ({}: {})", profile.scene, profile.describe());
            heading_line(&heading, &line)?;
            let (time, map) = rest.split_vertically(TIME);
            run_picture::collision_time(&time, profile, self.longest_s(FrameProfile::collision_s))?;
            heat_map::draw(&map, &profile.heat_map())?;
        }
        let columns = below.split_evenly((1, 2));
        let [left, right] = &columns[..] else { return Ok(()) };
        self.mean_utilization(left)?;
        self.both_times(right)
    }
}

impl ComparisonPicture<'_> {
    fn mean_utilization<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let mut chart = panel::axes(
            area,
            &Axes {
                title: "Utilization in the test parts, average over the processors, %",
                frames: self.profiles[0].frames.len(),
                max: 105.0,
            },
        )?;
        let percent = |frame: &FrameProfile| frame.utilization().map(|value| 100.0 * value);
        let curves = self.both(|profile| profile.frames.iter().map(percent).collect());
        panel::curves(area, &mut chart, &curves)
    }

    fn both_times<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let axes = TimeAxes {
            title: "Time of the test parts of both runs",
            of: self.profiles[0].times_are(),
            frames: self.profiles[0].frames.len(),
            longest_s: self.longest_s(FrameProfile::tests_s),
        };
        let (mut chart, per_s) = panel::time_axes(area, &axes)?;
        let curves = self.both(|profile| over_frames(profile, |frame| per_s * frame.tests_s()));
        panel::curves(area, &mut chart, &curves)
    }

    /// A curve for each run.
    fn both(&self, values: impl Fn(&Profile) -> Vec<Option<f64>>) -> [Curve<'_>; 2] {
        [0, 1].map(|i| Curve {
            label: &self.labels[i],
            color: [BLUE, ORANGE][i],
            values: values(self.profiles[i]),
        })
    }
}
