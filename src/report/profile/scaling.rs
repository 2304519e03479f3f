//! The picture of something over numbers of processors.

use plotters::chart::ChartBuilder;
use plotters::element::{PathElement, Text};
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{BLACK, Color, RGBColor};

use super::canvas::{Area, Drawn, FONT, Picture};
use super::one_run::{BLUE, GREEN, ORANGE, PURPLE, VERMILION, heading_line};
use super::panel::{self, BOTTOM, Chart, Curve, LEFT, RIGHT, TOP};

const HEADING: u32 = 44;
const PANEL: u32 = 320;
const GREY: RGBColor = RGBColor(150, 150, 150);

/// A label, and a value for each number of processors.
pub type Series = (&'static str, Vec<f64>);

/// Something over numbers of processors.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaling {
    /// What it is.
    pub heading: String,
    /// The numbers of processors, rising.
    pub processors: Vec<usize>,
    /// How many times as fast as on one.
    pub speed_ups: Vec<Series>,
    /// Utilization and efficiency, %.
    pub percents: Vec<Series>,
    /// Parts of the time, %.
    pub shares: Vec<Series>,
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
    /// Both axes are logarithmic.
    fn speed_ups<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let all = self.speed_ups.iter().flat_map(|(_, values)| values);
        let most = all.copied().fold(2.0, f64::max).log2();
        let label = |value: f64| format!("{}", value.exp2().round());
        let title = "Speed-up against one processor";
        let mut chart = self.axes(area, title, (most.ceil(), most.ceil() as usize + 1), &label)?;
        let colors = [GREY, ORANGE, VERMILION, BLUE];
        let logarithms = self.speed_ups.iter().map(|(name, values)| {
            (*name, values.iter().map(|value| value.max(1.0).log2()).collect::<Vec<f64>>())
        });
        panel::curves(area, &mut chart, &curves(&Vec::from_iter(logarithms), &colors))
    }

    fn percents<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let title = "Utilization of the processors in the test part, and efficiency, %";
        let mut chart = self.axes(area, title, (105.0, 6), &|value| format!("{value}"))?;
        let colors = [VERMILION, PURPLE, ORANGE, BLUE];
        panel::curves(area, &mut chart, &curves(&self.percents, &colors))
    }

    fn shares<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let title = "Where the time of the phase goes, %";
        let mut chart = self.axes(area, title, (105.0, 6), &|value| format!("{value}"))?;
        let colors = [RGBColor(255, 221, 113), RGBColor(148, 103, 189), VERMILION, GREEN];
        let parts = self.shares.iter().zip(colors);
        let parts = parts.map(|((name, values), color)| (*name, color, values.clone()));
        panel::stacked_bars(area, &mut chart, &Vec::from_iter(parts))
    }

    /// Axes over the numbers of processors, each as wide as 1; upwards to `max`.
    fn axes<'a, B: DrawingBackend>(
        &self,
        area: &'a Area<B>,
        title: &str,
        (max, labels): (f64, usize),
        label: &dyn Fn(f64) -> String,
    ) -> Drawn<B, Chart<'a, B>> {
        let count = self.processors.len();
        let mut chart = ChartBuilder::on(area)
            .margin_top(TOP)
            .margin_right(RIGHT)
            .y_label_area_size(LEFT)
            .x_label_area_size(BOTTOM)
            .build_cartesian_2d(0.5..count as f64 + 0.5, 0.0..max)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .disable_x_axis()
            .light_line_style(BLACK.mix(0.0))
            .bold_line_style(BLACK.mix(0.12))
            .y_labels(labels)
            .y_label_formatter(&|value| label(*value))
            .label_style((FONT, 15))
            .draw()?;
        panel::title(area, title)?;
        let (width, height) = area.dim_in_pixel();
        let bottom = height as i32 - BOTTOM;
        let style = panel::text(15, BLACK, (HPos::Center, VPos::Top));
        for (i, processors) in self.processors.iter().enumerate() {
            let x = panel::column(area, &chart, i as f64 + 1.0);
            area.draw(&PathElement::new([(x, bottom), (x, bottom + 4)], BLACK))?;
            area.draw(&Text::new(processors.to_string(), (x, bottom + 9), style.clone()))?;
        }
        let ends = [0.5, count as f64 + 0.5].map(|x| (panel::column(area, &chart, x), bottom));
        area.draw(&PathElement::new(ends, BLACK))?;
        let middle = (width as i32 + LEFT - RIGHT) / 2;
        area.draw(&Text::new("processors", (middle, bottom + 26), style))?;
        Ok(chart)
    }
}

fn curves<'a>(series: &[(&'a str, Vec<f64>)], colors: &[RGBColor]) -> Vec<Curve<'a>> {
    let curve = |((label, values), color): (&(&'a str, Vec<f64>), &RGBColor)| Curve {
        label,
        color: *color,
        values: values.iter().map(|&value| Some(value)).collect(),
    };
    series.iter().zip(colors).map(curve).collect()
}
