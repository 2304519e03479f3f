//! The parts of all diagrams: colours, headings, axes, curves, stacked bars, legend.

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::types::RangedCoordf64;
use plotters::element::{Circle, PathElement, Rectangle, Text};
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{BLACK, Color, IntoFont, RGBColor, TextStyle};

use crate::program::profile::canvas::{Area, Drawn, FONT};

/// Space left of the axes, pixels.
pub(crate) const LEFT: i32 = 64;
/// Space right of the axes, for the legend, pixels.
pub(crate) const RIGHT: i32 = 176;
/// Space above the axes, for the title, pixels.
pub(crate) const TOP: i32 = 34;
/// Space below the axes, for the numbers of frames, pixels.
pub(crate) const BOTTOM: i32 = 44;

/// Height of the line at the top of a picture, pixels.
pub(crate) const HEADING: u32 = 44;

/// Colours that differ for all eyes (Okabe & Ito 2008).
pub(crate) const BLUE: RGBColor = RGBColor(0, 114, 178);
pub(crate) const ORANGE: RGBColor = RGBColor(230, 159, 0);
pub(crate) const GREEN: RGBColor = RGBColor(0, 158, 115);
pub(crate) const VERMILION: RGBColor = RGBColor(213, 94, 0);
pub(crate) const PURPLE: RGBColor = RGBColor(204, 121, 167);
/// For time without work.
pub(crate) const GREY: RGBColor = RGBColor(190, 190, 190);

/// Axes over the frames 1 to `frames`. A frame has the width 1.
pub(crate) struct Axes<'a> {
    /// The quantity on the vertical axis, with its unit. It stands above the axis.
    pub title: &'a str,
    pub frames: usize,
    /// Upper end of the vertical axis.
    pub max: f64,
}

pub(crate) type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// A line over the frames. A missing value makes a gap.
pub(crate) struct Curve<'a> {
    /// Its name in the legend. A curve without a name is not in it.
    pub label: &'a str,
    pub color: RGBColor,
    pub values: Vec<Option<f64>>,
}

/// The style of a text of `size` pixels. `anchor` says which point of the text is at its place.
pub(crate) fn text(size: u32, color: RGBColor, anchor: (HPos, VPos)) -> TextStyle<'static> {
    let style = (FONT, size).into_font().color(&color);
    style.pos(Pos::new(anchor.0, anchor.1))
}

/// A unit of time in which numbers are easy to read, and how many of it make a second.
pub(crate) fn unit_of_time(longest_s: f64) -> (&'static str, f64) {
    match longest_s {
        s if s >= 1.0 => ("s", 1.0),
        s if s >= 1e-3 => ("ms", 1e3),
        _ => ("µs", 1e6),
    }
}

/// A little above all `values`.
pub(crate) fn above(values: impl Iterator<Item = f64>) -> f64 {
    let max = values.fold(0.0, f64::max);
    if max > 0.0 { 1.08 * max } else { 1.0 }
}

/// Draws axes with a grid, the title above and the numbers of the frames below.
pub(crate) fn axes<'a, B: DrawingBackend>(
    area: &'a Area<B>,
    axes: &Axes,
) -> Drawn<B, Chart<'a, B>> {
    let mut chart = columns(area, axes.frames, axes.max)?;
    grid(&mut chart, 6, &number)?;
    title(area, axes.title)?;
    frame_numbers(area, &chart, axes.frames)?;
    Ok(chart)
}

/// Axes for a time over the frames.
pub(crate) struct TimeAxes<'a> {
    /// What takes the time.
    pub title: &'a str,
    /// "a frame" or "a step".
    pub of: &'a str,
    pub frames: usize,
    /// The longest time, s.
    pub longest_s: f64,
}

/// Draws axes with a unit that suits the times. Also returns how many of it make a second.
pub(crate) fn time_axes<'a, B: DrawingBackend>(
    area: &'a Area<B>,
    time: &TimeAxes,
) -> Drawn<B, (Chart<'a, B>, f64)> {
    let TimeAxes { title, of, frames, longest_s } = *time;
    let (unit, per_s) = unit_of_time(longest_s);
    let title = &format!("{title}, {unit} {of}");
    let max = above([per_s * longest_s].into_iter());
    Ok((axes(area, &Axes { title, frames, max })?, per_s))
}

