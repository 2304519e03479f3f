//! The picture of two runs beside each other.

use plotters::prelude::DrawingBackend;

use crate::program::profile::canvas::{Area, Drawn, Picture};
use crate::program::profile::frames::Profile;
use crate::program::profile::look::Diagram;
use crate::program::profile::panel::{
    self, Axes, BLUE, Curve, HEADING, ORANGE, TimeAxes, heading_line,
};
use crate::program::profile::run_picture;

const PANEL: u32 = 280;

/// Two columns with the first diagram of the kind and the heat map of each run, on common scales.
/// Below them two diagrams in which both runs have a curve: mean shares and lengths.
pub(crate) struct ComparisonPicture<'a> {
    /// Two runs of the same kind.
    pub(crate) profiles: [&'a Profile; 2],
    pub(crate) labels: [String; 2],
}

impl ComparisonPicture<'_> {
    /// What is drawn for each run.
    fn diagrams(&self) -> impl Iterator<Item = &'static Diagram> {
        self.profiles[0].look.diagrams.iter().take(1).chain([&Diagram::HeatMap])
    }

    fn height(&self, diagram: &Diagram) -> u32 {
        let [a, b] = self.profiles.map(|profile| run_picture::height(diagram, profile));
        a.max(b)
    }

    fn upper_height(&self) -> u32 {
        HEADING + self.diagrams().map(|diagram| self.height(diagram)).sum::<u32>()
    }
}

impl Picture for ComparisonPicture<'_> {
    fn size(&self) -> (u32, u32) {
        (1600, self.upper_height() + PANEL)
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let (above, below) = area.split_vertically(self.upper_height());
        let columns = above.split_evenly((1, 2));
        for ((column, profile), label) in columns.iter().zip(self.profiles).zip(&self.labels) {
            let (heading, mut rest) = column.split_vertically(HEADING);
            let line = format!("{label} ({}: {})", profile.scene, profile.describe());
            heading_line(&heading, &line)?;
            for diagram in self.diagrams() {
                let (area, below) = rest.split_vertically(self.height(diagram));
                let both = self.profiles.map(|profile| run_picture::longest_s(diagram, profile));
                run_picture::draw(&area, diagram, profile, both[0].max(both[1]))?;
                rest = below;
            }
        }
        let columns = below.split_evenly((1, 2));
        let [left, right] = &columns[..] else { return Ok(()) };
        self.mean_shares(left)?;
        self.lengths(right)
    }
}

impl ComparisonPicture<'_> {
    fn mean_shares<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let [Profile { look, frames, .. }, _] = self.profiles;
        let axes = Axes { title: look.mean_shares, frames: frames.len(), max: 105.0 };
        let mut chart = panel::axes(area, &axes)?;
        let curves = self.both(|profile| {
            let shares = profile.frames.iter().map(|frame| profile.mean_share(frame));
            shares.map(|share| share.map(|value| 100.0 * value)).collect()
        });
        panel::curves(area, &mut chart, &curves)
    }

    fn lengths<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let first = self.profiles[0];
        let longest = self.profiles.map(|profile| profile.longest_s(Profile::length_s));
        let axes = TimeAxes {
            title: first.look.lengths,
            of: first.times_are(),
            frames: first.frames.len(),
            longest_s: longest[0].max(longest[1]),
        };
        let (mut chart, per_s) = panel::time_axes(area, &axes)?;
        let curves =
            self.both(|profile| profile.over_frames(|frame| per_s * profile.length_s(frame)));
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
