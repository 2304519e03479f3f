//! The picture of modelled collision phases over numbers of processors.

use cloth_sim::step::Phase;
use plotters::prelude::DrawingBackend;
use plotters::style::RGBColor;

use crate::program::profile::canvas::{Area, Drawn, Picture};
use crate::program::profile::cloth::color_of;
use crate::program::profile::panel::{
    self, BLUE, Chart, Curve, HEADING, ORANGE, PURPLE, VERMILION, heading_line,
};

const PANEL: u32 = 320;
const GREY: RGBColor = RGBColor(150, 150, 150);

/// A label, and a value for each number of processors. `None` where there is no value.
pub(super) type Series = (&'static str, Vec<Option<f64>>);

/// Modelled collision phases over numbers of processors.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scaling {
    /// The heading of the picture.
    pub heading: String,
    /// The numbers of processors, in rising order.
    pub processors: Vec<usize>,
    /// Speed-up against one processor.
    pub speed_ups: Vec<Series>,
    /// Utilization and efficiency, %.
    pub percents: Vec<Series>,
    /// Shares of the parts of the phase, %.
    pub shares: Vec<Series>,
}

/// A vertical axis.
struct Vertical<'a> {
    title: &'a str,
    /// Its upper end.
    max: f64,
    /// About this many lines.
    lines: usize,
    /// The text of a number.
    label: &'a dyn Fn(f64) -> String,
}

impl<'a> Vertical<'a> {
    fn percent(title: &'a str) -> Self {
        Self { title, max: 105.0, lines: 6, label: &panel::number }
    }
}

impl Picture for Scaling {
    fn size(&self) -> (u32, u32) {
        (1100, HEADING + 3 * PANEL)
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let (heading, rest) = area.split_vertically(HEADING);
        heading_line(&heading, &self.heading)?;
        let panels = rest.split_evenly((3, 1));
        self.speed_ups(&panels[0])?;
        self.percents(&panels[1])?;
        self.shares(&panels[2])
    }
}

impl Scaling {
    /// Draws the speed-up. The vertical axis is logarithmic.
    fn speed_ups<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let logarithm = |value: f64| Some(value.log2()).filter(|power| power.is_finite());
        let powers = self.speed_ups.iter().flat_map(|(_, values)| values);
        let powers = Vec::from_iter(powers.filter_map(|value| logarithm((*value)?)));
        // On one processor the tests are a little slower than without tasks.
        let least = (powers.iter().copied().fold(0.0, f64::min) + 0.05).floor().min(0.0);
        let height = powers.iter().copied().fold(1.0, f64::max).ceil() - least;
        let label = |above: f64| match above + least {
            power if power < -0.5 => format!("1/{:.0}", (-power).exp2()),
            power => format!("{:.0}", power.exp2()),
        };
        let title = "Speed-up against one processor";
        let vertical = Vertical { title, max: height, lines: height as usize + 1, label: &label };
        let mut chart = self.axes(area, &vertical)?;
        let colors = [GREY, ORANGE, VERMILION, BLUE];
        let above = |value: &Option<f64>| Some((logarithm((*value)?)? - least).max(0.0));
        let logarithms = self
            .speed_ups
            .iter()
            .map(|(name, values)| (*name, values.iter().map(above).collect::<Vec<Option<f64>>>()));
        panel::curves(area, &mut chart, &curves(&Vec::from_iter(logarithms), &colors))
    }

    fn percents<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let title = "Utilization of the processors in the test part, and efficiency, %";
        let mut chart = self.axes(area, &Vertical::percent(title))?;
        let colors = [VERMILION, PURPLE, ORANGE, BLUE];
        panel::curves(area, &mut chart, &curves(&self.percents, &colors))
    }

    fn shares<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let title = "Parts of the collision phase, % of its time";
        let mut chart = self.axes(area, &Vertical::percent(title))?;
        let phases = [Phase::Refit, Phase::AllGather, Phase::Tests, Phase::Response];
        let parts = self.shares.iter().zip(phases.map(color_of));
        let parts = parts.map(|((name, values), color)| {
            (*name, color, values.iter().map(|value| value.unwrap_or(0.0)).collect())
        });
        panel::stacked_bars(area, &mut chart, &Vec::from_iter(parts))
    }

    /// Draws axes over the numbers of processors. Each number has the width 1.
    fn axes<'a, B: DrawingBackend>(
        &self,
        area: &'a Area<B>,
        vertical: &Vertical,
    ) -> Drawn<B, Chart<'a, B>> {
        let mut chart = panel::columns(area, self.processors.len(), vertical.max)?;
        panel::grid(&mut chart, vertical.lines, vertical.label)?;
        panel::title(area, vertical.title)?;
        let numbers = (1..).zip(self.processors.iter().copied());
        panel::horizontal_axis(area, &chart, numbers, "processors")?;
        Ok(chart)
    }
}

fn curves(series: &[Series], colors: &[RGBColor]) -> Vec<Curve<'static>> {
    let curve = |((label, values), color): (&Series, &RGBColor)| Curve {
        label,
        color: *color,
        values: values.clone(),
    };
    series.iter().zip(colors).map(curve).collect()
}