/// A chart for the columns 1 to `count`, each of the width 1, and for values up to `max`.
pub(crate) fn columns<'a, B: DrawingBackend>(
    area: &'a Area<B>,
    count: usize,
    max: f64,
) -> Drawn<B, Chart<'a, B>> {
    ChartBuilder::on(area)
        .margin_top(TOP)
        .margin_right(RIGHT)
        .y_label_area_size(LEFT)
        .x_label_area_size(BOTTOM)
        .build_cartesian_2d(0.5..count as f64 + 0.5, 0.0..max)
}

/// Draws the vertical axis and about `lines` lines.
pub(crate) fn grid<B: DrawingBackend>(
    chart: &mut Chart<B>,
    lines: usize,
    label: &dyn Fn(f64) -> String,
) -> Drawn<B> {
    chart
        .configure_mesh()
        .disable_x_mesh()
        .disable_x_axis()
        .light_line_style(BLACK.mix(0.0))
        .bold_line_style(BLACK.mix(0.12))
        .y_labels(lines)
        .y_label_formatter(&|value| label(*value))
        .label_style((FONT, 15))
        .draw()
}

/// Draws the heading of a picture.
pub(crate) fn heading_line<B: DrawingBackend>(area: &Area<B>, line: &str) -> Drawn<B> {
    let style = text(23, BLACK, (HPos::Left, VPos::Top));
    area.draw(&Text::new(line.to_owned(), (LEFT, 14), style))
}

/// Draws the title of a diagram.
pub(crate) fn title<B: DrawingBackend>(area: &Area<B>, title: &str) -> Drawn<B> {
    let style = text(18, BLACK, (HPos::Left, VPos::Top));
    area.draw(&Text::new(title.to_owned(), (LEFT, 8), style))
}

/// Draws numbers of frames under the axes, as many as there is room for.
pub(crate) fn frame_numbers<B: DrawingBackend>(
    area: &Area<B>,
    chart: &Chart<B>,
    frames: usize,
) -> Drawn<B> {
    let width = area.dim_in_pixel().0 as i32 - LEFT - RIGHT;
    let every = spacing(frames, f64::from(width) / 34.0);
    let numbers = (1..=frames).filter(|frame| frame % every == 0);
    horizontal_axis(area, chart, numbers.map(|frame| (frame, frame)), "frame")
}

/// Draws the horizontal axis: `numbers` as `(column, number)`, and their meaning `what`.
pub(crate) fn horizontal_axis<B: DrawingBackend>(
    area: &Area<B>,
    chart: &Chart<B>,
    numbers: impl Iterator<Item = (usize, usize)>,
    what: &str,
) -> Drawn<B> {
    let (width, height) = area.dim_in_pixel();
    let (right, bottom) = (width as i32 - RIGHT, height as i32 - BOTTOM);
    let style = text(15, BLACK, (HPos::Center, VPos::Top));
    for (at, number) in numbers {
        let x = column(area, chart, at as f64);
        area.draw(&PathElement::new([(x, bottom), (x, bottom + 4)], BLACK))?;
        area.draw(&Text::new(number.to_string(), (x, bottom + 9), style.clone()))?;
    }
    area.draw(&PathElement::new([(LEFT, bottom), (right, bottom)], BLACK))?;
    area.draw(&Text::new(what.to_owned(), ((LEFT + right) / 2, bottom + 26), style))
}

/// Horizontal place of a frame, in pixels of `area`.
pub(crate) fn column<B: DrawingBackend>(area: &Area<B>, chart: &Chart<B>, frame: f64) -> i32 {
    chart.backend_coord(&(frame, 0.0)).0 - area.get_pixel_range().0.start
}

/// The smallest `n` of 1, 2, 5, 10, ... for which every `n`-th of `count` gives at most `room`.
pub(crate) fn spacing(count: usize, room: f64) -> usize {
    let steps = (0..9).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_usize.pow(power)));
    steps.into_iter().find(|&step| (count / step) as f64 <= room).unwrap_or(count.max(1))
}

/// The smallest `d` of 1, 2, 5 times a power of ten for which `length` has at most `count` parts of
/// the length `d`.
pub(crate) fn step(length: f64, count: f64) -> f64 {
    let power = 10_f64.powf((length / count).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    steps.into_iter().find(|step| length / step <= count).unwrap_or(length)
}

/// A number of an axis, with few digits.
pub(crate) fn number(value: f64) -> String {
    match value.abs() {
        v if v >= 1e6 => format!("{} M", rounded(value / 1e6)),
        v if v >= 1e4 => format!("{} k", rounded(value / 1e3)),
        v if v > 0.0 && v < 1e-3 => format!("{value:.1e}"),
        _ => rounded(value),
    }
}

fn rounded(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Draws curves with a dot on each value, and their legend.
pub(crate) fn curves<B: DrawingBackend>(
    area: &Area<B>,
    chart: &mut Chart<B>,
    curves: &[Curve],
) -> Drawn<B> {
    for curve in curves {
        let points = curve.values.iter().enumerate();
        let points = Vec::from_iter(points.map(|(i, value)| value.map(|y| (i as f64 + 1.0, y))));
        let pieces = points.split(Option::is_none).filter(|piece| !piece.is_empty());
        let pieces = pieces.map(|piece| piece.iter().flatten().copied().collect::<Vec<_>>());
        chart.draw_series(pieces.map(|p| PathElement::new(p, curve.color.stroke_width(2))))?;
        let radius = if curve.values.len() <= 100 { 3 } else { 1 };
        let dots = points.iter().flatten();
        chart.draw_series(dots.map(|&p| Circle::new(p, radius, curve.color.filled())))?;
    }
    let named = curves.iter().filter(|curve| !curve.label.is_empty());
    legend(area, named.map(|curve| (curve.label, curve.color)))
}

/// Draws curves over the frames 1 to `frames`, with axes as high as the largest value.
pub(crate) fn diagram<B: DrawingBackend>(
    area: &Area<B>,
    title: &str,
    frames: usize,
    lines: &[Curve],
) -> Drawn<B> {
    let max = above(lines.iter().flat_map(|curve| curve.values.iter().flatten().copied()));
    let mut chart = axes(area, &Axes { title, frames, max })?;
    curves(area, &mut chart, lines)
}

/// Draws bars whose parts stand on each other. `parts` has a label, a colour and the values over
/// the frames for each, from the bottom up.
pub(crate) fn stacked_bars<B: DrawingBackend>(
    area: &Area<B>,
    chart: &mut Chart<B>,
    parts: &[(&str, RGBColor, Vec<f64>)],
) -> Drawn<B> {
    let frames = parts.first().map_or(0, |(_, _, values)| values.len());
    let gap = if frames <= 100 { 0.1 } else { 0.0 };
    let mut bottoms = vec![0.0; frames];
    for (_, color, values) in parts {
        let bars = bottoms.iter_mut().zip(values).enumerate().map(|(i, (bottom, value))| {
            let (left, right) = (i as f64 + 0.5 + gap, i as f64 + 1.5 - gap);
            let lower = std::mem::replace(bottom, *bottom + value);
            Rectangle::new([(left, lower), (right, *bottom)], color.filled())
        });
        chart.draw_series(bars)?;
    }
    legend(area, parts.iter().rev().map(|(label, color, _)| (*label, *color)))
}

/// Draws labels with their colours, right of the axes.
pub(crate) fn legend<'a, B: DrawingBackend>(
    area: &Area<B>,
    entries: impl Iterator<Item = (&'a str, RGBColor)>,
) -> Drawn<B> {
    let left = area.dim_in_pixel().0 as i32 - RIGHT + 16;
    let style = text(15, BLACK, (HPos::Left, VPos::Center));
    for (i, (label, color)) in entries.enumerate() {
        let y = TOP + 10 + 20 * i as i32;
        area.draw(&Rectangle::new([(left, y - 6), (left + 14, y + 6)], color.filled()))?;
        area.draw(&Text::new(label.to_owned(), (left + 22, y), style.clone()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_few_and_short() {
        assert_eq!(
            [(12, 26.0), (27, 26.0), (250, 26.0), (0, 1.0)].map(|(n, room)| spacing(n, room)),
            [1, 2, 10, 1]
        );
        assert_eq!(
            [0.0, 0.25, 1500.0, 20_000.0, 1.5e6].map(number),
            ["0", "0.25", "1500", "20 k", "1.5 M"]
        );
        assert_eq!([22.0, 0.9, 1300.0].map(|length| step(length, 12.0)), [2.0, 0.1, 200.0]);
        assert_eq!([3.0, 0.02, 1e-5].map(|s| unit_of_time(s).0), ["s", "ms", "µs"]);
    }
}
